import { vitePlugin as remix } from '@remix-run/dev';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vitest/config';
import remixConfig from './remix.config.js';

declare module '@remix-run/node' {
  interface Future {
    v3_singleFetch: true;
  }
}

const unit = ['tests/**/*.test.{ts,tsx}'];
const architecture = ['tests/architecture.test.ts', 'tests/locales.test.ts'];

/** Few files for the browser: what every page needs in two, the form library apart, because the home page has none of it. */
function chunkOf(id: string): string | undefined {
  if (id.includes('/node_modules/@conform-to/') || id.endsWith('/app/ui/schema-form.ts')) return 'form';
  if (id.includes('/node_modules/qrcode/')) return undefined;
  if (id.includes('/node_modules/') || id.startsWith('\0')) return 'vendor';
  return /\/app\/(?:ui|i18n)\//.test(id) ? 'ui' : undefined;
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [tailwindcss(), !process.env.VITEST && remix(remixConfig)],
  // Vite would copy public/ beside the hashed assets and remix-serve would call it immutable for a year.
  build: {
    copyPublicDir: false,
    ...(!isSsrBuild && { rollupOptions: { output: { manualChunks: chunkOf } } }),
  },
  resolve: { alias: { '~': new URL('./app', import.meta.url).pathname } },
  test: {
    setupFiles: ['tests/support/no-console-errors.ts'],
    projects: [
      { extends: true, test: { name: 'architecture', include: architecture } },
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: architecture,
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
}));
