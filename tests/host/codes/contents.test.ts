import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createCode, updateCode } from '#contract/codes';
import {
  CODE_TYPES,
  type CodeFields,
  type CodeType,
  compose,
  FIELDS,
  type FieldName,
  hasField,
} from '#contract/contents/contents';
import { composeMailto } from '#contract/contents/mail-addresses';
import { composeWifi } from '#contract/contents/wifi-string';
import { DraftFields } from '#contract/drafts';
import { makeSlug, readSlug } from '#host/codes/code/slugs';
import { displayedContent, readContent, readFields } from '#host/codes/contents/contents';

const OWN = {
  blockedHosts: new Set(['evil.example', 'xn--bcher-kva.test']),
  publicUrl: 'https://quadrille.example',
  shortUrl: 'https://q.example/go',
  hostPublicUrl: 'http://127.0.0.1:4000',
};
vi.stubEnv('PUBLIC_URL', OWN.publicUrl);
vi.stubEnv('SESSION_SECRET', 'a secret of the tests that is long enough');
const { CreationForm } = await import('~/codes/create/schema.server');

function read(type: CodeType, content: string) {
  const found = readContent(type, { content, subject: '', body: '' }, OWN);
  return 'values' in found ? found.values.content : found.refused.content;
}

test.each([
  ['example.com', 'https://example.com'],
  ['http://example.com/a?b=c#d', 'http://example.com/a?b=c#d'],
  ['localhost:3000/x', 'https://localhost:3000/x'],
  ['example.com:8080', 'https://example.com:8080'],
  ['bücher.example/é', 'https://bücher.example/é'],
  ['http://intranet/wiki', 'http://intranet/wiki'],
])('the link %j is stored as %j', (entered, content) => {
  expect(read('link', entered)).toBe(content);
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://example.com',
  'word',
  'a b.example',
  'https://user:secret@example.com/',
  'https://',
])('the link %j is refused', (entered) => {
  expect(read('link', entered)).toEqual(['link_invalid']);
});

test.each([
  'https://quadrille.example/r/ABCDEFGH',
  'HTTP://QUADRILLE.EXAMPLE/R/abcdefgh',
  'quadrille.example/l/abcdefgh?again=1',
  'https://quadrille.example./r/abcdefgh',
  'https://q.example/go/l/abcdefgh',
  'https://quadrille.example/e/abcdefgh/copy',
  ...[
    '/%72/ABCDEFGH',
    '/%2572/ABCDEFGH',
    '//r/ABCDEFGH',
    '/./x/..//r/ABCDEFGH',
    '/%2Fr%2FABCDEFGH',
    '/r%2fABCDEFGH',
  ].map((path) => `https://quadrille.example${path}`),
  'https://quadrille.example:443/r/ABCDEFGH',
  'http://quadrille.example:80/r/ABCDEFGH',
  'https://quadrille%2Eexample/r/ABCDEFGH',
  'https://ｑuadrille.example/r/ABCDEFGH',
  'https://quadrille.example/login?next=%2Fr%2FABCDEFGH',
  'https://quadrille.example/login?next=https://q.example/go/r/ABCDEFGH',
  'https://q.example/GO/%6c/abcdefgh',
  'http://localhost:4000/r/ABCDEFGH',
  'http://[::1]:4000/r/ABCDEFGH',
  'http://0.0.0.0:4000/r/ABCDEFGH',
])('the link %j is refused, because it leads to a code of ours', (entered) => {
  expect(read('link', entered)).toEqual(['link_own']);
});

test.each([
  'https://quadrille.example/',
  'https://quadrille.example/roses',
  'https://quadrille.example/faq#r/x',
  'https://q.example/r/abcdefgh',
  'https://other.example/r/abcdefgh',
  'https://other.example/?next=https://quadrille.example/r/abcdefgh',
  'https://quadrille.example:8443/r/abcdefgh',
  'https://quadrille.example/login?next=/user/dashboard',
  'https://quadrille.example/%E0%A4%A/roses',
  'http://localhost:5000/r/abcdefgh',
])('the link %j leads to no code of ours and is stored', (entered) => {
  expect(read('link', entered)).toBe(entered);
});

test('an e-mail address needs a domain', () => {
  expect(read('email', 'ada@example.com')).toBe('ada@example.com');
  expect(read('email', 'ada@localhost')).toEqual(['email_invalid']);
  expect(read('email', 'ada@example.com\nbcc:x@y.z')).toEqual(['email_invalid']);
});

test.each(['info@müller.de', 'info@xn--mller-kva.de', 'INFO@XN--MLLER-KVA.DE'])(
  'the e-mail address %j, as browsers may send it, is stored in letters and opens in ASCII',
  (entered) => {
    const stored = String(read('email', entered));
    expect(stored.toLowerCase()).toBe('info@müller.de');
    expect(composeMailto({ address: stored }).toLowerCase()).toBe('mailto:info@xn--mller-kva.de');
    expect(displayedContent({ type: 'email', content: entered })).toBe(stored);
  },
);

test('an e-mail domain that could pass for another stays in ASCII', () => {
  for (const entered of ['ada@xn--80ak6aa92e.example', 'ada@аррӏе.example', 'xn--a@xn--a.example'])
    expect(displayedContent({ type: 'email', content: entered })).toBe(entered);
  expect(read('email', 'ada@аррӏе.example')).toBe('ada@xn--80ak6aa92e.example');
});

test('a mistyped address is refused with the one that was meant', () => {
  expect(read('link', 'https://https://example.com/menu')).toEqual([
    'address_meant:https://example.com/menu',
  ]);
  expect(read('email', 'info@müller,de')).toEqual(['address_meant:info@müller.de']);
  expect(read('link', '3.14')).toEqual(['link_invalid']);
});

test('subjects and messages with nothing to see are empty, others are kept as typed', () => {
  const stored = (subject: string, body: string) =>
    readContent('email', { content: 'ada@b.example', subject, body }, OWN);
  expect(stored('\u200b', ' \u2060\n')).toMatchObject({ values: { subject: '', body: '' } });
  const values = { subject: 'Soft\u00adhyphen', body: 'می\u200cخواهم 👩\u200d👧' };
  expect(stored(values.subject, values.body)).toMatchObject({ values });
});

test.each([
  ['WIFI:S:MyNetWork;T:WPA;P:example-pass-1;H:true;;', 'WIFI:T:WPA;S:MyNetWork;P:example-pass-1;H:true;;'],
  ['wifi:T:SAE;S:Café;P:"12345678"', 'WIFI:T:WPA;S:Café;P:12345678;;'],
  ['WIFI:S:Guest\u200b;T:nopass;;', 'WIFI:T:nopass;S:Guest;;'],
  ['WIFI:S:x', 'WIFI:T:nopass;S:x;;'],
])('the Wi-Fi string %j is stored as %j', (text, content) => {
  expect(read('wifi', text)).toBe(content);
});

test('the Wi-Fi string of a network with user names is refused with a reason of its own', () => {
  expect(read('wifi', 'WIFI:T:WPA2-EAP;S:x;E:PEAP;P:long enough;;')).toEqual(['wifi_enterprise']);
});

test.each([
  ['https://xn--bcher-kva.example/stra%C3%9Fe?q=%D1%8F', 'https://bücher.example/straße?q=я'],
  ['https://example.com/a%20b%2Fc%3F', 'https://example.com/a%20b%2Fc%3F'],
  ['https://example.com/%E2%80%AE%F0%9F', 'https://example.com/%E2%80%AE%F0%9F'],
  ['https://xn--80ak6aa92e.example/', 'https://xn--80ak6aa92e.example/'],
  ['https://xn--a.example/', 'https://xn--a.example/'],
  ['https://example.com/menu', 'https://example.com/menu'],
])('the stored link %j is shown as %j', (content, shown) => {
  expect(displayedContent({ type: 'link', content })).toBe(shown);
});

test.each([
  'WIFI:T:WPA;S:x;P:short;;',
  'WIFI:T:WPA;S:;P:long enough;;',
  `WIFI:T:WPA;S:${'é'.repeat(17)};P:long enough;;`,
  'WIFI:T:nopass;S:x;P:password;;',
  'WIFI:T:EAP;S:x;P:long enough;;',
  'WIFI:T:WPA;S:a\u202eb;P:long enough;;',
  'WIFI:P:long enough;T:WPA;;',
  'T:WPA;S:x;P:long enough;;',
])('the Wi-Fi string %j is refused', (text) => {
  expect(read('wifi', text)).toHaveLength(1);
});

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...'\\;,":/?#@.\r\n \u202e\u200b\u200d_-é😀'), maxLength: 40 }),
);
const content = fc.oneof(
  piece,
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.emailAddress(),
  fc.constantFrom(
    'http://intranet/wiki',
    'https://quadrille.example/r/7K3M9QXD',
    'ada@localhost',
    ...[
      'info@müller.de',
      'info@müller,de',
      'https://https://a.example',
      '3.14',
      'a_b.example',
      '\u200ba.exam\u00adple/\u200d',
    ],
    'a.example:80',
  ),
  fc
    .tuple(fc.constantFrom('bücher.example/', 'http://a/', ''), fc.nat(260))
    .map(([start, n]) => start + 'é'.repeat(n)),
);
/** A design also stores the fields of other types, though nothing reads them. */
function storableBeside(fields: Required<CodeFields>): Required<CodeFields> {
  const { type, security } = fields;
  const isRead = (name: string) =>
    hasField(type, name as FieldName) && !(name === 'passphrase' && security === 'nopass');
  const entries = Object.entries(fields).map(([name, value]) =>
    isRead(name) || typeof value !== 'string' ? [name, value] : [name, value.replace(/[\0\p{Cs}]/gu, '?')],
  );
  return Object.fromEntries(entries);
}

/** Texts of the types that have several; some of them are what is needed. */
const PARTS = Object.entries(FIELDS).flatMap(([name, rule]) =>
  'isExact' in rule || !('units' in rule) || hasField('email', name as FieldName) ? [] : [name],
);
const valid: Record<string, string> = {
  startDate: '2026-05-01',
  position: '48.1, 11.5',
  appStore: 'https://apps.apple.com/app/id123456789',
  workPhone: '+33 123 45 67',
};
const parts = fc.record(
  Object.fromEntries(
    PARTS.map((name) => [
      name,
      fc.oneof({ weight: 6, arbitrary: fc.constant(valid[name] ?? '') }, { weight: 1, arbitrary: piece }),
    ]),
  ),
);

const entered: fc.Arbitrary<Required<CodeFields>> = fc
  .record({
    type: fc.constantFrom(...CODE_TYPES),
    content,
    subject: fc.oneof(
      fc.constant(''),
      piece,
      fc.nat(210).map((n) => 'x'.repeat(n)),
    ),
    body: fc.oneof(
      fc.constant(''),
      piece,
      fc.nat(1010).map((n) => 'x'.repeat(n)),
    ),
    ssid: piece,
    passphrase: fc.oneof(piece, fc.string({ minLength: 8, maxLength: 63 })),
    security: fc.constantFrom('WPA', 'WEP', 'nopass'),
    hidden: fc.boolean(),
    parts,
  })
  .map(({ parts, ...fields }) => storableBeside({ ...fields, ...parts } as Required<CodeFields>));

/** Whether the host accepts the form that the website sends for these fields. */
function hostAccepts(fields: Required<CodeFields>): boolean {
  const { type, subject, body } = fields;
  const sent = createCode.form.safeParse({
    type,
    data: hasField(type, 'content') ? fields.content : compose(fields).content,
    parameters: JSON.stringify(type === 'email' ? { subject, body } : {}),
  });
  if (!sent.success) return false;
  return 'values' in readContent(type, { content: sent.data.data, ...sent.data.parameters }, OWN);
}

test('website, host and saved designs agree on what can become a code', () => {
  let accepted = 0;
  fc.assert(
    fc.property(entered, (fields) => {
      const verdict = CreationForm.safeParse(fields).success;
      accepted += verdict ? 1 : 0;
      expect(hostAccepts(fields)).toBe(verdict);
      const kept = DraftFields.safeParse(fields);
      expect(kept.success && 'values' in readFields(kept.data, OWN)).toBe(verdict);
    }),
    { numRuns: 3000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test('stored values are accepted unchanged when sent back, and shown as typed', () => {
  fc.assert(
    fc.property(entered, (fields) => {
      const first = readFields(fields, OWN);
      if (!('values' in first)) return;
      const { type } = fields;
      expect(updateCode.body.safeParse(first.values).success).toBe(true);
      if ([...first.values.content].length > 255) return;
      expect(readContent(type, first.values, OWN)).toEqual(first);
    }),
    { numRuns: 1000 },
  );
});

test('every valid network is accepted as a string', () => {
  const ascii = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
    maxLength: 63,
  });
  const ssid = fc.stringMatching(/^[!-[\]-~]{1,8}$/);
  fc.assert(
    fc.property(ssid, ascii, fc.boolean(), (name, passphrase, hidden) => {
      if (passphrase.endsWith('\\')) return;
      const text = composeWifi({ ssid: name, passphrase, security: 'WPA', hidden });
      expect(read('wifi', text)).toBe(text);
    }),
  );
});

test('slugs are eight unambiguous characters, in any letter case', () => {
  const slug = makeSlug((bytes) => Uint8Array.from({ length: bytes }, (_, n) => n * 37));
  expect(slug).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
  expect(readSlug(slug.toLowerCase())).toBe(slug);
  expect(readSlug('o1lI0000')).toBe('01110000');
  expect(readSlug('UUUUUUUU')).toBeNull();
  expect(readSlug('../../..')).toBeNull();
  expect(readSlug('7K3M9QX')).toBeNull();
});
