import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { EmbeddedPostgres } from '../../../runtime/postgres/postgres.mjs';

/** A DATA_DIR that every user can reach, in a folder of its own. */
export function makeDataDir(): string {
  const place = mkdtempSync(join(tmpdir(), 'embedded-'));
  chmodSync(place, 0o755);
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return join(place, 'data');
}

let original: string | undefined;

/** A DATA_DIR with an empty database, copied from one that is created once. */
export async function makeDatabase(): Promise<string> {
  original ??= await createOriginal();
  const dataDir = makeDataDir();
  // With owners and permissions.
  execFileSync('cp', ['-a', original, dataDir]);
  return dataDir;
}

async function createOriginal(): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'embedded-'));
  chmodSync(place, 0o755);
  process.once('exit', () => rmSync(place, { recursive: true, force: true }));
  const dataDir = join(place, 'data');
  await EmbeddedPostgres.prepare(dataDir, { isDisposable: true });
  return dataDir;
}

/** A server that has started; it is stopped after the test. */
export async function startServer(dataDir: string, isDisposable = true): Promise<EmbeddedPostgres> {
  const server = await EmbeddedPostgres.prepare(dataDir, { isDisposable });
  onTestFinished(() => server.stop());
  await server.start();
  return server;
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** A user who is neither root nor the one who runs PostgreSQL for root. */
export const SOMEBODY = 1;

/** Prepares and starts a server in a process of its own, as another user if tests run as root; it prints its version. */
export function startAs(
  uid: number,
  dataDir: string,
  { project = process.cwd(), path = process.env.PATH } = {},
): SpawnSyncReturns<string> {
  const module = JSON.stringify(pathToFileURL(join(project, 'runtime/postgres/postgres.mjs')).href);
  const code = `
    const { EmbeddedPostgres } = await import(${module});
    const server = await EmbeddedPostgres.prepare(${JSON.stringify(dataDir)}).catch((error) => {
      process.stderr.write(error.message);
      process.exit(1);
    });
    await server.start();
    process.stdout.write('started as ' + process.getuid());
    await server.stop();`;
  const ids = process.getuid?.() === 0 ? { uid, gid: uid } : {};
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    ...ids,
    cwd: '/',
    env: { PATH: path, NODE_ENV: 'test' },
    encoding: 'utf8',
  });
}

/** Creates a folder of another user, if tests run as root. */
export function makeFolderOf(uid: number, folder: string): void {
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() === 0) chownSync(folder, uid, uid);
}
