import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tablesNamedIn, tablesTouched } from './support/code-rules';
import { readSources, type Source } from './support/sources';

const sources = readSources();
const AREAS = ['codes', 'account', 'billing', 'statistics', 'site'];
/** The part of the contract that browsers also load: rules without zod, Node or any other import. */
const BROWSER_CONTRACT = [
  'contract/contents.ts',
  'contract/web-addresses.ts',
  'contract/mail-addresses.ts',
  'contract/wifi.ts',
  'contract/invisible.ts',
  'contract/storable.ts',
  'contract/style-rules.ts',
];

/**
 * Resources that use each table: first the owner, then others whose statements or transactions must access its rows
 * together with their own, such as access with a session, counters with a visit, or all of an erased account.
 */
const TABLES: Record<string, [owner: string, ...others: string[]]> = {
  accounts: ['accounts', 'addresses', 'codes', 'dashboard', 'sessions', 'subscriptions', 'visits'],
  known_devices: ['sessions', 'accounts'],
  sessions: ['sessions', 'accounts'],
  identities: ['sessions', 'accounts'],
  totp_secrets: ['factors'],
  recovery_codes: ['factors'],
  passkeys: ['factors'],
  activities: ['accounts'],
  rate_limits: ['http', 'accounts'],
  billing_addresses: ['addresses'],
  logos: ['codes'],
  codes: ['codes', 'accounts', 'dashboard', 'engagements', 'statistics', 'visits'],
  blocked_targets: ['codes', 'visits'],
  code_blocks: ['codes'],
  code_changes: ['codes'],
  tags: ['codes'],
  styles: ['styles'],
  code_jobs: ['codes'],
  code_job_problems: ['codes'],
  code_imports: ['codes'],
  code_import_duplicates: ['codes'],
  code_import_parts: ['codes'],
  code_import_problems: ['codes'],
  drafts: ['codes'],
  invoice_counters: ['invoices'],
  invoices: ['invoices', 'payments'],
  mails: ['mail', 'accounts'],
  payment_methods: ['payments'],
  payments: ['payments', 'subscriptions'],
  payment_attempts: ['payments'],
  refunds: ['payments', 'subscriptions'],
  payment_events: ['subscriptions'],
  sandbox_objects: ['payments'],
  sandbox_events: ['payments'],
  sandbox_clock: ['payments'],
  account_hours: ['statistics', 'dashboard', 'visits'],
  account_facets: ['statistics', 'visits'],
  account_days: ['statistics', 'dashboard', 'engagements', 'visits'],
  account_visitors: ['statistics', 'engagements', 'visits'],
  day_figures: ['statistics', 'visits'],
  code_marks: ['statistics', 'codes', 'visits'],
  code_engagements: ['engagements', 'statistics', 'visits'],
  engagements: ['engagements', 'visits'],
  waiting_engagements: ['engagements', 'visits'],
  code_beacons: ['engagements', 'statistics', 'visits'],
  subscriptions: ['subscriptions', 'accounts', 'sessions'],
  operator_acts: ['operator'],
  orders: ['subscriptions'],
  trials: ['subscriptions'],
  billing_jobs: ['subscriptions'],
  declarations: ['subscriptions'],
  tickets: ['tickets'],
  mail_tokens: ['accounts'],
  link_requests: ['accounts'],
  visits: ['visits', 'statistics'],
  visit_hours: ['visits', 'statistics'],
  code_totals: ['visits', 'codes', 'dashboard', 'statistics'],
  visitor_days: ['visits', 'engagements', 'statistics'],
  visit_salts: ['visits'],
  visit_lanes: ['visits'],
  visit_journal: ['visits'],
  visit_ids: ['visits'],
  visit_erasures: ['visits'],
  installation: ['visits'],
};

/** Files of each host resource that other resources may import. */
const OFFERED: Record<string, string[]> = {
  accounts: [
    'account-limits',
    'accounts.store',
    'activities',
    'attempts',
    'audit',
    'erasure',
    'link-requests',
    'mail-tokens',
    'onboarding',
    'reauthentication',
    'set-up-account',
  ],
  addresses: ['addresses.store'],
  codes: [
    'blocking',
    'codes.create',
    'codes.erase',
    'codes.export',
    'codes.present',
    'codes.store',
    'collections',
    'contents',
    'drafts.store',
    'slugs',
    'tags.store',
  ],
  factors: ['passkeys.store', 'second-factor.store', 'verify-code', 'webauthn'],
  invoices: ['invoices.store', 'pdf', 'tax', 'vat-check', 'wording'],
  mail: ['delivery', 'mails.store', 'outbox', 'strangers', 'texts'],
  operator: ['audit-log.store'],
  payments: ['payments.store', 'provider'],
  plans: ['plans'],
  sessions: ['devices', 'first-factor', 'identities.store', 'known-devices.store', 'sessions.store'],
  statistics: ['statistics'],
  styles: ['styles.store'],
  subscriptions: [
    'billing-work',
    'customers',
    'jobs',
    'orders.store',
    'purchase-export',
    'refunds',
    'subscriptions.store',
  ],
  tickets: ['tickets.store'],
  visits: [
    'account-key',
    'blocked-hosts',
    'classify',
    'counted-tokens',
    'notifier',
    'packed-code',
    'redirect-loops',
    'refused-visits',
    'resolve',
    'respond',
    'retention',
    'text-links',
    'visitor-salts',
  ],
};

/** The folder that determines what a file may import, such as `app/ui`, `contract`, `host/codes` or `app`. */
function areaOf(path: string): string {
  const [top = '', folder, ...rest] = path.split('/');
  if (top === 'contract' || top === 'processes') return top;
  return rest.length > 0 ? `${top}/${folder}` : top;
}

function mayImport(from: string, to: string): boolean {
  const [here, there] = [areaOf(from), areaOf(to)];
  if (here === there) return true;
  if (here === 'contract' || here === 'processes') return false;
  if (there === 'processes') return here.startsWith('host') || /^app\/.*\.server\.tsx?$/.test(from);
  if (here.startsWith('host')) return mayHostImport(here, there);
  if (there.startsWith('host') || there === 'app/routes') return false;
  const area = AREAS.find((name) => here === `app/${name}`);
  if (here === 'app' || here === 'app/routes') return true;
  if (area) {
    if (there === 'app/ui' || there === 'app/i18n' || BROWSER_CONTRACT.includes(to)) return true;
    return /\.server\.tsx?$/.test(from) && (there === 'app/http' || there === 'contract');
  }
  if (here === 'app/ui') return there === 'app/i18n';
  if (here === 'app/i18n') return there === 'contract' && /\.server\.tsx?$/.test(from);
  if (here === 'app/http') return there === 'contract' || there === 'app/i18n';
  return false;
}

function mayHostImport(here: string, there: string): boolean {
  if (there.startsWith('app')) return false;
  if (here === 'host') return true;
  if (here === 'host/db') return there === 'contract' || there === 'host';
  if (here === 'host/http') return there === 'contract' || there === 'host' || there === 'host/db';
  return there === 'contract' || there.startsWith('host/');
}

/** Files that other resources import, by resource. */
function filesImportedByOthers(sources: Source[]): Record<string, string[]> {
  const offered: Record<string, Set<string>> = {};
  for (const { path: from, imports } of sources) {
    for (const { path: to } of imports) {
      const [, resource = '', file = ''] = /^host\/(\w+)\/(.+)\.ts$/.exec(to) ?? [];
      const isOther = from.startsWith('host/') && areaOf(from) !== 'host' && areaOf(from) !== areaOf(to);
      if (!resource || !isOther || resource === 'db' || resource === 'http') continue;
      offered[resource] ??= new Set();
      offered[resource].add(file);
    }
  }
  return Object.fromEntries(Object.entries(offered).map(([name, files]) => [name, [...files].sort()]));
}

const valueImports = (source: Source) => source.imports.filter(({ typeOnly }) => !typeOnly);

/** Forbidden imports, type-only ones included. */
function forbiddenImports(sources: Source[]): string[] {
  return sources.flatMap(({ path: from, imports }) =>
    imports.filter(({ path }) => !mayImport(from, path)).map(({ path }) => `${from} → ${path}`),
  );
}

test('files import only what their area may import', () => {
  // The list of dependencies of all calls includes the type of the payment provider.
  expect(forbiddenImports(sources)).toEqual(['host/http/deps.ts → host/payments/provider.ts']);
});

test('a resource of the host imports only what another one offers', () => {
  expect(filesImportedByOthers(sources)).toEqual(OFFERED);
});

test('forbidden imports of types and internal files are detected', () => {
  const planted = (path: string, to: string): Source => {
    return { path, text: '', lines: 1, imports: [{ path: to, typeOnly: true }], exports: [] };
  };
  const samples = [
    planted('app/codes/codes.server.ts', 'host/codes/codes.store.ts'),
    planted('host/codes/codes.store.ts', 'app/codes/codes.server.ts'),
    planted('app/codes/codes.server.ts', 'app/billing/checkout.server.ts'),
    planted('contract/codes.ts', 'host/codes/codes.store.ts'),
    planted('processes/process-pool.ts', 'contract/codes.ts'),
  ];
  expect(forbiddenImports(samples)).toHaveLength(samples.length);
  const inner = planted('host/invoices/pdf.ts', 'host/payments/stripe/stripe.ts');
  expect(filesImportedByOthers([inner])).toEqual({ payments: ['stripe/stripe'] });
  expect(filesImportedByOthers([planted('host/app.ts', 'host/codes/codes.routes.ts')])).toEqual({});
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
    expect(specifiers.filter((name) => !BROWSER_CONTRACT.includes(`contract/${name.slice(2)}.ts`))).toEqual(
      [],
    );
  }
});

test('routes of the host contain no SQL', () => {
  const routes = sources.filter(({ path }) => /^host\/.*\.routes\.ts$/.test(path));
  const wrong = routes.filter(
    ({ imports, text }) => imports.some(({ path }) => path.endsWith('.tables.ts')) || /\bsql`/.test(text),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('a resource of the host accesses only its own tables and those listed here', () => {
  const touched = tablesTouched(sources);
  const listed = Object.entries(TABLES).map(([table, resources]) => [table, [...resources].sort()]);
  expect(touched).toEqual(Object.fromEntries(listed));
});

test('the servers never load code that draws or decodes pictures', () => {
  const drawing = /from '(?:sharp|zxing-wasm|@hyzyla\/pdfium)|import\('(?:sharp|zxing-wasm|@hyzyla\/pdfium)/;
  const bySource = new Map(sources.map((source) => [source.path, source]));
  const loaded = new Set(['host/server.ts', 'app/entry.server.tsx', 'app/root.tsx']);
  for (const { path } of sources) if (path.startsWith('app/routes/')) loaded.add(path);
  for (const path of loaded) {
    const source = bySource.get(path);
    for (const { path: next } of source ? valueImports(source) : []) loaded.add(next);
  }
  expect(loaded).toContain('processes/process-pool.ts');
  expect([...loaded].filter((path) => drawing.test(bySource.get(path)?.text ?? ''))).toEqual([]);
});
