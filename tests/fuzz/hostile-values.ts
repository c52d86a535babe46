import fc from 'fast-check';

/** JSON text that `JSON.stringify` cannot produce. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Combining marks out of order, which take quadratic time to normalise; these take half a second. */
export const MARKS = `a${'\u0301\u0323'.repeat(14_000)}`;

const STRINGS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfffb',
  '\u202egnp.exe',
  '\u2066a\u2069',
  '\u200b',
  '\ufeffa',
  '\u0085\u2028\u2029',
  'e\u0301'.repeat(40),
  'ﷺ'.repeat(60),
  'İıſK',
  '👩‍👩‍👧‍👦'.repeat(20),
  'a\r\nSet-Cookie: session=stolen\r\n\r\n<script>alert(1)</script>',
  '%',
  '%00',
  '%ff',
  '%E0%A4%A',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  "'; drop table accounts; --",
  '" or 1=1 --',
  '\\',
  '#{7*7}{{7*7}}',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '//evil.example',
  '/\\evil.example',
  'http://user:secret@localhost/',
  'http://[::1',
  'http://1.1.1.1.1/',
  'http://a b/',
  'https://xn--/',
  'https://example.com:99999/',
  'https://127.0.0.1/%72/ABCDEFGH',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '-0',
  '1e999',
  '0x10',
  '２０２６',
  '99999999999999999999',
  '0000-00-00',
  '2026-02-30',
  '9999-12-31',
  '+275760-09-13',
  '-271821-04-20',
  '2026-13-45T99:99:99Z',
  '__proto__',
  'constructor',
  'toString',
  '[object Object]',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'a@b',
  'a@b..example',
  '"a b"@example.com',
  'a@xn--80ak6aa92e.com',
  `${'a'.repeat(250)}@example.com`,
  'WIFI:T:WPA;S:a;P:b',
  '{"type":"link"}',
  '[]',
  MARKS,
];

const NUMBERS = [0, -0, -1, 0.1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE];

const RAW = ['1e999', '-1e999', '-0', '1E400', '9'.repeat(400), '0.1e-400', '"\\u0000"', '"\\ud800"'];

/** Strings that programs often mishandle. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...STRINGS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', ' ', 'é', '👍', '\u202e', '.', '@', '9', '/'),
        fc.constantFrom(129, 300, 2_001, 9_000),
      )
      .map(([letter, times]) => letter.repeat(times)),
  },
);

const PROTOTYPES = [
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"length":{"toString":1}}',
  '{"toString":1}',
  '{"valueOf":1,"toString":{}}',
  '{"then":{"then":1}}',
  '{"toJSON":1}',
  '{"hasOwnProperty":1}',
  '{"$ne":""}',
];

/** JSON values of unexpected types. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], [{}]) },
  { weight: 3, arbitrary: fc.constantFrom(...RAW, ...PROTOTYPES).map((text) => new RawJson(text)) },
  { weight: 2, arbitrary: fc.array(hostileText, { maxLength: 4 }) },
  { weight: 2, arbitrary: fc.dictionary(hostileText, hostileText, { maxKeys: 3 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(20, 200, 2_000)
      .map((deep) => new RawJson('['.repeat(deep) + ']'.repeat(deep))),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(20, 200, 2_000)
      .map((deep) => new RawJson(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`)),
  },
  { weight: 1, arbitrary: fc.constantFrom(10, 1_000).map((many) => Array.from({ length: many }, () => 'x')) },
);

/** Like `JSON.stringify`, but inserts `RawJson` values verbatim. */
export function toJsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJsonText).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([name, held]) => `${JSON.stringify(name)}:${toJsonText(held)}`,
    );
    return `{${entries.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}
