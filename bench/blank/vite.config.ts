import { vitePlugin as remix } from '@remix-run/dev';
import { defineConfig } from 'vite';
import remixConfig from '../../remix.config.js';

/** The baseline: a minimal page built with the website's versions and flags. */
export default defineConfig({
  plugins: [remix({ ...remixConfig, appDirectory: 'bench/blank', buildDirectory: 'build/bench-blank' })],
  build: { copyPublicDir: false },
});
