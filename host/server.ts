import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { createApp } from '#host/app';
import { dropExpiredDrafts } from '#host/codes/drafts.store';
import { openEmbedded, openServer } from '#host/db/client';
import { type HostEnv, readEnv } from '#host/env';
import { startBackgroundWork } from '#host/http/background';
import type { Deps } from '#host/http/deps';
import { createLog } from '#host/http/log';
import { createVisitRecorder } from '#host/visits/recorder';

const SHUTDOWN_MS = 9_000;

await startHost(readEnv());

async function startHost(env: HostEnv): Promise<void> {
  const log = createLog('host', env.LOG_LEVEL);
  const db = await openDatabase(env, (error) => log.warn({ err: error }, 'database connection lost'));
  await db.migrate();
  const deps: Deps = {
    db,
    log,
    clock: { now: () => new Date() },
    random: (bytes) => randomBytes(bytes),
    settings: {
      appName: env.APP_NAME,
      contactEmail: env.CONTACT_EMAIL,
      publicUrl: env.PUBLIC_URL,
      shortUrl: env.SHORT_URL,
      jwtSecrets: env.JWT_SECRET,
      trustProxy: env.TRUST_PROXY,
    },
  };
  const recorder = createVisitRecorder(deps);
  const stopWork = startBackgroundWork(deps, [
    { name: 'drafts', everyMs: 60 * 60_000, run: (now) => dropExpiredDrafts(db.orm, now) },
  ]);
  const app = createApp(deps, recorder);
  const server = serve({ fetch: app.fetch, port: env.HOST_PORT, hostname: env.HOST_ADDRESS }, ({ port }) =>
    log.info({ port, database: db.engine }, 'host listens'),
  );

  async function stop(): Promise<void> {
    log.info('host stops');
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    await new Promise((closed) => server.close(closed));
    await stopWork();
    await recorder.close();
    await db.close();
    process.exit(0);
  }
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function openDatabase(env: HostEnv, onError: (error: Error) => void) {
  if (env.DATABASE_URL) return openServer(env.DATABASE_URL, onError);
  const folder = join(env.DATA_DIR, 'database');
  mkdirSync(folder, { recursive: true });
  return openEmbedded(folder);
}
