import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { createDeps } from '#host/create-deps';
import { type Database, openEmbedded, openServer } from '#host/db/client';
import { createMachineClock, createServerClock } from '#host/db/database-clock';
import { databaseFolderOf, type HostEnv, OPERATOR_SECRET, readEnv } from '#host/env';
import { COMMANDS } from '#host/operator/commands';
import { printed } from '#host/operator/printed';
import { EXIT, OperatorRefusal } from '#host/operator/refusal';
import { type Asked, runCommand } from '#host/operator/run-command';
import { createSandboxClock } from '#host/payments/sandbox/clock';

// `npm run operator -- COMMAND …`; docs/production/README.md says what it is for.

const ANSWER_MS = 60_000;

if (existsSync('.env')) process.loadEnvFile('.env');
process.exitCode = await run();

async function run(): Promise<number> {
  const isJson = process.argv.includes('--json');
  try {
    const asked = readArguments();
    if (asked === null) {
      process.stdout.write(helpText());
      return EXIT.done;
    }
    const result = await perform(asked, readEnv());
    process.stdout.write(isJson ? `${JSON.stringify(result, null, 2)}\n` : printed(result));
    return EXIT.done;
  } catch (error) {
    const exit = error instanceof OperatorRefusal ? error.exit : EXIT.failed;
    const message = error instanceof Error ? error.message : String(error);
    if (isJson) process.stdout.write(`${JSON.stringify({ error: message, exit })}\n`);
    process.stderr.write(`${message}\n`);
    return exit;
  }
}

/** Null where help is asked for. */
function readArguments(): Asked | null {
  const options = {
    reason: { type: 'string', default: '' },
    as: { type: 'string', default: userInfo().username },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  const read = () => {
    try {
      return parseArgs({ options, allowPositionals: true });
    } catch (error) {
      throw new OperatorRefusal(EXIT.usage, (error as Error).message);
    }
  };
  const { values, positionals } = read();
  const [command, subject = '', ...more] = positionals;
  if (values.help || command === undefined || command === 'help') return null;
  if (more.length > 0) throw new OperatorRefusal(EXIT.usage, `${command} takes one thing: put it in quotes`);
  return { command, subject, reason: values.reason, operator: values.as };
}

async function perform(asked: Asked, env: HostEnv): Promise<unknown> {
  if (env.DATABASE_URL) {
    const lost = (error: Error) => process.stderr.write(`${error.message}\n`);
    const directUrl = env.DATABASE_DIRECT_URL;
    const server = openServer(env.DATABASE_URL, lost, { directUrl, connections: 2, scanConnections: 1 });
    return runOn(server, asked, env);
  }
  const answer = await askHost(asked, env);
  if (answer) return answer.result;
  const folder = databaseFolderOf(env);
  if (!existsSync(folder)) throw new Error(`there is no database in ${folder}: set DATA_DIR or DATABASE_URL`);
  return runOn(await openEmbedded(folder), asked, env);
}

async function runOn(db: Database, asked: Asked, env: HostEnv): Promise<unknown> {
  try {
    const time = env.DATABASE_URL ? createServerClock() : createMachineClock(() => undefined);
    await time.synchronize(db.orm);
    const sandboxClock = env.PAYMENTS === 'sandbox' ? createSandboxClock(time) : null;
    await sandboxClock?.restore(db.orm);
    const log = pino({ level: 'warn' }, pino.destination(2));
    const random = (bytes: number) => randomBytes(bytes);
    const deps = await createDeps({ db, log, clock: sandboxClock ?? time, random }, env);
    return await runCommand(deps, asked);
  } finally {
    await db.close();
  }
}

/** What the running host of DATA_DIR says, which alone can have its embedded database; null where none runs. */
async function askHost(asked: Asked, env: HostEnv): Promise<{ result: unknown } | null> {
  const file = join(env.DATA_DIR, OPERATOR_SECRET);
  if (!existsSync(file)) return null;
  const answer = await fetch(`http://127.0.0.1:${env.HOST_PORT}/operator`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${readFileSync(file, 'utf8').trim()}`,
    },
    body: JSON.stringify(asked),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((error: Error) => {
    if ((error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED') return null;
    throw error;
  });
  // Another program, or the host of another folder.
  if (!answer || answer.status === 404) return null;
  const said = (await answer.json()) as { exit?: number; message?: string; result?: unknown };
  if (said.exit === EXIT.done) return { result: said.result };
  const exits = Object.values(EXIT);
  throw new OperatorRefusal(
    exits.find((exit) => exit === said.exit) ?? EXIT.failed,
    said.message ?? 'failed',
  );
}

function helpText(): string {
  const listed = Object.entries(COMMANDS).map(([name, { takes, help, changes }]) => {
    const call = `${name} ${takes}${changes ? ' --reason TEXT' : ''}`;
    return `  ${call.trim().padEnd(42)}${help}`;
  });
  return `npm run operator -- COMMAND …

${listed.join('\n')}

  --reason TEXT   why; what changes something wants it and writes it down, and names nobody by an e-mail address
  --as NAME       who does it, if not the user of the operating system
  --json          answers JSON

Speaks to the database of DATABASE_URL; else to the host that runs with DATA_DIR, at HOST_PORT of this machine; else to
the embedded database in DATA_DIR itself. Ends with 0 when it is done, 1 when it failed, 2 when it was called wrongly,
3 when there is no such thing, 4 when nothing is to be done.
`;
}
