import { defineConfig } from '@playwright/test';
import type { Mode } from './e2e/support/fixtures';

const WEB_PORT = Number(process.env.E2E_PORT ?? 3200);
const baseURL = `http://localhost:${WEB_PORT}`;

const chromium = {
  baseURL,
  // A test with a long time limit that waits for something missing fails early.
  actionTimeout: 30_000,
  locale: 'en-GB',
  // A tab that is used again needs no new process: three pages take 1.4 s of processor time instead of 2.4.
  reuseContext: true,
  launchOptions: {
    ...(process.env.CHROMIUM_PATH && { executablePath: process.env.CHROMIUM_PATH }),
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A page of a context then needs no process of its own, which costs a tenth of all processor time.
      '--renderer-process-limit=1',
    ],
  },
};

export default defineConfig<{ mode: Mode }>({
  testDir: 'e2e',
  outputDir: 'test-results',
  fullyParallel: true,
  // Two would leave the second processor idle while a page waits for the server.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  // Each journey runs with scripts and without, and those whose pages or forms differ once scripts run also with scripts
  // that arrive only after the form was posted: tests with the tag `@late` (`tests/conventions.test.ts`). What is the same
  // in all modes runs in one: `@once` with scripts, `@plain` without.
  projects: [
    { name: 'js', grepInvert: /@plain/, use: { ...chromium, mode: 'js' } },
    {
      name: 'no-js',
      testDir: 'e2e/journeys',
      grepInvert: /@once/,
      use: { ...chromium, javaScriptEnabled: false, mode: 'no-js' },
    },
    {
      name: 'slow',
      testDir: 'e2e/journeys',
      grep: /@late/,
      use: { ...chromium, mode: 'slow' },
    },
  ],
  webServer: {
    command: 'npx tsx e2e/support/serve.ts',
    url: `${baseURL}/healthz`,
    env: { E2E_PORT: String(WEB_PORT) },
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: 60_000,
  },
});
