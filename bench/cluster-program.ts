import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that is started again when it ends, as systemd does with `Restart=always`. */
export interface Supervised {
  name: string;
  pid(): number | undefined;
  /** How often it was started again because it ended by itself. */
  faults(): number;
  /** Told to stop, and started again by its supervisor; with other places to run in where given. */
  restart(change?: Partial<ProgramOptions>): Promise<void>;
  /** Killed without a word, and left alone for so long. */
  kill(awayMs: number): Promise<void>;
  end(): Promise<void>;
}

interface ProgramOptions {
  command: string[];
  /** File that takes what it prints. */
  log: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Where it must not run as root. */
  user?: { uid: number; gid: number } | undefined;
}

const RESTART_MS = 1_000;
const END_MS = 20_000;

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
      await delay(RESTART_MS);
      if (isWanted && started === child) child = start();
    });
    return started;
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    isWanted = false;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
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
    kill: async (awayMs) => {
      await stop('SIGKILL');
      await delay(awayMs);
      isWanted = true;
      child = start();
    },
    end: () => stop('SIGTERM'),
  };
}
