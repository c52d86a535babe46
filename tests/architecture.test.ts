import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HostSettings } from '#host/env';
import { WebSettings } from '~/http/env-schema.server';
import {
  disablesChecks,
  importCycles,
  readsEnvironment,
  sharedNames,
  shortSingleUseModules,
  tablesNamedIn,
  unusedExports,
} from './support/code-rules';
import { listFiles, readSources, type Source } from './support/sources';

const sources = readSources();
const AREAS = ['codes', 'account', 'billing', 'statistics', 'site'];
const BANNED =
  /^(utils?|helpers?|misc|common|lib|shared|core|base|services?|managers?|types|constants|index)$/;
/** The part of the contract that browsers also load: rules without zod, Node or any other import. */
const BROWSER_CONTRACT = [
  'contract/contents.ts',
  'contract/wifi.ts',
  'contract/storable.ts',
  'contract/style-rules.ts',
];
const ROUTE_ORDER = [
  'handle',
  'meta',
  'links',
  'headers',
  'loader',
  'action',
  'clientAction',
  'clientLoader',
  'shouldRevalidate',
  'default',
  'ErrorBoundary',
];

/**
 * Resources that use each table: first the owner, then others whose statements or transactions must access
 * its rows together with their own, such as access with a session, counters with a visit, or all of an erased
 * account.
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
  code_import_parts: ['codes'],
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
  visit_erasures: ['visits'],
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
    'block-notices',
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
    'stored-styles',
    'tags.store',
    'unfinished-design',
  ],
  factors: ['passkey-challenges', 'passkeys.store', 'relying-party', 'second-factor.store', 'verify-code'],
  invoices: ['invoices.store', 'pdf', 'tax', 'wording'],
  mail: ['delivery', 'mails.store', 'outbox', 'texts'],
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
    'blocked-hosts',
    'classify',
    'counted-tokens',
    'notifier',
    'packed-code',
    'redirect-loops',
    'resolve',
    'respond',
    'retention',
    'text-links',
    'visitor-salts',
  ],
};

/** Exceptions to the rules below. These lists may shrink but never grow. */
const SHORT_MODULES = [
  // The entry point of a process.
  'app/codes/pictures/drawing-process.server.ts',
  'app/statistics/health-line.tsx',
  'app/statistics/no-subscription.tsx',
  'host/codes/logo-size.ts',
  'host/codes/presets.ts',
  'host/codes/unfinished-design.ts',
];

const EXPORTED_FOR_TESTS = [
  'host/accounts/accounts.store.ts: grantAccess',
  'host/codes/codes.insert.ts: insertCode',
  'host/mail/texts.ts: TEMPLATES',
];

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

/** The resources that access each table, through an import or in handwritten SQL. */
function tablesTouched(sources: Source[]): Record<string, string[]> {
  const declared = sources
    .filter(({ path }) => path.endsWith('.tables.ts'))
    .flatMap(({ text }) => [...text.matchAll(/export const (\w+) = pgTable\(\s*'(\w+)'/g)])
    .map(([, name = '', table = '']) => ({ name, table, resources: new Set<string>() }));
  for (const { path, text } of sources) {
    const [, resource] = /^host\/(\w+)\//.exec(path) ?? [];
    if (!resource || resource === 'db') continue;
    const program = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    const named = tablesNamedIn(program);
    const imported = [...program.matchAll(/import \{([^}]*)\} from '#host\/db\/\w+\.tables'/g)]
      .map(([, names]) => names)
      .join();
    for (const { name, table, resources } of declared) {
      if (new RegExp(`\\b${name}\\b`).test(imported) || named.has(table)) resources.add(resource);
    }
  }
  return Object.fromEntries(declared.map(({ table, resources }) => [table, [...resources].sort()]));
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

test('request bodies are read in one place, with limits', () => {
  const reading =
    /\breq\.(?:text|json|formData|parseBody|arrayBuffer|blob)\(|\breq\.raw\.(?:body|text|json|formData|arrayBuffer|blob)\b/;
  const readers = sources.filter(({ path, text }) => path.startsWith('host/') && reading.test(text));
  expect(readers.map(({ path }) => path)).toEqual(['host/http/request-body.ts']);
});

test('there are no import cycles, not even of types', () => {
  expect(importCycles(sources)).toEqual([]);
});

test('a module with one importer has at least 25 lines', () => {
  expect(shortSingleUseModules(sources).sort()).toEqual(SHORT_MODULES);
});

test('no two files of a program share a name', () => {
  expect(sharedNames(sources)).toEqual([]);
});

test('nothing is exported only for tests', () => {
  const scripts = listFiles()
    .filter((path) => path.startsWith('host/') && path.endsWith('.mjs'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8'), lines: 0, imports: [], exports: [] }));
  const isRead = (path: string) => /^app\/(?:routes\/|root\.tsx|entry\.)|\.tables\.ts$/.test(path);
  const own = sources.map((source) => (isRead(source.path) ? { ...source, exports: [] } : source));
  expect(unusedExports([...own, ...scripts]).sort()).toEqual(EXPORTED_FOR_TESTS);
});

test('cycles, short single-use modules, shared names and unused exports are detected', () => {
  const file = (path: string, to: string[], text = '', lines = 10): Source => ({
    ...{ path, text, lines, exports: [...text.matchAll(/export const (\w+)/g)].map(([, name = '']) => name) },
    imports: to.map((path) => ({ path, typeOnly: true })),
  });
  const circle = [file('app/ui/a.ts', ['app/ui/b.ts']), file('app/ui/b.ts', ['app/ui/a.ts'])];
  expect(importCycles(circle)).toEqual(['app/ui/a.ts → app/ui/b.ts → app/ui/a.ts']);
  expect(importCycles([file('app/ui/a.ts', ['app/ui/b.ts']), file('app/ui/b.ts', [])])).toEqual([]);
  const users = [
    file('app/ui/x.ts', ['app/ui/one.ts', 'app/ui/two.ts']),
    file('app/ui/y.ts', ['app/ui/two.ts']),
  ];
  const crumbs = ['one', 'two'].map((name) => file(`app/ui/${name}.ts`, [], '', 24));
  expect(shortSingleUseModules([...users, ...crumbs])).toEqual(['app/ui/one.ts']);
  expect(shortSingleUseModules([...users, file('app/ui/one.ts', [], '', 25)])).toEqual([]);
  const named = ['app/ui/time.ts', 'app/i18n/time.ts', 'host/http/time.ts', 'app/routes/time.ts'];
  expect(sharedNames(named.map((path) => file(path, [])))).toEqual(['app/time.ts']);
  const dead = file(
    'app/ui/a.ts',
    [],
    'export const used = 1; export const own = used; export const dead = own;',
  );
  expect(unusedExports([dead, file('app/ui/b.ts', [], 'dead_end')])).toEqual(['app/ui/a.ts: dead']);
  expect(unusedExports([dead, file('app/ui/b.ts', [], 'f(dead)')])).toEqual([]);
});

test('no file or folder has a meaningless name', () => {
  const wrong = listFiles()
    .filter(
      (file) =>
        /^(app|contract|host|processes|tests|e2e|bench)\//.test(file) && !file.startsWith('app/routes/'),
    )
    .filter((file) => file.split('/').some((part) => BANNED.test(part.replace(/\..*$/, ''))))
    .filter((file) => !file.startsWith('locales/'));
  expect(wrong).toEqual([]);
});

test('files have at most 300 lines', () => {
  const others = listFiles()
    .filter(
      (path) => /^(app|contract|host|processes|e2e|bench)\/.*\.(css|mjs)$/.test(path) && existsSync(path),
    )
    .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }));
  expect(others.length).toBeGreaterThan(0);
  const long = [...sources, ...others].filter(({ lines }) => lines > 300);
  expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
});

test('a route exports only what Remix reads, in a fixed order', () => {
  const routes = sources.filter(({ path }) => path.startsWith('app/routes/'));
  const wrong = routes.flatMap(({ path, exports }) => {
    const order = exports.map((name) => ROUTE_ORDER.indexOf(name));
    const isSorted = order.every((place, i) => place >= 0 && place > (order[i - 1] ?? -1));
    return isSorted ? [] : [`${path}: ${exports.join(', ')}`];
  });
  expect(wrong).toEqual([]);
});

test('every page keeps its input when an action fails, without revalidating', () => {
  const pages = sources.filter(
    ({ path, exports }) => path.startsWith('app/routes/') && exports.includes('default'),
  );
  const wrong = pages.filter(
    ({ exports }) =>
      !exports.includes('shouldRevalidate') ||
      exports.includes('action') !== exports.includes('clientAction'),
  );
  expect(pages.length).toBeGreaterThan(0);
  expect(wrong.map(({ path }) => path)).toEqual(['app/routes/$.tsx']);
});

test('every form that posts can report a lost response', () => {
  const wrong = sources.filter(
    ({ path, text }) => path !== 'app/ui/form.tsx' && /<Form\s+method="post"/.test(text),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('nothing imports a route', () => {
  const wrong = sources.flatMap((source) =>
    source.imports
      .filter(({ path }) => path.startsWith('app/routes/'))
      .map(({ path }) => `${source.path} → ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('only the two env files read the environment', () => {
  const readers = sources.filter(({ text }) => readsEnvironment(text)).map(({ path }) => path);
  expect(readers.sort()).toEqual(['app/http/env.server.ts', 'host/env.ts']);
});

test('every way to read the environment is detected', () => {
  const readers = [
    "import { env } from 'node:process';",
    'import process from "process";',
    "const { env } = await import('node:process');",
    "const secret = process['env'].JWT_SECRET;",
    'const secret = process?.env.JWT_SECRET;',
    'const { pid, env } = process;',
    'const secret = import.meta.env.JWT_SECRET;',
  ];
  expect(readers.filter((text) => !readsEnvironment(text))).toEqual([]);
  const others = [
    'process.exit(1); const { pid } = process;',
    'if (import.meta.env.PROD) start();',
    "import { env } from './env.server';",
  ];
  expect(others.filter(readsEnvironment)).toEqual([]);
});

test('.env.example lists exactly the settings of both programs', () => {
  const listed = [...readFileSync('.env.example', 'utf8').matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map(
    ([, name]) => name,
  );
  const known = new Set([
    ...Object.keys(HostSettings.shape),
    ...Object.keys(WebSettings.shape),
    'PORT',
    'WEBSITE_PORT',
  ]);
  expect([...new Set(listed)].sort()).toEqual([...known].sort());
});

test.each(['README.md', 'docs/adding-a-page.md'])('every path that %s names exists', (file) => {
  const text = readFileSync(file, 'utf8');
  const named = [
    ...text.matchAll(
      /`((?:app|contract|docs|host|locales|processes|public|tests|e2e|bench|\.ci)\/[\w./$-]*)`/g,
    ),
  ];
  expect(named.length).toBeGreaterThan(0);
  expect(named.map(([, path]) => path ?? '').filter((path) => !existsSync(path))).toEqual([]);
});

test('no lint rule and no test is disabled', () => {
  const files = listFiles().filter((file) =>
    /^(app|contract|host|processes|tests|e2e|bench)\/.*\.(tsx?|mjs)$/.test(file),
  );
  // These two files contain the patterns that they search for.
  const wrong = files.filter(
    (file) =>
      !['tests/architecture.test.ts', 'tests/support/code-rules.ts'].includes(file) &&
      disablesChecks(readFileSync(file, 'utf8')),
  );
  expect(wrong).toEqual([]);
});

test('every way to disable a test or a rule is detected', () => {
  const planted = [
    "test.skip('it', () => {});",
    "test.skipIf(isSlow)('it', () => {});",
    "describe.runIf(isFast).each([1])('it', () => {});",
    "describe.each([1]).only('it', () => {});",
    "test('it', { retry: 2 }, () => {});",
    "test('it', { skip: true }, () => {});",
    "test('it', (context) => context.skip());",
    "xit('does', () => {});",
    '// @ts-expect-error',
    '// biome-ignore lint: no',
    'await page.waitForTimeout(100);',
  ];
  expect(planted.filter((text) => !disablesChecks(text))).toEqual([]);
  const others = [
    "test.each([1])('it', () => {});",
    'stream.skip(2);',
    "expect(text).toBe('retry: 3000\\n');",
  ];
  expect(others.filter(disablesChecks)).toEqual([]);
});
