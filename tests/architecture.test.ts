import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { HostSettings } from '#host/env';
import { WebSettings } from '~/http/env-schema.server';
import { listFiles, readSources, type Source } from './support/sources';

const sources = readSources();
const AREAS = ['codes', 'account', 'billing', 'statistics', 'site'];
const BANNED =
  /^(utils?|helpers?|misc|common|lib|shared|core|base|services?|managers?|types|constants|index)$/;
const ROUTE_ORDER = [
  'handle',
  'meta',
  'links',
  'headers',
  'shouldRevalidate',
  'loader',
  'action',
  'default',
  'ErrorBoundary',
];

/** The room a file belongs to: `app/ui`, `app/routes`, `contract`, `host/codes`, or the program's own top. */
function roomOf(path: string): string {
  const [top = '', folder, ...rest] = path.split('/');
  if (top === 'contract') return top;
  return rest.length > 0 ? `${top}/${folder}` : top;
}

function mayImport(from: string, to: string): boolean {
  const [here, there] = [roomOf(from), roomOf(to)];
  if (here === there) return true;
  if (here === 'contract') return false;
  if (here.startsWith('host')) return mayHostImport(here, there);
  if (there.startsWith('host') || there === 'app/routes') return false;
  const area = AREAS.find((name) => here === `app/${name}`);
  if (here === 'app' || here === 'app/routes') return true;
  if (area) {
    if (there === 'app/ui' || there === 'app/i18n') return true;
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

const valueImports = (source: Source) => source.imports.filter(({ typeOnly }) => !typeOnly);

test('files import only what their room may import', () => {
  const wrong = sources.flatMap((source) =>
    valueImports(source)
      .filter(({ path }) => !mayImport(source.path, path))
      .map(({ path }) => `${source.path} → ${path}`),
  );
  expect(wrong).toEqual([]);
});

test('a resource of the host never reads the tables of another through its store', () => {
  const wrong = sources.flatMap((source) =>
    source.imports
      .filter(({ path }) => /\.routes\.ts$/.test(source.path) && /\.tables\.ts$/.test(path))
      .map(({ path }) => `${source.path} → ${path}`),
  );
  expect(wrong).toEqual([]);
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
    .filter((file) => /^(app|contract|host|tests|e2e|bench)\//.test(file) && !file.startsWith('app/routes/'))
    .filter((file) => file.split('/').some((part) => BANNED.test(part.replace(/\..*$/, ''))))
    .filter((file) => !file.startsWith('locales/'));
  expect(wrong).toEqual([]);
});

test('files stay small enough to be read at once', () => {
  const limitOf = ({ path }: Source) => (path.startsWith('app/routes/') ? 250 : 200);
  expect(
    sources.filter((source) => source.lines > limitOf(source)).map(({ path, lines }) => `${path}: ${lines}`),
  ).toEqual([]);
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
    ...readme.matchAll(/`((?:app|contract|host|locales|public|tests|e2e|bench|\.ci)\/[\w./$-]*)`/g),
  ];
  expect(named.map(([, path]) => path ?? '').filter((path) => !existsSync(path))).toEqual([]);
});

test('no rule and no test is switched off', () => {
  const files = listFiles().filter((file) =>
    /^(app|contract|host|tests|e2e|bench)\/.*\.(tsx?|mjs)$/.test(file),
  );
  const off =
    /@ts-(?:ignore|nocheck|expect-error)|biome-ignore|disableRules|waitForTimeout|\b(?:test|it|describe)\.(?:skip|only|todo|fixme)\b/;
  // This file has to name what it looks for.
  const wrong = files.filter(
    (file) => file !== 'tests/architecture.test.ts' && off.test(readFileSync(file, 'utf8')),
  );
  expect(wrong).toEqual([]);
});
