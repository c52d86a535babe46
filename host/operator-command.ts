import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pino from 'pino';
import { createDeps } from '#host/create-deps';
import { type Database, openEmbedded, openServer } from '#host/db/client';
import { createMachineClock, createServerClock } from '#host/db/database-clock';
import { databaseFolderOf, type HostEnv, OPERATOR_SECRET, readEnv } from '#host/env';
import { CommandError, EXIT } from '#host/operator/command-error';
import { runCommandLine } from '#host/operator/command-line';
import { type CommandRequest, runCommand } from '#host/operator/run-command';
import { createSandboxClock } from '#host/payments/sandbox/clock';
import { ownHostUrl } from './own-address.mjs';

// `npm run operator -- COMMAND …`; see docs/production/README.md.

const RESPONSE_TIMEOUT_MS = 60_000;

if (existsSync('.env')) process.loadEnvFile('.env');
process.exitCode = await runCommandLine(process.argv.slice(2), (request) => perform(request, readEnv()), {
  user: userInfo().username,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});

async function perform(request: CommandRequest, env: HostEnv): Promise<unknown> {
  if (env.DATABASE_URL) {
    const reportLostConnection = (error: Error) => process.stderr.write(`${error.message}\n`);
    const directUrl = env.DATABASE_DIRECT_URL;
    const server = openServer(env.DATABASE_URL, reportLostConnection, {
      directUrl,
      connections: 2,
      scanConnections: 1,
    });
    return runOn(server, request, env);
  }
  const response = await askHost(request, env);
  if (response) return response.result;
  const folder = databaseFolderOf(env);
  if (!existsSync(folder)) throw new Error(`there is no database in ${folder}: set DATA_DIR or DATABASE_URL`);
  return runOn(await openEmbedded(folder), request, env);
}

async function runOn(db: Database, request: CommandRequest, env: HostEnv): Promise<unknown> {
  try {
    const databaseClock = env.DATABASE_URL ? createServerClock() : createMachineClock(() => undefined);
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

/** The response of the running host of DATA_DIR, which has its embedded database open; null if none is running. */
async function askHost(request: CommandRequest, env: HostEnv): Promise<{ result: unknown } | null> {
  const file = join(env.DATA_DIR, OPERATOR_SECRET);
  if (!existsSync(file)) return null;
  const url = `${ownHostUrl(env.HOST_ADDRESS, env.HOST_PORT)}/operator`;
  const response = await post(url, readFileSync(file, 'utf8').trim(), request).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return null;
      throw error;
    },
  );
  // Another program, or a host with another folder.
  if (!response || response.status === 404) return null;
  const outcome = JSON.parse(response.body) as { exit?: number; message?: string; result?: unknown };
  if (outcome.exit === EXIT.done) return { result: outcome.result };
  const exits = Object.values(EXIT);
  throw new CommandError(
    exits.find((exit) => exit === outcome.exit) ?? EXIT.failed,
    outcome.message ?? 'failed',
  );
}

/** Sends `Host: localhost` to any address: `fetch` would send the address, which the host might not accept. */
async function post(
  url: string,
  secret: string,
  content: unknown,
): Promise<{ status: number; body: string }> {
  const headers = {
    Host: 'localhost',
    'Content-Type': 'application/json',
    Authorization: `Bearer ${secret}`,
  };
  const outgoing = httpRequest(url, {
    method: 'POST',
    headers,
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  outgoing.end(JSON.stringify(content));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}
