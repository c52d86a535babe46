import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkContent, compose, contentLength, payloadOf, scanLinkOf } from '#contract/contents/contents';
import { composeMailto, isEmailAddress } from '#contract/contents/mail-addresses';
import { completeLink, targetOf } from '#contract/web-addresses';

const text = fc.string({ unit: 'grapheme', maxLength: 120 });

test.each([
  ['example.com', 'https://example.com'],
  ['  example.com/menu ', 'https://example.com/menu'],
  ['HTTP://Example.com', 'HTTP://Example.com'],
  ['https://example.com/', 'https://example.com/'],
  ['//example.com/x', 'https://example.com/x'],
  ['menu.example/a b', 'https://menu.example/a b'],
  ['localhost:3000/x', 'https://localhost:3000/x'],
  ['http://localhost:3000/x?a=1#b', 'http://localhost:3000/x?a=1#b'],
  ['example.com:8080', 'https://example.com:8080'],
  ['example.com?q=a:b', 'https://example.com?q=a:b'],
  ['http://intranet/wiki', 'http://intranet/wiki'],
  ['[::1]:8080/x', 'https://[::1]:8080/x'],
  ['bücher.example/straße', 'https://bücher.example/straße'],
  ['пример.example', 'https://пример.example'],
  // Cyrillic letters that look like Latin ones, mixed with them or alone, and a character that looks like a
  // slash.
  ['pаypal.example', 'https://xn--pypal-4ve.example'],
  ['http://аррӏе.example/x', 'http://xn--80ak6aa92e.example/x'],
  ['bank.example⁄x.evil.example', 'https://bank.xn--examplex-k03d.evil.example'],
])('reads %j as the link %j', (raw, link) => {
  expect(completeLink(raw)).toBe(link);
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
  expect(completeLink(raw)).toBeNull();
});

test('a host name has labels of 63 characters and 253 altogether at most', () => {
  const label = 'a'.repeat(63);
  expect(completeLink(`https://${label}.example/`)).not.toBeNull();
  expect(completeLink(`https://${label}a.example/`)).toBeNull();
  const longest = `${label}.${label}.${label}.${'a'.repeat(61)}`;
  expect(longest).toHaveLength(253);
  expect(completeLink(`https://${longest}/`)).not.toBeNull();
  expect(completeLink(`https://${longest}a/`)).toBeNull();
});

test('a completed link is http or https and completes to itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), text), (raw) => {
      const link = completeLink(raw);
      if (link === null) return;
      expect(link).toMatch(/^https?:\/\/[^/@\s]+/i);
      expect(completeLink(link)).toBe(link);
    }),
    { numRuns: 500 },
  );
});

test('every well-formed web address is accepted', () => {
  fc.assert(
    fc.property(fc.webUrl(), (url) => {
      expect(completeLink(url)).not.toBeNull();
    }),
  );
});

test.each([
  ['ada@example.com', true],
  [' ada+menu@example.co.uk ', true],
  ["o'neil_1@example.com", true],
  ['ada@localhost', false],
  ['ada', false],
  ['@example.com', false],
  ['ada@', false],
  ['ada@-example.com', false],
  ['ada@exam ple.com', false],
  ['ada@example.com, bob@example.com', false],
])('detects whether %j is an e-mail address: %j', (raw, isAddress) => {
  expect(isEmailAddress(raw)).toBe(isAddress);
});

test('a mailto URL encodes spaces, line breaks and separators according to RFC 6068', () => {
  const mail = {
    address: ' a+b&c@example.com ',
    subject: 'Table for 2 & more?',
    body: 'Hi\nthere\r\n100%\r',
  };
  expect(composeMailto(mail)).toBe(
    'mailto:a%2Bb%26c@example.com?subject=Table%20for%202%20%26%20more%3F&body=Hi%0D%0Athere%0D%0A100%25%0D%0A',
  );
});

test('any subject and body can be read back from a mailto URL', () => {
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

test('each type encodes its content in its own format', () => {
  expect(payloadOf({ type: 'link', content: 'example.com/x' })).toBe('https://example.com/x');
  expect(payloadOf({ type: 'link', content: ' not yet ' })).toBe('not yet');
  expect(payloadOf({ type: 'text', content: ' two\r\nlines ' })).toBe('two\nlines');
  expect(payloadOf({ type: 'email', content: 'ada@example.com' })).toBe('mailto:ada@example.com');
  expect(payloadOf({ type: 'email', content: 'ada@example.com', subject: 'Hi' })).toBe(
    'mailto:ada@example.com?subject=Hi',
  );
  expect(
    payloadOf({ type: 'email', content: 'ada@example.com', subject: 'one\r\n line', body: 'two\nlines' }),
  ).toBe('mailto:ada@example.com?subject=one%20line&body=two%0D%0Alines');
  expect(payloadOf({ type: 'wifi', content: 'ignored', ssid: 'Café', passphrase: 'espresso' })).toBe(
    'WIFI:T:WPA;S:Café;P:espresso;;',
  );
});

test.each(['link', 'text', 'email', 'wifi'] as const)('an empty %s has an empty payload', (type) => {
  expect(payloadOf({ type, content: ' \n' })).toBe('');
});

test('a lone surrogate becomes the replacement character, as in UTF-8', () => {
  expect(payloadOf({ type: 'text', content: 'a\ud800b' })).toBe('a\ufffdb');
  expect(composeMailto({ address: 'a@example.com', body: '\udc00' })).toContain('body=%EF%BF%BD');
});

test('the length counts characters, a line break as one, and for Wi-Fi the composed string', () => {
  expect(contentLength({ type: 'text', content: '漢字😀' })).toBe(3);
  expect(contentLength({ type: 'text', content: 'a\r\nb' })).toBe(3);
  expect(contentLength({ type: 'wifi', content: '', ssid: 'a', security: 'nopass' })).toBe(
    'WIFI:T:nopass;S:a;;'.length,
  );
});

test.each([
  ['https://bücher.example/straße', 'https://xn--bcher-kva.example/stra%C3%9Fe'],
  ['HTTP://Example.com', 'http://example.com'],
  ['https://example.com/', 'https://example.com/'],
  ['https://menu.example/a b?q=é#ü', 'https://menu.example/a%20b?q=%C3%A9#%C3%BC'],
  ['http://intranet/wiki', 'http://intranet/wiki'],
])('the link %j leads to %j', (link, target) => {
  expect(targetOf(link)).toBe(target);
});

test('every accepted link has a target that is valid in a header', () => {
  fc.assert(
    fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), text), (raw) => {
      const link = completeLink(raw);
      if (link !== null) expect(targetOf(link)).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
    }),
    { numRuns: 500 },
  );
});

test('typed characters count, not encoded bytes, and the text is stored as typed', () => {
  const entered = `example.com/${'é'.repeat(243)}`;
  expect(checkContent({ type: 'link', content: entered })).toEqual([]);
  expect(compose({ type: 'link', content: entered }).content).toBe(`https://${entered}`);
  const longer = { type: 'link', content: `${entered}é` } as const;
  expect(checkContent(longer)).toEqual([{ field: 'content', code: 'content_too_long' }]);
});

test('content that is too long for a symbol once encoded is drawn as typed', () => {
  const link = `https://example.com/${'é'.repeat(230)}`;
  expect(payloadOf({ type: 'link', content: link })).toBe(link);
  expect(payloadOf({ type: 'link', content: link.replace('https', 'HTTPS') })).toBe(link);
  expect(payloadOf({ type: 'link', content: 'https://example.com/é' })).toBe('https://example.com/%C3%A9');
});

test.each([
  ['https://qdr.li', 'https://QDR.LI/R/7K3M9QXD'],
  ['http://localhost:3000', 'http://LOCALHOST:3000/R/7K3M9QXD'],
  ['HTTPS://Quadrille.example/go', 'https://QUADRILLE.EXAMPLE/GO/R/7K3M9QXD'],
  // Not STRASSE.EXAMPLE, which is another host.
  ['https://straße.example', 'https://XN--STRAE-OQA.EXAMPLE/R/7K3M9QXD'],
])('below %s, the address in an image is %s', (shortUrl, address) => {
  expect(scanLinkOf(shortUrl, '7K3M9QXD')).toBe(address);
});

const CASES = ['toLowerCase', 'toUpperCase', 'toString'] as const;
const mixedCase = fc
  .tuple(fc.webUrl({ validSchemes: ['http', 'https'], size: 'medium' }), fc.constantFrom(...CASES))
  .map(([url, change]) => url[change]());

test('no address in a code has a scheme in upper case, and the rest of a scan link has nothing else', () => {
  fc.assert(
    fc.property(mixedCase, fc.nat({ max: 65_535 }), fc.nat({ max: 300 }), (url, port, more) => {
      const base = Object.assign(new URL(url), { port, search: '', hash: '' }).href.replace(/\/+$/, '');
      const scanLink = scanLinkOf(base, '7K3M9QXD');
      expect(scanLink).toMatch(/^https?:\/\/[^a-z]+\/R\/7K3M9QXD$/);
      expect(scanLink.toLowerCase()).toBe(`${base}/r/7K3M9QXD`.toLowerCase());
      // Beyond 1273 characters once encoded, an address is drawn as typed.
      expect(payloadOf({ type: 'link', content: `${url}${'é'.repeat(more)}` })).toMatch(/^https?:\/\//);
    }),
    { numRuns: 500 },
  );
});

test.each([...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'])(
  'the invisible control character %j is refused wherever text is shown',
  (control) => {
    const word = `safe${control}exe.pdf`;
    const refusal = (field: string) => [{ field, code: 'bidi_controls' }];
    expect(checkContent({ type: 'text', content: word })).toEqual(refusal('content'));
    expect(checkContent({ type: 'link', content: `https://a.example/${word}` })).toEqual(refusal('content'));
    const mail = { type: 'email', content: 'ada@b.example' } as const;
    expect(checkContent({ ...mail, subject: word })).toEqual(refusal('subject'));
    expect(checkContent({ ...mail, body: word })).toEqual(refusal('body'));
    expect(checkContent({ type: 'wifi', content: '', ssid: word, security: 'nopass' })).toEqual(
      refusal('ssid'),
    );
  },
);

test('right-to-left text without control characters is accepted', () => {
  expect(checkContent({ type: 'text', content: 'שלום, مرحبا' })).toEqual([]);
});

test('subject and message count characters, a line break as one', () => {
  const mail = { type: 'email', content: 'ada@b.example' } as const;
  expect(checkContent({ ...mail, subject: '😀'.repeat(200), body: 'a\r\n'.repeat(499) })).toEqual([]);
  expect(checkContent({ ...mail, subject: '😀'.repeat(201), body: 'a'.repeat(1001) })).toEqual([
    { field: 'subject', code: 'subject_too_long' },
    { field: 'body', code: 'body_too_long' },
  ]);
});

test('a character that the database cannot store is refused', () => {
  const problem = [{ field: 'content', code: 'content_invalid' }];
  expect(checkContent({ type: 'text', content: 'a\0b' })).toEqual(problem);
  expect(checkContent({ type: 'text', content: 'a\ud800b' })).toEqual(problem);
});
