import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HostSettings } from '#host/env';
import { WebSettings } from '~/http/env-schema.server';
import { listFiles, readSources, type Source } from './support/sources';

const sources = readSources();
const AREAS = ['codes', 'account', 'billing', 'statistics', 'site'];
const BANNED =
  /^(utils?|helpers?|misc|common|lib|shared|core|base|services?|managers?|types|constants|index)$/;
/** Of the contract what browsers load too: rules without zod, Node or any other import. */
const BROWSER_CONTRACT = ['contract/contents.ts', 'contract/wifi.ts', 'contract/storable.ts'];
const ROUTE_ORDER = [
  'handle',
  'meta',
  'links',
  'headers',
  'loader',
  'action',
  'clientAction',
  'shouldRevalidate',
  'default',
  'ErrorBoundary',
];

/**
 * Who touches which table: first the resource that it belongs to, then others, for one statement or transaction that
 * must see or change both, such as access with a session, counters with a visit, everything with an erased account.
 */
const TABLES: Record<string, [owner: string, ...others: string[]]> = {
  accounts: [
    'accounts',
    'addresses',
    'codes',
    'dashboard',
    'sessions',
    'statistics',
    'subscriptions',
    'visits',
  ],
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
  codes: ['codes', 'dashboard', 'engagements', 'statistics', 'visits'],
  code_blocks: ['codes'],
  code_changes: ['codes'],
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
  code_marks: ['statistics', 'visits'],
  code_engagements: ['engagements', 'statistics', 'visits'],
  engagements: ['engagements', 'visits'],
  waiting_engagements: ['engagements', 'visits'],
  code_beacons: ['engagements', 'statistics', 'visits'],
  subscriptions: ['subscriptions', 'accounts', 'sessions'],
  orders: ['subscriptions'],
  trials: ['subscriptions'],
  billing_steps: ['subscriptions'],
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

/** The room a file belongs to: `app/ui`, `app/routes`, `contract`, `host/codes`, or the program's own top. */
function roomOf(path: string): string {
  const [top = '', folder, ...rest] = path.split('/');
  if (top === 'contract' || top === 'processes') return top;
  return rest.length > 0 ? `${top}/${folder}` : top;
}

function mayImport(from: string, to: string): boolean {
  const [here, there] = [roomOf(from), roomOf(to)];
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

/** Resources by the tables they touch: imported by name, or named in SQL written by hand. */
function tablesTouched(sources: Source[]): Record<string, string[]> {
  const declared = sources
    .filter(({ path }) => path.endsWith('.tables.ts'))
    .flatMap(({ text }) => [...text.matchAll(/export const (\w+) = pgTable\(\s*'(\w+)'/g)])
    .map(([, name = '', table = '']) => ({ name, table, rooms: new Set<string>() }));
  for (const { path, text } of sources) {
    const [, room] = /^host\/(\w+)\//.exec(path) ?? [];
    if (!room || room === 'db') continue;
    const program = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    const imported = [...program.matchAll(/import \{([^}]*)\} from '#host\/db\/\w+\.tables'/g)]
      .map(([, names]) => names)
      .join();
    for (const { name, table, rooms } of declared) {
      const inSql = new RegExp(`\\b(?:from|join|into|update|using|table)\\s+(?:only\\s+)?"?${table}\\b`);
      if (new RegExp(`\\b${name}\\b`).test(imported) || inSql.test(program)) rooms.add(room);
    }
  }
  return Object.fromEntries(declared.map(({ table, rooms }) => [table, [...rooms].sort()]));
}

const valueImports = (source: Source) => source.imports.filter(({ typeOnly }) => !typeOnly);

test('files import only what their room may import', () => {
  const wrong = sources.flatMap((source) =>
    valueImports(source)
      .filter(({ path }) => !mayImport(source.path, path))
      .map(({ path }) => `${source.path} → ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('what browsers load of the contract imports nothing else', () => {
  for (const path of BROWSER_CONTRACT) {
    const specifiers = [...readFileSync(path, 'utf8').matchAll(/\bfrom '([^']+)'/g)].map(
      ([, name]) => name ?? '',
    );
    expect(specifiers.filter((name) => !BROWSER_CONTRACT.includes(`contract/${name.slice(2)}.ts`))).toEqual(
      [],
    );
  }
});

test('a route of the host holds no SQL', () => {
  const routes = sources.filter(({ path }) => /^host\/.*\.routes\.ts$/.test(path));
  const wrong = routes.filter(
    ({ imports, text }) => imports.some(({ path }) => path.endsWith('.tables.ts')) || /\bsql`/.test(text),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('a resource of the host touches tables of its own, and of others those that are listed here', () => {
  const touched = tablesTouched(sources);
  const listed = Object.entries(TABLES).map(([table, rooms]) => [table, [...rooms].sort()]);
  expect(touched).toEqual(Object.fromEntries(listed));
});

test('nothing that draws or decodes pictures is loaded by a program that answers', () => {
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

test('bodies are read within limits, in one place', () => {
  const reading =
    /\breq\.(?:text|json|formData|parseBody|arrayBuffer|blob)\(|\breq\.raw\.(?:body|text|json|formData|arrayBuffer|blob)\b/;
  const readers = sources.filter(({ path, text }) => path.startsWith('host/') && reading.test(text));
  expect(readers.map(({ path }) => path)).toEqual(['host/http/request-body.ts']);
});

test('there is no import cycle', () => {
  const graph = new Map(sources.map((source) => [source.path, valueImports(source).map(({ path }) => path)]));
  const cycles: string[] = [];
  const done = new Set<string>();
  function walk(path: string, trail: string[]): void {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  }
  for (const path of graph.keys()) walk(path, []);
  expect(cycles).toEqual([]);
});

test('no file or folder has a name that says nothing', () => {
  const wrong = listFiles()
    .filter(
      (file) =>
        /^(app|contract|host|processes|tests|e2e|bench)\//.test(file) && !file.startsWith('app/routes/'),
    )
    .filter((file) => file.split('/').some((part) => BANNED.test(part.replace(/\..*$/, ''))))
    .filter((file) => !file.startsWith('locales/'));
  expect(wrong).toEqual([]);
});

test('files stay small enough to be read at once', () => {
  const others = listFiles()
    .filter(
      (path) => /^(app|contract|host|processes|e2e|bench)\/.*\.(css|mjs)$/.test(path) && existsSync(path),
    )
    .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }));
  expect(others.length).toBeGreaterThan(0);
  const long = [...sources, ...others].filter(({ lines }) => lines > 300);
  expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
});

test('a route exports what Remix reads and nothing else, in one order', () => {
  const routes = sources.filter(({ path }) => path.startsWith('app/routes/'));
  const wrong = routes.flatMap(({ path, exports }) => {
    const order = exports.map((name) => ROUTE_ORDER.indexOf(name));
    const isSorted = order.every((place, i) => place >= 0 && place > (order[i - 1] ?? -1));
    return isSorted ? [] : [`${path}: ${exports.join(', ')}`];
  });
  expect(wrong).toEqual([]);
});

test('every page keeps what is typed where an action fails, and is not loaded anew for it', () => {
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

test('what posts is a form that says why no answer came', () => {
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
  const readers = sources.filter(({ text }) => /process\.env/.test(text)).map(({ path }) => path);
  expect(readers.sort()).toEqual(['app/http/env.server.ts', 'host/env.ts']);
});

test('.env.example lists every setting of both programs, and no other', () => {
  const listed = [...readFileSync('.env.example', 'utf8').matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map(
    ([, name]) => name,
  );
  const known = new Set([...Object.keys(HostSettings.shape), ...Object.keys(WebSettings.shape), 'PORT']);
  expect([...new Set(listed)].sort()).toEqual([...known].sort());
});

test('every path the README names exists', () => {
  const readme = readFileSync('README.md', 'utf8');
  const named = [
    ...readme.matchAll(
      /`((?:app|contract|docs|host|locales|processes|public|tests|e2e|bench|\.ci)\/[\w./$-]*)`/g,
    ),
  ];
  expect(named.map(([, path]) => path ?? '').filter((path) => !existsSync(path))).toEqual([]);
});

test('no rule and no test is switched off', () => {
  const files = listFiles().filter((file) =>
    /^(app|contract|host|processes|tests|e2e|bench)\/.*\.(tsx?|mjs)$/.test(file),
  );
  const off =
    /@ts-(?:ignore|nocheck|expect-error)|biome-ignore|disableRules|waitForTimeout|\b(?:test|it|describe)\.(?:skip|only|todo|fixme)\b/;
  // This file has to name what it looks for.
  const wrong = files.filter(
    (file) => file !== 'tests/architecture.test.ts' && off.test(readFileSync(file, 'utf8')),
  );
  expect(wrong).toEqual([]);
});
