import { spawn } from 'node:child_process';
import { expect } from '@playwright/test';
import { freePort } from '../../tests/support/free-port';
import { INTERNAL_SECRET } from '../../tests/support/internal-key';
import { HOST_PORT } from './ports';

/** Starts another instance of the built website with its own settings on the shared host. */
export async function startWebsite(settings: Record<string, string>) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const web = spawn('node', ['node_modules/@remix-run/serve/dist/cli.js', 'build/server/index.js'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      PUBLIC_URL: url,
      HOST_URL: `http://127.0.0.1:${HOST_PORT}`,
      INTERNAL_SECRET,
      SESSION_SECRET: 'a secret of the journeys that is long enough',
      TRUST_PROXY: 'x-forwarded-for',
      LOG_LEVEL: 'warn',
      ...settings,
    },
  });
  await expect
    .poll(
      () =>
        fetch(`${url}/healthz`).then(
          (answer) => answer.ok,
          () => false,
        ),
      { timeout: 30_000 },
    )
    .toBe(true);
  return {
    url,
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => web.once('exit', resolve));
      web.kill('SIGKILL');
      await gone;
    },
  };
}
