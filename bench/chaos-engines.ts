import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openEmbedded, openServer } from '#host/db/client';
import { freePort } from '../tests/support/free-port';

/** A separate database for a host, which can be killed if it is a program of its own. */
export interface ChaosEngine {
  name: 'embedded' | 'postgres';
  env: Record<string, string>;
  open(): Promise<Database>;
  server: { kill(): void; start(): void } | null;
  clear(): void;
}

const POSTGRES = '/usr/lib/postgresql';

/** An embedded database in a folder of its own, created by the host unless `prepare` creates it. */
export async function embeddedEngine(
  prepare: (folder: string) => Promise<void> = async () => undefined,
): Promise<ChaosEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  await prepare(join(folder, 'database'));
  return {
    name: 'embedded',
    env: { DATA_DIR: folder },
    open: () => openEmbedded(join(folder, 'database')),
    server: null,
    clear: () => rmSync(folder, { recursive: true }),
  };
}

/** A PostgreSQL server created for this run; null if none is installed. */
export async function postgresEngine(): Promise<ChaosEngine | null> {
  const version = existsSync(POSTGRES)
    ? readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a))[0]
    : undefined;
  if (!version) return null;
  const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  const [cluster, data] = [join(folder, 'cluster'), join(folder, 'data')];
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o755);
  mkdirSync(cluster);
  if (isRoot) execFileSync('chown', ['postgres', cluster]);
  const run = (program: string, ...args: string[]) => {
    const command = [join(POSTGRES, version, 'bin', program), '-D', cluster, ...args];
    const [file = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    execFileSync(file, rest, { stdio: 'ignore', cwd: '/' });
  };
  const port = await freePort();
  const url = `postgres://quadrille@127.0.0.1:${port}/postgres`;
  run('initdb', '-U', 'quadrille', '--auth=trust', '--locale=C', '-E', 'UTF8');
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${cluster}`;
  const start = () => run('pg_ctl', '-w', '-o', options, '-l', join(cluster, 'log'), 'start');
  const kill = () => run('pg_ctl', '-w', '-m', 'immediate', 'stop');
  start();
  return {
    name: 'postgres',
    env: { DATABASE_URL: url, DATA_DIR: data },
    open: async () => openServer(url, () => undefined),
    server: { kill, start },
    clear: () => {
      kill();
      rmSync(folder, { recursive: true });
    },
  };
}
