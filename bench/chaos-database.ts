import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openServer } from '#host/db/client';
import { EmbeddedPostgres, PostgresUnavailable } from '../runtime/postgres/postgres.mjs';

/** An empty database for hosts, on a server of its own that can be killed. */
export interface ChaosDatabase {
  env: Record<string, string>;
  open(): Promise<Database>;
  kill(): void;
  start(): Promise<void>;
  clear(): Promise<void>;
}

const RETRY_MS = 50;

/** With the settings of `npm start`: what is committed is on disk. */
export async function createChaosDatabase(): Promise<ChaosDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  const server = await EmbeddedPostgres.prepare(folder);
  await server.start();
  return {
    env: { EMBEDDED_DATABASE_URL: server.url, DATA_DIR: folder },
    open: async () => openServer(server.url, () => undefined),
    kill: () => void process.kill(server.pid, 'SIGKILL'),
    start: () => startAgain(server),
    clear: async () => {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Refused while processes of the killed server still use its memory. */
async function startAgain(server: EmbeddedPostgres): Promise<void> {
  try {
    await server.start();
  } catch (error) {
    if (!(error instanceof PostgresUnavailable)) throw error;
    await delay(RETRY_MS);
    return startAgain(server);
  }
}
