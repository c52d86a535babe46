import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HostSettings } from '#host/env';
import { GatewaySettings } from '#runtime/gateway/open-gateway';
import { WebSettings } from '~/http/env-schema.server';
import {
  disablesChecks,
  importCycles,
  readsEnvironment,
  shortSingleUseModules,
  unusedExports,
} from './support/code-rules';
import { listFiles, ROUTE_FILES, readSources, type Source } from './support/sources';

const sources = readSources();
const others = readSources(['bench', 'e2e', 'tests']);
const BANNED =
  /^(utils?|helpers?|misc|common|lib|shared|core|base|services?|managers?|types|constants|index)$/;
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

/** Exceptions to the rules below. These lists may shrink but never grow. */
const SHORT_MODULES = [
  // The entry point of a process.
  'app/codes/pictures/drawing-process.server.ts',
  'host/codes/logos/size.ts',
];

const EXPORTED_FOR_TESTS = [
  'host/accounts/store.ts: grantAccess',
  'host/codes/code/create.ts: insertCode',
  'host/mail/texts.ts: TEMPLATES',
];

test('no file or folder has a meaningless name', () => {
  const wrong = listFiles()
    .filter((file) => /^(app|contract|host|runtime|tests|e2e|bench)\//.test(file))
    .filter((file) => file.split('/').some((part) => BANNED.test(part.replace(/\..*$/, ''))))
    .filter((file) => !file.startsWith('locales/'));
  expect(wrong).toEqual([]);
});

test('files have at most 400 lines', () => {
  const others = listFiles()
    .filter((path) => /^(app|contract|host|runtime|tests|e2e|bench)\/.*\.(css|mjs|tsx?)$/.test(path))
    .filter((path) => existsSync(path) && !sources.some((source) => source.path === path))
    .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }));
  expect(others.length).toBeGreaterThan(0);
  const long = [...sources, ...others].filter(({ lines }) => lines > 400);
  expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
});

test('a route exports only what Remix reads, in a fixed order', () => {
  const routes = sources.filter(({ path }) => ROUTE_FILES.includes(path));
  const wrong = routes.flatMap(({ path, exports }) => {
    const order = exports.map((name) => ROUTE_ORDER.indexOf(name));
    const isSorted = order.every((place, i) => place >= 0 && place > (order[i - 1] ?? -1));
    return isSorted ? [] : [`${path}: ${exports.join(', ')}`];
  });
  expect(wrong).toEqual([]);
});

test('every page keeps its input when an action fails, without revalidating', () => {
  const pages = sources.filter(
    ({ path, exports }) => ROUTE_FILES.includes(path) && exports.includes('default'),
  );
  const wrong = pages.filter(
    ({ exports }) =>
      !exports.includes('shouldRevalidate') ||
      exports.includes('action') !== exports.includes('clientAction'),
  );
  expect(pages.length).toBeGreaterThan(0);
  expect(wrong.map(({ path }) => path)).toEqual(['app/site/not-found-page.tsx']);
});

test('every form that posts can report a lost response', () => {
  const wrong = sources.filter(
    ({ path, text }) => path !== 'app/ui/form.tsx' && /<Form\s+method="post"/.test(text),
  );
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

test('request bodies are read in one place, with limits', () => {
  const reading =
    /\breq\.(?:text|json|formData|parseBody|arrayBuffer|blob)\(|\breq\.raw\.(?:body|text|json|formData|arrayBuffer|blob)\b/;
  const readers = sources.filter(({ path, text }) => path.startsWith('host/') && reading.test(text));
  expect(readers.map(({ path }) => path)).toEqual(['host/http/request-body.ts']);
});

test('only the two env files read the environment', () => {
  const readers = sources.filter(({ text }) => readsEnvironment(text)).map(({ path }) => path);
  expect(readers.sort()).toEqual(['app/http/env.server.ts', 'host/env.ts']);
});

test('only one file of the server uses the signal of a Remix request, which garbage collections break', () => {
  const listening = sources
    .filter(({ path }) => path.startsWith('app/') && !path.startsWith('app/ui/'))
    .filter(({ text }) => /\brequest\??\.signal\b|\bsignal\b[^=;]*\}\s*=\s*(?:\w+\.)*request\b/.test(text))
    .map(({ path }) => path);
  expect(listening).toEqual(['app/http/pass-body.server.ts']);
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

test('.env.example lists exactly the settings of both programs and the gateway', () => {
  const listed = [...readFileSync('.env.example', 'utf8').matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map(
    ([, name]) => name,
  );
  const { EMBEDDED_DATABASE_URL: _setByTheLauncher, ...hostSettings } = HostSettings.shape;
  const known = new Set([
    ...Object.keys(hostSettings),
    ...Object.keys(WebSettings.shape),
    ...Object.keys(GatewaySettings.shape),
    // Of the launcher.
    'WEBSITE_PORT',
  ]);
  expect([...new Set(listed)].sort()).toEqual([...known].sort());
});

test('no lint rule and no test is disabled', () => {
  const files = listFiles().filter((file) =>
    /^(app|contract|host|runtime|tests|e2e|bench)\/.*\.(tsx?|mjs)$/.test(file),
  );
  // These two files contain the patterns that they search for.
  const wrong = files.filter(
    (file) =>
      !['tests/conventions.test.ts', 'tests/support/code-rules.ts'].includes(file) &&
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

test('there are no import cycles, not even of types', () => {
  expect(importCycles([...sources, ...others])).toEqual([]);
});

test('a module with one importer has at least 25 lines', () => {
  expect(shortSingleUseModules(sources).sort()).toEqual(SHORT_MODULES);
});

test('nothing is exported only for tests', () => {
  const scripts = listFiles()
    .filter((path) => path.startsWith('runtime/') && path.endsWith('.mjs'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8'), lines: 0, imports: [], exports: [] }));
  const isRead = (path: string) =>
    ROUTE_FILES.includes(path) || /^app\/(?:root|routes|entry\.\w+)\.tsx?$|\.tables\.ts$/.test(path);
  const own = sources.map((source) => (isRead(source.path) ? { ...source, exports: [] } : source));
  expect(unusedExports([...own, ...scripts]).sort()).toEqual(EXPORTED_FOR_TESTS);
});

test('servers fetch through the module that observes a signal until the end of the body', () => {
  const callers = sources
    .filter(({ path }) => /^(host|runtime)\/|\.server\.tsx?$/.test(path))
    .filter(({ text }) => /\b(?:await|return) fetch\(/.test(text) && !/[{,]\s*fetch\s*[,}]/.test(text))
    .map(({ path }) => path);
  expect(callers.sort()).toEqual(['app/http/host.server.ts', 'runtime/fetch-whole.ts']);
});

test('keys of forms are made by newFormKey, so that no page with one is shared', () => {
  const makers = sources
    .filter(({ path, text }) => path.startsWith('app/') && text.includes('randomUUID('))
    .map(({ path }) => path);
  expect(makers.sort()).toEqual(['app/http/flash.server.ts', 'app/http/scope.server.ts']);
});

test('no signal is combined of others, which Node.js 20 forgets after a garbage collection', () => {
  expect(sources.filter(({ text }) => text.includes('AbortSignal.any(')).map(({ path }) => path)).toEqual([]);
});

test('no address is checked by URL.canParse, which Node.js 20 breaks for names such as bücher.example', () => {
  const callers = sources.filter(
    ({ path, text }) => /^(?:contract|host)\//.test(path) && /URL\.canParse\(/.test(text),
  );
  expect(callers.map(({ path }) => path)).toEqual([]);
});

test('cycles, short single-use modules and unused exports are detected', () => {
  const file = (path: string, to: string[], text = '', lines = 10): Source => ({
    path,
    text,
    lines,
    exports: [...text.matchAll(/export const (\w+)/g)].map(([, name = '']) => name),
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
  const dead = file(
    'app/ui/a.ts',
    [],
    'export const used = 1; export const own = used; export const dead = own;',
  );
  expect(unusedExports([dead, file('app/ui/b.ts', [], 'dead_end')])).toEqual(['app/ui/a.ts: dead']);
  expect(unusedExports([dead, file('app/ui/b.ts', [], 'f(dead)')])).toEqual([]);
});

test('no selector ends in a universal one after :has(), which would style whole forms anew at each change', () => {
  const endings = /:has\((?:[^(){]|\([^(){]*\))*\)+[^{,()]*[\s>](?:\*|:not\([^{]*\))\s*[,{]/;
  expect(endings.test('.form:has(> .field + .parts) > * {')).toBe(true);
  expect(endings.test('.form:has(.a) :not(.b, .c) {')).toBe(true);
  expect(endings.test('.form:not(:has(.a, :not(.b))) *, .c {')).toBe(true);
  expect(endings.test('.form:has(.a) > .b {')).toBe(false);
  for (const path of listFiles().filter((path) => path.endsWith('.css')))
    expect(readFileSync(path, 'utf8').match(endings)?.[0] ?? null, path).toBeNull();
});

test('nothing imports a route', () => {
  const wrong = sources.flatMap((source) =>
    source.imports
      .filter(({ path }) => ROUTE_FILES.includes(path))
      .map(({ path }) => `${source.path} → ${path}`),
  );
  expect(wrong).toEqual([]);
});

/** Files by which a page differs before its scripts have run, and the journeys that have a `@late` test of it. */
const DEPENDENT: Record<string, string[]> = {
  'app/account/sign-in/page.tsx': ['account-passkeys', 'captcha', 'session'],
  // A legal text has no form; axe reads it before its scripts have run.
  'app/styles/legal.css': [],
  'app/styles/list-page.css': ['bulk-actions'],
  'app/styles/paper.css': ['account-unsent', 'codes'],
  'app/styles/selection-bar.css': ['bulk-actions'],
  'app/styles/settings.css': ['account-keys'],
  'app/ui/page-head.tsx': ['bulk-actions', 'paying'],
};

/** Journeys through forms that scripts take over, by code of their own. */
const TAKEN_OVER = ['consent', 'design', 'no-response', 'refused-forms', 'unfinished'];

test('a page differs before its scripts have run only where late journeys go', () => {
  const dependent = listFiles()
    .filter((path) => /^app\/.*\.(?:css|tsx)$/.test(path))
    .filter((path) => /<noscript|\(scripting:|data-ready/.test(readFileSync(path, 'utf8')));
  expect(dependent).toEqual(Object.keys(DEPENDENT));
  const late = others
    .filter(({ text }) => text.includes("'@late'"))
    .flatMap(({ path }) => /^e2e\/journeys\/(.+)\.spec\.ts$/.exec(path)?.[1] ?? []);
  const expected = new Set([...Object.values(DEPENDENT).flat(), ...TAKEN_OVER]);
  expect(late.sort()).toEqual([...expected].sort());
});

test('every tag of a journey is one that a project selects by', () => {
  const config = readFileSync('playwright.config.ts', 'utf8');
  const tags = new Set(
    others
      .filter(({ path }) => path.startsWith('e2e/journeys/'))
      .flatMap(({ text }) => [...text.matchAll(/'(@[\w-]+)'/g)].map(([, tag = '']) => tag)),
  );
  expect(tags.size).toBeGreaterThan(0);
  expect([...tags].filter((tag) => !new RegExp(`grep(?:Invert)?: /${tag}/`).test(config))).toEqual([]);
});

test('packages of production whose licences have conditions beyond a notice are listed', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; license?: string }>;
  };
  const permissive =
    /^(?:0BSD|Apache-2\.0|BlueOak-1\.0\.0|BSD-[23]-Clause|CC0-1\.0|ISC|MIT|MIT-0|Unlicense)$/;
  const others = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .filter(
      ([, { license = 'unknown' }]) =>
        !license.split(/[\s()]+|AND|OR/).every((one) => !one || permissive.test(one)),
    )
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  const rows =
    readFileSync('docs/licences.md', 'utf8')
      .match(/^\| `.*$/gm)
      ?.join('\n') ?? '';
  const listed = [...rows.matchAll(/`([^`]+)`/g)].map(
    ([, name = '']) => new RegExp(`^${name.replaceAll('*', '.*')}$`),
  );
  expect(others.length).toBeGreaterThan(2);
  expect(others.filter((name) => !listed.some((form) => form.test(name)))).toEqual([]);
});
