import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The built host, or its source if it is not built. */
export function hostProgram(): string {
  return existsSync('build/host/server.js') ? 'build/host/server.js' : 'host/server.ts';
}

/** Starts a program on a free port; resolves when it is ready. */
export async function start(
  program: string,
  env: Record<string, string>,
  nodeOptions: string[] = [],
): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(program, {
    // As `npm start` does: the maps take memory.
    execArgv: [...(program.endsWith('.ts') ? ['--import', 'tsx'] : ['--enable-source-maps']), ...nodeOptions],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST_PORT: '0',
      JWT_SECRET: randomBytes(32).toString('hex'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const port = await new Promise<number>((listens, reject) => {
    child.once('exit', () => reject(new Error(`${program} ended before it listened`)));
    child.on('message', (message: { port: number }) => listens(message.port));
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += output.includes('host is ready') ? '' : String(chunk);
      const port = /"port":(\d+).*host listens/.exec(output)?.[1];
      if (port && output.includes('host is ready')) listens(Number(port));
    });
  });
  return { child, port };
}

/** Stops a program with SIGTERM, as a supervisor does, and waits for its exit. */
export async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Resident memory of the process, in megabytes. */
export function residentMegabytes(child: ChildProcess): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1024);
}

export interface Usage {
  descriptors: number;
  megabytes: number;
}
/** Of the largest process of each kind. */
export type Usages = Record<string, Usage>;

const KINDS: [string, RegExp][] = [
  ['gateway', /runtime\/launch\.mjs/],
  ['website', /remix-run\/serve/],
  ['host', /host\/server\.js/],
  ['drawing pool', /drawing-process\.js/],
  ['upload pool', /upload-process\.js/],
  ['hashing pool', /hashing-process\.js/],
];

/** What a launcher, whose process has the gateway, and the programs that it started use. */
export function usagesOf(launcher: number): Usages {
  const usages: Usages = {};
  const parents = new Map(readdirSync('/proc').map((pid) => [pid, parentOf(pid)]));
  for (const pid of parents.keys()) {
    let ancestor: string | undefined = pid;
    while (ancestor !== undefined && ancestor !== String(launcher)) ancestor = parents.get(ancestor);
    const command = ancestor === undefined ? '' : read(`/proc/${pid}/cmdline`);
    const [kind] = KINDS.find(([, pattern]) => pattern.test(command)) ?? [];
    if (kind !== undefined) keepMost(usages, { [kind]: usageOf(pid) });
  }
  return usages;
}

export function keepMost(most: Usages, now: Usages): void {
  for (const [kind, { megabytes, descriptors }] of Object.entries(now)) {
    const known = most[kind] ?? { megabytes: 0, descriptors: 0 };
    most[kind] = {
      megabytes: Math.max(known.megabytes, megabytes),
      descriptors: Math.max(known.descriptors, descriptors),
    };
  }
}

function parentOf(pid: string): string | undefined {
  return /^\d+$/.test(pid) ? /\) \w (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] : undefined;
}

function usageOf(pid: string): Usage {
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
  return {
    megabytes: Math.round(kilobytes / 1024),
    descriptors: ifThere(() => readdirSync(`/proc/${pid}/fd`))?.length ?? 0,
  };
}

function read(path: string): string {
  return ifThere(() => readFileSync(path, 'utf8')) ?? '';
}

/** Null if the process has ended. */
function ifThere<Result>(look: () => Result): Result | null {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
