import { readdirSync, readFileSync } from 'node:fs';
import { vitePlugin as remix } from '@remix-run/dev';
import tailwindcss from '@tailwindcss/vite';
import type { Plugin, Rollup } from 'vite';
import { defineConfig } from 'vitest/config';
import remixConfig from './remix.config.js';

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true;
  }
}

type GetModuleInfo = Rollup.GetModuleInfo;

const unit = ['tests/**/*.test.{ts,tsx}'];
const host = ['tests/host/**/*.test.ts', 'tests/runtime/gateway/**/*.test.ts'];
/** Files that reload or mock modules, or load them with settings of their own: no other file may share what they load. */
const isolated = readdirSync('tests', { recursive: true, encoding: 'utf8' })
  .map((file) => `tests/${file}`)
  .filter((file) => /\.test\.tsx?$/.test(file) && !/^tests\/(?:host|runtime\/gateway)\//.test(file))
  .filter((file) => /\bvi\.(?:resetModules|mock|hoisted|stubEnv)\(/.test(readFileSync(file, 'utf8')))
  // The website guards every server of its process.
  .concat('tests/runtime/server-guard.test.ts', 'tests/runtime/client-limits.test.ts');
const globalSetup = ['tests/support/test-run.ts'];
const patience = { testTimeout: 60_000, hookTimeout: 60_000 };
const architecture = [
  'tests/architecture.test.ts',
  'tests/conventions.test.ts',
  'tests/documentation.test.ts',
  'tests/barriers.test.ts',
  'tests/locales.test.ts',
];

const ENTRY = '/app/entry.client.tsx';
const HOME = [ENTRY, '/app/root.tsx', '/app/site/home-page.tsx'];
/** What home has in common with other pages. */
const COMMON = /\/app\/(?:ui|i18n|http|codes)\/|\/app\/site\/consent\//;

/**
 * Few files for the browser: packages and parts of pages that the home page starts with come in two, the second of
 * which begins the program as well; what other pages need besides is left to the bundler.
 */
function chunkOf(id: string, { getModuleInfo }: { getModuleInfo: GetModuleInfo }): string | undefined {
  if (id.startsWith('\0')) return 'vendor';
  if (!isOnHome(id, getModuleInfo)) return id.includes('/app/ui/') ? 'parts' : undefined;
  if (id.includes('/node_modules/')) return 'vendor';
  return COMMON.test(id) || id.endsWith(ENTRY) ? 'ui' : undefined;
}

function isOnHome(id: string, getModuleInfo: GetModuleInfo, seen = new Set<string>()): boolean {
  if (HOME.some((file) => id.endsWith(file))) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return getModuleInfo(id)?.importers.some((importer) => isOnHome(importer, getModuleInfo, seen)) ?? false;
}

/** Browsers load what pages use of these libraries, without the libraries. */
const browserI18n: Plugin = {
  name: 'browser-i18n',
  enforce: 'pre',
  resolveId(source, _importer, { ssr }) {
    if (ssr || !/^(?:react-)?i18next$/.test(source)) return null;
    return new URL('./app/i18n/browser-i18n.tsx', import.meta.url).pathname;
  },
};

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), !process.env.VITEST && [browserI18n, remix(remixConfig)]],
  // Vite would copy public/ beside the hashed assets and remix-serve would call it immutable for a year.
  build: {
    copyPublicDir: false,
    // A percent or two smaller than what Vite uses by itself.
    ...(!isSsrBuild && { minify: 'terser' as const, rollupOptions: { output: { manualChunks: chunkOf } } }),
  },
  resolve: { alias: { '~': new URL('./app', import.meta.url).pathname } },
  test: {
    // One process waits for its database as often as it computes.
    maxWorkers: '100%',
    // What is waited for comes later on a busy machine, and no test passes by waiting.
    expect: { poll: { timeout: 15_000 } },
    setupFiles: ['tests/support/each-file.ts'],
    env: { INTERNAL_SECRET: 'a secret between the programs of the tests' },
    projects: [
      { extends: true, test: { name: 'architecture', include: architecture } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: [...architecture, ...host, ...isolated],
          isolate: false,
          env: { PUBLIC_URL: 'http://localhost', LOG_LEVEL: 'silent' },
          globalSetup,
          setupFiles: ['tests/support/host-address.ts'],
          ...patience,
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: isolated, globalSetup, ...patience },
      },
      {
        extends: true,
        test: {
          name: 'host',
          include: host,
          // What a process has loaded, and its databases, serve one file after the other.
          isolate: false,
          globalSetup,
          ...patience,
        },
      },
      {
        extends: true,
        test: {
          name: 'fuzz',
          include: ['tests/fuzz/*.fuzz.ts'],
          globalSetup,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
}));
