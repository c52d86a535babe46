import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import pino from 'pino';
import { withDatabaseUrl } from '#host/command-database';
import { createDeps } from '#host/create-deps';
import { type Database, openServer } from '#host/db/client';
import { createServerClock } from '#host/db/database-clock';
import { type HostEnv, readEnv } from '#host/env';
import { runCommandLine } from '#host/operator/command-line';
import { type CommandRequest, runCommand } from '#host/operator/run-command';
import { createSandboxClock } from './payment-sandbox/clock';

// `npm run operator -- COMMAND …`; see docs/production/README.md.

if (existsSync('.env')) process.loadEnvFile('.env');
process.exitCode = await runCommandLine(process.argv.slice(2), (request) => perform(request, readEnv()), {
  user: operatorName(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});

/** In a container the user may have no name. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}

async function perform(request: CommandRequest, env: HostEnv): Promise<unknown> {
  return withDatabaseUrl(env, (url) => {
    const reportLostConnection = (error: Error) => process.stderr.write(`${error.message}\n`);
    const directUrl = env.DATABASE_URL && env.DATABASE_DIRECT_URL;
    const server = openServer(url, reportLostConnection, { directUrl, connections: 2, scanConnections: 1 });
    return runOn(server, request, env);
  });
}

async function runOn(db: Database, request: CommandRequest, env: HostEnv): Promise<unknown> {
  try {
    const databaseClock = createServerClock();
    await databaseClock.synchronize(db.orm);
    const sandboxClock = env.PAYMENTS === 'sandbox' ? createSandboxClock(databaseClock) : null;
    await sandboxClock?.restore(db.orm);
    const log = pino({ level: 'warn' }, pino.destination(2));
    const random = (bytes: number) => randomBytes(bytes);
    const deps = await createDeps({ db, log, clock: sandboxClock ?? databaseClock, random }, env);
    return await runCommand(deps, request);
  } finally {
    await db.close();
  }
}
