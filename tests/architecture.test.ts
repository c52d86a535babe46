import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tablesNamedIn, tablesTouched, typesNamedIn } from './support/code-rules';
import { ROUTE_FILES, readSources, type Source } from './support/sources';

const sources = readSources();
/** Files of the table of addresses; they combine areas, and nothing imports them. */
const PAGES = new Set(ROUTE_FILES);
const AREAS = ['codes', 'account', 'billing', 'statistics', 'site'];
/** The part of the contract that browsers also load: rules without zod, Node or any other import. */
const BROWSER_CONTRACT = [
  'contract/campaign.ts',
  'contract/colours.ts',
  'contract/date-words.ts',
  'contract/contents/app.ts',
  'contract/contents/contact.ts',
  'contract/contents/content-type.ts',
  'contract/contents/contents.ts',
  'contract/contents/directory-text.ts',
  'contract/contents/email.ts',
  'contract/contents/event-times.ts',
  'contract/contents/event.ts',
  'contract/contents/image.ts',
  'contract/contents/link.ts',
  'contract/contents/mail-addresses.ts',
  'contract/contents/parts.ts',
  'contract/contents/phone-numbers.ts',
  'contract/contents/phone.ts',
  'contract/contents/place.ts',
  'contract/contents/positions.ts',
  'contract/contents/text-rules.ts',
  'contract/contents/text.ts',
  'contract/contents/vcard.ts',
  'contract/contents/video.ts',
  'contract/contents/wifi-string.ts',
  'contract/contents/wifi.ts',
  'contract/contents/zoned-times.ts',
  'contract/cookie-names.ts',
  'contract/local-time.ts',
  'contract/locales.ts',
  'contract/routing-rules.ts',
  'contract/time.ts',
  'contract/urls.ts',
  'contract/web-addresses.ts',
  'contract/webhook-events.ts',
  'contract/invisible.ts',
  'contract/storable.ts',
  'contract/style-fields.ts',
  'contract/style-rules.ts',
];

/**
 * A folder imports only folders of a lower floor, and none beside it: what two folders need lies below both. The last
 * floor is the files that start the programs.
 */
const FLOORS = [
  ['contract'],
  ['runtime'],
  ['host/db'],
  ['host/http'],
  ['host/jobs'],
  ['host/mail'],
  ['host/accounts', 'host/invoices'],
  ['host/payments', 'host/plans'],
  ['host/addresses', 'host/codes'],
  ['host/subscriptions', 'host/visits'],
  ['host/engagements', 'host/sign-in', 'host/statistics', 'host/tickets'],
  ['host/webhooks'],
  ['host/dashboard', 'host/insight', 'host/oauth', 'host/payment-sandbox', 'host/privacy'],
  ['host/operator'],
  ['host'],
];

/** Folders that use the tables of money and of sign-in: the owner first. */
const TABLES: Record<string, [owner: string, ...others: string[]]> = {
  known_devices: ['sign-in', 'privacy'],
  sessions: ['sign-in', 'privacy'],
  identities: ['sign-in', 'accounts', 'privacy'],
  totp_secrets: ['sign-in'],
  recovery_codes: ['sign-in'],
  passkeys: ['accounts'],
  api_keys: ['accounts'],
  oauth_records: ['accounts'],
  mail_tokens: ['accounts', 'privacy', 'sign-in'],
  invoice_counters: ['invoices'],
  invoices: ['invoices', 'payments'],
  payment_methods: ['payments'],
  payments: ['payments', 'subscriptions'],
  payment_attempts: ['payments'],
  refunds: ['payments', 'subscriptions'],
  payment_events: ['subscriptions'],
  subscriptions: ['subscriptions', 'accounts', 'privacy', 'sign-in'],
  orders: ['subscriptions'],
  trials: ['subscriptions'],
  declarations: ['subscriptions'],
};

/** The folder that determines what a file may import, such as `app/ui`, `contract`, `host/codes` or `app`. */
function areaOf(path: string): string {
  const [top = '', folder, ...rest] = path.split('/');
  if (top === 'contract' || top === 'runtime') return top;
  return rest.length > 0 ? `${top}/${folder}` : top;
}

const floorOf = (area: string) => FLOORS.findIndex((floor) => floor.includes(area));

/** Why a file may not import another one; null if it may. */
function objectionTo(from: string, to: string): string | null {
  const [here, there] = [areaOf(from), areaOf(to)];
  if (here === there) return null;
  if (floorOf(here) >= 0) {
    if (floorOf(there) < 0) return `${there} is no folder of the servers`;
    return floorOf(there) < floorOf(here)
      ? null
      : `${there} is on floor ${floorOf(there)}, ${here} on ${floorOf(here)}`;
  }
  return mayWebsiteImport(from, to) ? null : `${here} may not know ${there}`;
}

function mayWebsiteImport(from: string, to: string): boolean {
  const [here, there] = [areaOf(from), areaOf(to)];
  const isServer = /\.server\.tsx?$/.test(from);
  if (there.startsWith('host')) return false;
  if (BROWSER_CONTRACT.includes(to)) return true;
  if (here === 'app' || PAGES.has(from)) return !PAGES.has(to);
  if (there === 'runtime') return isServer;
  if (PAGES.has(to)) return false;
  if (AREAS.some((name) => here === `app/${name}`)) {
    if (there === 'app/ui' || there === 'app/i18n') return true;
    return isServer && (there === 'app/http' || there === 'contract');
  }
  if (here === 'app/ui') return there === 'app/i18n';
  if (here === 'app/i18n') return there === 'contract' && isServer;
  return here === 'app/http' && (there === 'contract' || there === 'app/i18n');
}

const valueImports = (source: Source) => source.imports.filter(({ typeOnly }) => !typeOnly);

/** Forbidden imports, type-only ones included, each with the reason. */
function forbiddenImports(sources: Source[]): string[] {
  return sources.flatMap(({ path: from, imports }) =>
    imports.flatMap(({ path: to }) => {
      const objection = objectionTo(from, to);
      return objection ? [`${from} → ${to}: ${objection}`] : [];
    }),
  );
}

test('files import only what their folder may import', () => {
  expect(forbiddenImports(sources)).toEqual([]);
});

test('every folder of the servers has a floor', () => {
  const folders = new Set(sources.map(({ path }) => areaOf(path)).filter((area) => !area.startsWith('app')));
  expect(FLOORS.flat().sort()).toEqual([...folders].sort());
});

test('forbidden imports are detected, those of types included', () => {
  const planted = (path: string, to: string): Source => {
    return { path, text: '', lines: 1, imports: [{ path: to, typeOnly: true }], exports: [] };
  };
  const samples = [
    planted('app/codes/code/codes.server.ts', 'host/codes/code/store.ts'),
    planted('host/codes/code/store.ts', 'app/codes/code/codes.server.ts'),
    planted('app/codes/code/codes.server.ts', 'app/billing/checkout.server.ts'),
    planted('contract/codes.ts', 'runtime/settings.ts'),
    planted('runtime/settings.ts', 'host/http/deps.ts'),
    planted('host/codes/code/store.ts', 'host/visits/count/count.ts'),
    planted('host/visits/count/count.ts', 'host/subscriptions/order/store.ts'),
    planted('host/operator/commands.ts', 'host/app.ts'),
  ];
  expect(forbiddenImports(samples)).toHaveLength(samples.length);
  expect(forbiddenImports(samples)).toContain(
    'host/codes/code/store.ts → host/visits/count/count.ts: host/visits is on floor 9, host/codes on 8',
  );
});

test('tables are detected wherever a statement names them', () => {
  const named = (sql: string) => [...tablesNamedIn(`const text = \`${sql}\`;`)].sort();
  expect(named('select 1 from codes, drafts where codes.id = drafts.id')).toEqual(['codes', 'drafts']);
  expect(named('select 1 from codes c,\n  lateral (select 1 from visits) v, "logos" l')).toEqual([
    'codes',
    'lateral',
    'logos',
    'visits',
  ]);
  expect(named('select coalesce(a, b) from only public.codes as c join visits v on f(a, b), logos')).toEqual([
    'codes',
    'logos',
    'visits',
  ]);
  expect(named('delete from mails using accounts, sessions where true')).toEqual([
    'accounts',
    'mails',
    'sessions',
  ]);
  expect(named('UPDATE codes SET content = subject, body = logos FROM drafts')).toEqual(['codes', 'drafts']);
  expect(named('select a is distinct from codes, visits from logos order by drafts, mails')).toEqual([
    'logos',
  ]);
});

test('the part of the contract that browsers load imports nothing else', () => {
  for (const path of BROWSER_CONTRACT) {
    const specifiers = [...readFileSync(path, 'utf8').matchAll(/\bfrom '([^']+)'/g)].map(
      ([, name]) => name ?? '',
    );
    const files = specifiers.map((name) => `${join(dirname(path), name)}.ts`);
    expect(files.filter((file) => !BROWSER_CONTRACT.includes(file))).toEqual([]);
  }
});

test('only the modules of the types of content name one', () => {
  const others = sources.filter(({ path }) => !path.includes('/contents/') && path !== 'host/demo-sample.ts');
  expect(others.flatMap(({ path, text }) => typesNamedIn(text).map((found) => `${path}: ${found}`))).toEqual(
    [],
  );
});

test.each([
  "if (code.type === 'wifi') return;",
  "if ('email' !== type) return;",
  "switch (code.type) { case 'text': break; }",
  "const TYPES = ['link', 'text'];",
  "type Type = 'link' | 'wifi';",
  "const ICONS = { link: 'link', email: 'mail' };",
  "const fields = { type: 'text' as const, content: payload };",
  "const type = typed || 'link';",
  "const SELECT = `select 1 from codes where type <> 'wifi'`;",
])('%s names a type of content', (text) => {
  expect(typesNamedIn(text)).toHaveLength(1);
});

test.each([
  '<Field type="text" />;',
  "if (state.kind === 'open') return;",
  "const message = { id, text: 'none' };",
])('%s names none', (text) => {
  expect(typesNamedIn(text)).toEqual([]);
});

test('routes of the host contain no SQL', () => {
  const routes = sources.filter(({ path }) => /^host\/.*\broutes\.ts$/.test(path));
  const wrong = routes.filter(
    ({ imports, text }) => imports.some(({ path }) => path.endsWith('.tables.ts')) || /\bsql`/.test(text),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('tables of money and of sign-in are accessed only by the folders listed here', () => {
  const listed = Object.entries(TABLES).map(([table, folders]) => [table, [...folders].sort()]);
  expect(tablesTouched(sources)).toMatchObject(Object.fromEntries(listed));
});

test('the servers never load code that draws or decodes pictures', () => {
  const drawing = /from '(?:sharp|zxing-wasm|@hyzyla\/pdfium)|import\('(?:sharp|zxing-wasm|@hyzyla\/pdfium)/;
  const bySource = new Map(sources.map((source) => [source.path, source]));
  const loaded = new Set(['host/server.ts', 'app/entry.server.tsx', 'app/root.tsx']);
  for (const { path } of sources) if (PAGES.has(path)) loaded.add(path);
  for (const path of loaded) {
    const source = bySource.get(path);
    for (const { path: next } of source ? valueImports(source) : []) loaded.add(next);
  }
  expect(loaded).toContain('runtime/processes/process-pool.ts');
  expect([...loaded].filter((path) => drawing.test(bySource.get(path)?.text ?? ''))).toEqual([]);
});
