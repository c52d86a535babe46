import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port';

export interface BuiltWebsite {
  port: number;
  /** Lines that the programs wrote to stderr, newest last. */
  complaints: string[];
  stop(): Promise<void>;
}

/** Starts the built website and its gateway, as `npm start` does, in front of a running host. */
export async function startBuiltWebsite(
  hostUrl: string,
  environment: Record<string, string>,
): Promise<BuiltWebsite> {
  const port = await freePort();
  const launched = spawn(process.execPath, ['host/launch.mjs'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env.PATH, NODE_ENV: 'production', LOG_LEVEL: 'error' },
      ...{ PORT: String(port), PUBLIC_URL: `http://localhost:${port}`, HOST_URL: hostUrl },
      ...{
        SESSION_SECRET: 'a secret of the fuzzed website that is long enough',
        TRUST_PROXY: 'x-forwarded-for',
      },
      ...environment,
    },
  });
  const complaints: string[] = [];
  createInterface(launched.stderr).on('line', (line) => complaints.push(line));
  const exited = once(launched, 'exit');
  const isUp = new Promise<void>((resolve, reject) => {
    createInterface(launched.stdout).on('line', (line) => line.includes('Quadrille is at') && resolve());
    exited.then(() => reject(new Error(`the website ended: ${complaints.slice(-20).join('\n')}`)));
  });
  await isUp;
  return {
    port,
    complaints,
    stop: async () => {
      launched.kill('SIGINT');
      await exited;
    },
  };
}
