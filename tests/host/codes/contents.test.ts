import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWifi, readContent } from '#host/codes/contents';
import { makeSlug, readSlug } from '#host/codes/slugs';
import { composeWifi } from '~/codes/contents';

const OWN = { publicUrl: 'https://quadrille.example', shortUrl: 'https://q.example/go' };

test.each([
  ['example.com', 'https://example.com/'],
  ['http://example.com/a?b=c#d', 'http://example.com/a?b=c#d'],
  ['localhost:3000/x', 'https://localhost:3000/x'],
  ['example.com:8080', 'https://example.com:8080/'],
])('the link %j is stored as %j', (typed, content) => {
  expect(readContent('link', typed, OWN)).toEqual({ content });
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://example.com',
  'word',
  'a b.example',
  'https://user:secret@example.com/',
  'https://',
])('the link %j is refused', (typed) => {
  expect(readContent('link', typed, OWN)).toEqual({ refused: 'link_invalid' });
});

test.each([
  'https://quadrille.example/r/ABCDEFGH',
  'HTTP://QUADRILLE.EXAMPLE/R/abcdefgh',
  'quadrille.example/l/abcdefgh?again=1',
  'https://quadrille.example./r/abcdefgh',
  'https://q.example/go/l/abcdefgh',
  'https://quadrille.example/e/abcdefgh/copy',
])('the link %j is refused, because it opens a code', (typed) => {
  expect(readContent('link', typed, OWN)).toEqual({ refused: 'link_own' });
});

test.each([
  'https://quadrille.example/',
  'https://quadrille.example/roses',
  'https://quadrille.example/faq#r/x',
  'https://q.example/r/abcdefgh',
  'https://other.example/r/abcdefgh',
])('the link %j opens no code and is kept', (typed) => {
  expect(readContent('link', typed, OWN)).toEqual({ content: typed });
});

test('an e-mail address needs a domain', () => {
  expect(readContent('email', 'ada@example.com', OWN)).toEqual({ content: 'ada@example.com' });
  expect(readContent('email', 'ada@localhost', OWN)).toEqual({ refused: 'email_invalid' });
  expect(readContent('email', 'ada@example.com\nbcc:x@y.z', OWN)).toEqual({ refused: 'email_invalid' });
});

test('every Wi-Fi string the website composes from sound details is read', () => {
  const ascii = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 63,
  });
  const ssid = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' });
  fc.assert(
    fc.property(ssid, ascii, fc.boolean(), (name, passphrase, hidden) => {
      expect(isWifi(composeWifi({ ssid: name, passphrase, security: 'WPA', hidden }))).toBe(true);
    }),
  );
});

test.each([
  'WIFI:T:WPA;S:x;P:short;;',
  'WIFI:T:WPA;S:;P:long enough;;',
  `WIFI:T:WPA;S:${'é'.repeat(17)};P:long enough;;`,
  'WIFI:T:nopass;S:x;P:password;;',
  'WIFI:T:EAP;S:x;P:long enough;;',
  'WIFI:S:x',
  'T:WPA;S:x;P:long enough;;',
])('the Wi-Fi string %j is refused', (text) => {
  expect(isWifi(text)).toBe(false);
});

test('slugs are eight characters that nobody mistakes, in any letter case', () => {
  const slug = makeSlug((bytes) => Uint8Array.from({ length: bytes }, (_, n) => n * 37));
  expect(slug).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
  expect(readSlug(slug.toLowerCase())).toBe(slug);
  expect(readSlug('o1lI0000')).toBe('01110000');
  expect(readSlug('UUUUUUUU')).toBeNull();
  expect(readSlug('../../..')).toBeNull();
  expect(readSlug('7K3M9QX')).toBeNull();
});
