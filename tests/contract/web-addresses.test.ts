import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkContent, compose, payloadOf } from '#contract/contents/contents';
import { completeLink, suggestLink, targetOf } from '#contract/web-addresses';

const ROWS = readFileSync('tests/contract/browser-addresses.txt', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'))
  .map(([input = '', href = '', rule = '']) => ({
    input: JSON.parse(input) as string,
    href: href === '-' ? null : (JSON.parse(`"${href}"`) as string),
    rule,
  }));

/** Where codes differ from browsers, and why. */
const RULES: Record<string, string> = {
  'control or backslash': 'browsers drop or replace them, which hides where a link leads',
  'user name': 'a name before the @ makes a host look like another, and phones ask before they open it',
  'slashes missing': 'browsers read it relative to the page it is on',
  'writing direction': 'such controls show an address in another order than it is read',
  number: 'people mean a price or a date, not an IP address',
  'www alone': 'the beginning of a name',
  'empty label': 'no name server has it (RFC 1034, section 3.1)',
  hyphen: 'a label neither starts nor ends with one (RFC 1123, section 2.1)',
  'closing quote': 'copied along with the address',
  sign: 'a label has letters, digits and hyphens (RFC 1123, section 2.1)',
  'too long': 'a label has at most 63 characters and a host 253 (RFC 1035, section 2.3.4)',
};

function read(entered: string): string | null {
  const fields = { type: 'link', content: entered } as const;
  return checkContent(fields).length > 0 ? null : payloadOf(fields);
}

const withSlash = (target: string | null) => target && new URL(target).href;

test.each(ROWS.filter(({ rule }) => rule === ''))('$input is read as browsers do', ({ input, href }) => {
  const target = read(input);
  expect(withSlash(target)).toBe(href);
});

test.each(ROWS.filter(({ rule }) => rule in RULES))(
  '$input, which browsers open, is refused',
  ({ input, href }) => {
    expect(href).not.toBeNull();
    expect(read(input)).toBeNull();
  },
);

test.each(ROWS.filter(({ rule }) => rule === 'invisible'))(
  '$input is read without invisible characters',
  (row) => {
    const target = read(row.input);
    expect(target).not.toBe(row.href);
    expect(target).not.toMatch(/%E[0-9A-F]|xn--/);
  },
);

test.each(ROWS.filter(({ rule }) => rule === 'engine'))(
  '$input, which older engines refuse or read by an older Unicode, is read as here',
  ({ input }) => {
    expect(withSlash(read(input))).toBe(URL.canParse(input) ? new URL(input).href : null);
  },
);

test('every rule of ours has a case, and every case a known rule', () => {
  const named = new Set(ROWS.map(({ rule }) => rule));
  expect([...named].sort()).toEqual(['', 'engine', 'invisible', ...Object.keys(RULES)].sort());
});

test.each([
  // The scheme twice, in part or mistyped.
  ['https://https://example.com/menu', 'https://example.com/menu'],
  ['http://https//example.com/menu', 'https://example.com/menu'],
  ['https:https://example.com', 'https://example.com'],
  ['https://https:/example.com', 'https://example.com'],
  ['https://http://example.com', 'http://example.com'],
  ['http://http:example.com', 'http://example.com'],
  ['https://https://https://example.com', 'https://example.com'],
  ['https://www.https://example.com/x', 'https://example.com/x'],
  ['https://example.comhttps://example.com/x', 'https://example.com/x'],
  ['HTTPS://HTTPS://EXAMPLE.COM', 'https://EXAMPLE.COM'],
  ['https//example.com', 'https://example.com'],
  ['http:/example.com', 'http://example.com'],
  ['https:///example.com', 'https://example.com'],
  ['htp://example.com', 'http://example.com'],
  ['ttps://example.com', 'https://example.com'],
  ['https;//example.com', 'https://example.com'],
  ['://example.com', 'https://example.com'],
  ['https:\\\\example.com\\menu', 'https://example.com/menu'],
  ['Website: https://example.com/x', 'https://example.com/x'],
  // Other signs for dots and hyphens, or too many of them.
  ['https://www.example,com/karte', 'https://www.example.com/karte'],
  ['www,example,com', 'https://www.example.com'],
  ['www;example;com', 'https://www.example.com'],
  ['https://www.example:com/x', 'https://www.example.com/x'],
  ['www/example.com/x', 'https://www.example.com/x'],
  ['www example.com', 'https://www.example.com'],
  ['www. example.com', 'https://www.example.com'],
  ['example。com/x', 'https://example.com/x'],
  ['my_shop.example.com/a_b', 'https://my-shop.example.com/a_b'],
  ['https://my–shop.example:8080/x', 'https://my-shop.example:8080/x'],
  ['-foo.example', 'https://foo.example'],
  ['foo-.example/x', 'https://foo.example/x'],
  ['example..com', 'https://example.com'],
  ['.example.com', 'https://example.com'],
  ['192.168.001.010', 'https://192.168.1.10'],
  // What was copied along.
  ['„https://example.com/karte“', 'https://example.com/karte'],
  ['»example.com«', 'https://example.com'],
  ['example.com”', 'https://example.com'],
  ['<https://example.com>', 'https://example.com'],
  ['(https://example.com/x).', 'https://example.com/x'],
  ['[example.com]', 'https://example.com'],
  ["'example.com'", 'https://example.com'],
  ['example.com!', 'https://example.com'],
  ['https://example.com/karte“', 'https://example.com/karte'],
  ['https://example.com/karte">', 'https://example.com/karte'],
  ['https: //example.com', 'https://example.com'],
  ['https:// example.com', 'https://example.com'],
  ['example .com', 'https://example.com'],
  ['１２７．０．０．１', 'https://127.0.0.1'],
  ['https://example.com our menu', 'https://example.com'],
  ['https://exa mple.com', 'https://example.com'],
  ['https://exam\nple.com/x', 'https://example.com/x'],
])('%j is refused, and %j is offered', (entered, meant) => {
  expect(completeLink(entered)).toBeNull();
  expect(suggestLink(entered)).toBe(meant);
  expect(completeLink(meant)).toBe(meant);
  expect(checkContent({ type: 'link', content: entered })).toEqual([
    { field: 'content', code: `address_meant:${meant}` },
  ]);
});

test.each([
  '3.14',
  '3,14',
  '0x7f.1',
  '2130706433',
  'http://2130706433',
  'https://127.1',
  '12.11.2026',
  '1.2.3.4.5',
  '256.1.1.1',
  'www',
  'www.',
  'https://www',
  'https://www./x',
  'https://https',
  'https://https://',
  'https://my_server/x',
  'ada@example.com',
  'https://ada@example.com',
  'mailto:ada@example.com',
  'ftp://example.com',
  'tel:01234.5',
  'hello',
  'hello world',
  'hello, world',
  'Hello. World',
  'data:text/html,hi',
  'javascript:alert(x.y)',
  'https://[::1',
  'https://example.com:99999',
  'https://exa%20mple.com',
  '…',
  '-.-',
])('%j is refused, and nothing is offered', (entered) => {
  expect(suggestLink(entered)).toBeNull();
  expect(checkContent({ type: 'link', content: entered })).toEqual([
    { field: 'content', code: 'link_invalid' },
  ]);
});

test.each([
  '1.2.3.4',
  'https://127.0.0.1:8080/x',
  'https://http.cat',
  'https.example.com',
  'www.example',
  'https://web.archive.example/2020/https://example.com/',
  'https://example.com/www,a;b_c[d]',
  'https://a--b.example',
  'col·legi.example',
  'i❤.example',
  'https://example.com/“a”',
  'https://example.com/L’Équipe',
])('%j is accepted', (entered) => {
  expect(checkContent({ type: 'link', content: entered })).toEqual([]);
});

test.each([
  '\u200b',
  '\u200c',
  '\u200d',
  '\u200e',
  '\u200f',
  '\u2060',
  '\u2064',
  '\u00ad',
  '\ufeff',
  '\u034f',
  '\u061c',
  '\u3164',
  '\ufe0f',
  '\u{e0041}',
])('the invisible character %j is removed from a link wherever it is', (mark) => {
  const clean = 'https://example.com/menu?a=b#c';
  for (let at = 0; at <= clean.length; at += 1) {
    const entered = clean.slice(0, at) + mark + clean.slice(at);
    expect(checkContent({ type: 'link', content: entered })).toEqual([]);
    expect(compose({ type: 'link', content: entered }).content).toBe(clean);
    expect(payloadOf({ type: 'link', content: entered })).toBe(clean);
  }
});

test('controls of direction around a link are removed', () => {
  const entered = ' \u202ahttps://example.com/\u202c\u2069 ';
  expect(checkContent({ type: 'link', content: entered })).toEqual([]);
  expect(compose({ type: 'link', content: entered }).content).toBe('https://example.com/');
});

test('a link that was stored with an invisible character leads where it was meant to', () => {
  expect(targetOf('https://example.com/menu\u200b')).toBe('https://example.com/menu');
});

test('any suggestion is itself accepted', () => {
  const piece = fc.constantFrom(
    ...[
      'https',
      'http',
      ':',
      '/',
      '//',
      '.',
      ',',
      ';',
      '_',
      '-',
      '@',
      '[',
      ']',
      '(',
      ' ',
      'www',
      'example',
      'com',
      '3',
      '“',
      '%',
      '\n',
      '\\',
      'ü',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const meant = suggestLink(pieces.join(''));
      if (meant !== null) expect(checkContent({ type: 'link', content: meant })).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});
