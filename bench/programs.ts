import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

/** The built host, or its source if it is not built. */
export function hostProgram(): string {
  return existsSync('build/host/server.js') ? 'build/host/server.js' : 'host/server.ts';
}

/** Starts a program on a free port; resolves when it is ready. */
export async function start(
  program: string,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(program, {
    // As `npm start` does: the maps take memory.
    execArgv: program.endsWith('.ts') ? ['--import', 'tsx'] : ['--enable-source-maps'],
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
