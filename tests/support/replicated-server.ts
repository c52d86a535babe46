import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';

const POSTGRES = '/usr/lib/postgresql';

/** Folder with the newest PostgreSQL server programs as installed by Debian; empty if there is none. */
export const serverPrograms: string[] = existsSync(POSTGRES)
  ? readdirSync(POSTGRES)
      .sort((a, b) => Number(b) - Number(a))
      .slice(0, 1)
      .map((version) => join(POSTGRES, version, 'bin'))
  : [];

interface Server {
  url: string;
  start(): void;
  /** Stops at once without notifying clients, as in a power failure. */
  kill(): void;
  promote(): void;
}

/** A PostgreSQL server with a replica, created for one test file. */
export async function createReplicatedServer(programs: string) {
  const folder = mkdtempSync(join(tmpdir(), 'replicated-'));
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o755);
  if (isRoot) execFileSync('chown', ['postgres', folder]);

  function run(program: string, ...args: string[]): void {
    const command = [join(programs, program), ...args];
    const [file = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    execFileSync(file, rest, { stdio: 'ignore', cwd: '/' });
  }

  function serverIn(data: string, port: number): Server {
    const control = (...args: string[]) => run('pg_ctl', '-D', data, '-w', ...args);
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c fsync=off`;
    return {
      url: `postgres://quadrille@127.0.0.1:${port}/postgres`,
      start: () => control('-o', options, '-l', `${data}.log`, 'start'),
      kill: () => control('-m', 'immediate', 'stop'),
      promote: () => control('promote'),
    };
  }

  const [first, second] = [await freePort(), await freePort()];
  const primary = serverIn(join(folder, 'primary'), first);
  const replica = serverIn(join(folder, 'replica'), second);
  run(
    'initdb',
    '-D',
    join(folder, 'primary'),
    '-U',
    'quadrille',
    '--auth=trust',
    '--locale=C',
    '-E',
    'UTF8',
    '-N',
  );
  primary.start();
  const source = ['-h', '127.0.0.1', '-p', String(first), '-U', 'quadrille'];
  run('pg_basebackup', ...source, '-D', join(folder, 'replica'), '-R', '-c', 'fast', '-N');
  replica.start();
  return {
    primary,
    replica,
    remove: () => {
      for (const server of [replica, primary]) {
        try {
          server.kill();
        } catch {
          // Already stopped.
        }
      }
      rmSync(folder, { recursive: true });
    },
  };
}
