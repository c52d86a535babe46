import { defineConfig } from '@playwright/test';
import type { Mode } from './e2e/support/fixtures';

const WEB_PORT = Number(process.env.E2E_PORT ?? 3200);
const baseURL = `http://localhost:${WEB_PORT}`;

const chromium = {
  baseURL,
  // A test with a long time limit that waits for something missing fails early.
  actionTimeout: 30_000,
  locale: 'en-GB',
  launchOptions: {
    ...(process.env.CHROMIUM_PATH && { executablePath: process.env.CHROMIUM_PATH }),
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  },
};

// Journeys that read, ask for another view, or post only what others post as well: nothing in them depends on whether
// scripts arrive before or after that.
const READING = ['analytics', 'code-list', 'compare', 'landing', 'time-zone', 'year'];

export default defineConfig<{ mode: Mode }>({
  testDir: 'e2e',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  // Each journey runs with scripts, without, and, if it posts, with scripts that arrive only after the form was posted.
  projects: [
    { name: 'js', use: { ...chromium, mode: 'js' } },
    { name: 'no-js', testDir: 'e2e/journeys', use: { ...chromium, javaScriptEnabled: false, mode: 'no-js' } },
    {
      name: 'slow',
      testDir: 'e2e/journeys',
      testIgnore: READING.map((journey) => `**/${journey}.spec.ts`),
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
