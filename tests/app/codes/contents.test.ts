import fc from 'fast-check';
import { expect, test } from 'vitest';
import { composeMailto, contentLength, isEmailAddress, normalizeLink, payloadOf } from '~/codes/contents';

const text = fc.string({ unit: 'grapheme', maxLength: 120 });

test.each([
  ['example.com', 'https://example.com'],
  ['  example.com/menu ', 'https://example.com/menu'],
  ['HTTP://Example.com', 'http://example.com'],
  ['https://example.com/', 'https://example.com/'],
  ['//example.com/x', 'https://example.com/x'],
  ['menu.example/a b', 'https://menu.example/a%20b'],
  ['localhost:3000/x', 'https://localhost:3000/x'],
  ['http://localhost:3000/x?a=1#b', 'http://localhost:3000/x?a=1#b'],
  ['example.com:8080', 'https://example.com:8080'],
  ['example.com?q=a:b', 'https://example.com/?q=a:b'],
  ['http://intranet/wiki', 'http://intranet/wiki'],
  ['[::1]:8080/x', 'https://[::1]:8080/x'],
  ['bücher.example', 'https://xn--bcher-kva.example'],
])('reads %j as the link %j', (raw, link) => {
  expect(normalizeLink(raw)).toBe(link);
});

test.each([
  '',
  '   ',
  'hello',
  'hello world',
  'javascript:alert(1)',
  'JavaScript:alert(document.domain)',
  'java\nscript:alert(1.5)',
  'data:text/html,hi',
  'mailto:ada@example.com',
  'tel:0123456789',
  'ftp://example.com',
  'http://',
  'https:example.com',
  'https:///example.com',
  'exa mple.com',
  'https://exa mple.com',
  'ada:secret@example.com',
  'https://ada@example.com',
  'example..com',
  '.example.com',
  'example.com:99999',
  'https://example.com\\@evil.example',
])('refuses %j as a link', (raw) => {
  expect(normalizeLink(raw)).toBeNull();
});

test('a normalized link is http or https and normalizes to itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), text), (raw) => {
      const link = normalizeLink(raw);
      if (link === null) return;
      expect(link).toMatch(/^https?:\/\/[^/@\s]+/);
      expect(normalizeLink(link)).toBe(link);
    }),
    { numRuns: 500 },
  );
});

test('every well-formed web address is accepted', () => {
  fc.assert(
    fc.property(fc.webUrl(), (url) => {
      expect(normalizeLink(url)).not.toBeNull();
    }),
  );
});

test.each([
  ['ada@example.com', true],
  [' ada+menu@example.co.uk ', true],
  ["o'neil_1@example.com", true],
  ['ada@localhost', true],
  ['ada', false],
  ['@example.com', false],
  ['ada@', false],
  ['ada@-example.com', false],
  ['ada@exam ple.com', false],
  ['ada@example.com, bob@example.com', false],
])('tells whether %j is an e-mail address: %j', (raw, isAddress) => {
  expect(isEmailAddress(raw)).toBe(isAddress);
});

test('a mail address encodes spaces, line breaks and separators the way RFC 6068 asks', () => {
  const mail = {
    address: ' a+b&c@example.com ',
    subject: 'Table for 2 & more?',
    body: 'Hi\nthere\r\n100%\r',
  };
  expect(composeMailto(mail)).toBe(
    'mailto:a%2Bb%26c@example.com?subject=Table%20for%202%20%26%20more%3F&body=Hi%0D%0Athere%0D%0A100%25%0D%0A',
  );
});

test('subject and body come back from a mail address whole, whatever they contain', () => {
  fc.assert(
    fc.property(text, text, (subject, body) => {
      const mailto = composeMailto({ address: 'ada@example.com', subject, body });
      expect(mailto).toMatch(/^mailto:ada@example\.com[\w.!~*'()%?&=-]*$/);
      const headers = new Map(
        (mailto.split('?')[1] ?? '').split('&').map((header) => {
          const [name = '', value = ''] = header.split('=');
          return [name, decodeURIComponent(value)];
        }),
      );
      expect(headers.get('subject') ?? '').toBe(subject.replace(/\r\n|\r|\n/g, '\r\n'));
      expect(headers.get('body') ?? '').toBe(body.replace(/\r\n|\r|\n/g, '\r\n'));
    }),
  );
});

test('each type encodes its own kind of content', () => {
  expect(payloadOf({ type: 'link', content: 'example.com/x' })).toBe('https://example.com/x');
  expect(payloadOf({ type: 'link', content: ' not yet ' })).toBe('not yet');
  expect(payloadOf({ type: 'text', content: ' two\r\nlines ' })).toBe(' two\nlines ');
  expect(payloadOf({ type: 'email', content: 'ada@example.com' })).toBe('mailto:ada@example.com');
  expect(payloadOf({ type: 'email', content: 'ada@example.com', subject: 'Hi' })).toBe(
    'mailto:ada@example.com?subject=Hi',
  );
  expect(payloadOf({ type: 'wifi', content: 'ignored', ssid: 'Café', passphrase: 'espresso' })).toBe(
    'WIFI:T:WPA;S:Café;P:espresso;;',
  );
});

test.each(['link', 'text', 'email', 'wifi'] as const)('an empty %s draws nothing', (type) => {
  expect(payloadOf({ type, content: ' \n' })).toBe('');
});

test('a lone surrogate is replaced by the character that UTF-8 writes for it', () => {
  expect(payloadOf({ type: 'text', content: 'a\ud800b' })).toBe('a\ufffdb');
  expect(composeMailto({ address: 'a@example.com', body: '\udc00' })).toContain('body=%EF%BF%BD');
});

test('the length counts characters, a line break once, and for wifi the composed string', () => {
  expect(contentLength({ type: 'text', content: '漢字😀' })).toBe(3);
  expect(contentLength({ type: 'text', content: 'a\r\nb' })).toBe(3);
  expect(contentLength({ type: 'wifi', content: '', ssid: 'a', security: 'nopass' })).toBe(
    'WIFI:T:nopass;S:a;;'.length,
  );
});
