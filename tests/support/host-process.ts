import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { bundledProgram } from './bundled-program';

export interface HostProcess {
  port: number;
  /** Everything that the process has written to stdout and stderr. */
  output(): string;
  /** Sends the signal and resolves with the exit code, or null if the signal terminated the process. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** Starts the real host on a free port. Resolves once it logs `until`; rejects with its output if it exits. */
export async function startHostProcess(
  env: Record<string, string>,
  until: 'host is ready' | 'host listens' = 'host is ready',
): Promise<HostProcess> {
  const child = spawn(process.execPath, bundledProgram('host/server.ts'), {
    env: {
      PATH: process.env.PATH,
      HOST_PORT: '0',
      LOG_LEVEL: 'info',
      NODE_ENV: 'test',
      CHECK_DESTINATIONS: 'false',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const output: string[] = [];
  return {
    port: await listeningPort(child, output, until),
    output: () => output.join('\n'),
    stop: async (signal) => {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}

function listeningPort(child: ChildProcess, output: string[], until: string): Promise<number> {
  let port = 0;
  child.stderr?.on('data', (chunk) => output.push(String(chunk)));
  return new Promise((listens, reject) => {
    if (!child.stdout) throw new Error('the host has no output');
    createInterface(child.stdout).on('line', (line) => {
      output.push(line);
      if (line.includes('host listens')) port = Number(/"port":(\d+)/.exec(line)?.[1]);
      if (line.includes(until)) listens(port);
    });
    child.once('exit', () => reject(new Error(`the host ended: ${output.join('\n').slice(-2_000)}`)));
  });
}
