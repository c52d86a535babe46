import { vitePlugin as remix } from '@remix-run/dev';
import { defineConfig } from 'vite';
import remixConfig from '../../remix.config.js';

/** The yardstick: a page that says hello, with the versions and the flags of the website. */
export default defineConfig({
  plugins: [remix({ ...remixConfig, appDirectory: 'bench/blank', buildDirectory: 'build/bench-blank' })],
  build: { copyPublicDir: false },
});
