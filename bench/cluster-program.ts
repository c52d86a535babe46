import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that is restarted when it exits, like systemd's `Restart=always`. */
export interface Supervised {
  name: string;
  pid(): number | undefined;
  /** How often the program was restarted because it exited by itself. */
  faults(): number;
  /** Stops the program gracefully and starts it again, with changed options if given. */
  restart(change?: Partial<ProgramOptions>): Promise<void>;
  /** Kills the program without warning and keeps it down for `downMs`. */
  kill(downMs: number): Promise<void>;
  end(): Promise<void>;
}

interface ProgramOptions {
  command: string[];
  /** File for stdout and stderr. */
  log: string;
  env?: Record<string, string>;
  cwd?: string;
  /** For a program that must not run as root. */
  user?: { uid: number; gid: number } | undefined;
}

const RESTART_DELAY_MS = 1_000;
const STOP_TIMEOUT_MS = 20_000;

export function supervise(name: string, given: ProgramOptions): Supervised {
  let options = given;
  let isWanted = true;
  let faults = 0;
  let child = start();

  function start(): ChildProcess {
    const [file = '', ...args] = options.command;
    const log = openSync(options.log, 'a');
    const started = spawn(file, args, {
      cwd: options.cwd ?? process.cwd(),
      env: { NODE_ENV: 'production', PATH: process.env.PATH, ...options.env },
      stdio: ['ignore', log, log],
      ...options.user,
    });
    started.once('exit', async () => {
      if (!isWanted || started !== child) return;
      faults += 1;
      await delay(RESTART_DELAY_MS);
      if (isWanted && started === child) child = start();
    });
    return started;
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    isWanted = false;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  }

  return {
    name,
    pid: () => child.pid,
    faults: () => faults,
    restart: async (change = {}) => {
      await stop('SIGTERM');
      options = { ...options, ...change };
      isWanted = true;
      child = start();
    },
    kill: async (downMs) => {
      await stop('SIGKILL');
      await delay(downMs);
      isWanted = true;
      child = start();
    },
    end: () => stop('SIGTERM'),
  };
}
