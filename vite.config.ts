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

export default defineConfig({
  plugins: [tailwindcss(), !process.env.VITEST && remix(remixConfig)],
  // Vite would copy public/ beside the hashed assets and remix-serve would call it immutable for a year.
  build: { copyPublicDir: false },
  resolve: { alias: { '~': new URL('./app', import.meta.url).pathname } },
  test: {
    setupFiles: ['tests/support/no-console-errors.ts'],
    projects: [
      { extends: true, test: { name: 'architecture', include: architecture } },
      {
        extends: true,
        test: { name: 'unit', include: unit, exclude: architecture, testTimeout: 20_000, hookTimeout: 30_000 },
      },
    ],
  },
});
