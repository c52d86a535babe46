import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { CPU_SIGNAL, type TaskReply, type TaskRequest } from './serve-tasks';
import { bundleSource, runsFromSource } from './source-bundle';

const START_MS = 20_000;
const STDERR_TAIL_CHARS = 2_000;
const HEAP_MEGABYTES = 256;

export interface Program {
  /** The built file and its source, relative to the project's folder. */
  built: string;
  source: string;
  /** Resident memory above which the process is killed. */
  memoryBytes: number;
}

export interface WorkerProcess {
  /** Rejects if the process does not start. */
  ready: Promise<void>;
  /** Resolves to null if the process exits without a reply; rejects if the input cannot be cloned. */
  ask(request: TaskRequest): Promise<TaskReply | null>;
  kill(): void;
  onExit(listener: () => void): void;
  stderrTail(): string;
  exceededCpuTime(): boolean;
}

/** Starts a worker process. It does not inherit the environment, which holds secrets. */
export function startWorkerProcess({ built, source, memoryBytes }: Program): WorkerProcess {
  // When this file runs from source, so does the worker.
  const isSource = runsFromSource(import.meta.url);
  const child = fork(isSource ? bundleSource(source) : resolve(built), [String(memoryBytes)], {
    serialization: 'advanced',
    // A session of its own, so that its priority counts among all programs.
    detached: true,
    execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`, ...(isSource ? ['--enable-source-maps'] : [])],
    // With few arenas, memory freed by native code returns to the system sooner.
    env: { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const stderrTail = collectStderr(child);
  // An idle worker must not keep this program running.
  child.unref();
  child.channel?.unref();
  let onReply: ((reply: TaskReply | null) => void) | undefined;
  let isGone = false;
  const kill = () => child.kill('SIGKILL');
  const ready = new Promise<void>((up, reject) => {
    const timer = setTimeout(kill, START_MS);
    child.once('message', () => {
      clearTimeout(timer);
      child.on('message', (reply: TaskReply) => settle(reply));
      up();
    });
    child.once('exit', () => {
      clearTimeout(timer);
      reject(new Error(`${source} did not start`, { cause: stderrTail() }));
    });
    child.once('error', reject);
  });
  // Callers handle the rejection of `ready` itself; this only avoids an unhandled one.
  ready.catch(() => undefined);
  child.once('exit', () => {
    isGone = true;
    settle(null);
  });

  function settle(reply: TaskReply | null): void {
    const resolve = onReply;
    onReply = undefined;
    resolve?.(reply);
  }

  return {
    ready,
    ask: (request) =>
      new Promise((resolve) => {
        if (isGone) return resolve(null);
        // Throws if the input cannot be cloned. The process may exit before the message is sent.
        child.send(request, (error) => error && settle(null));
        onReply = resolve;
      }),
    kill,
    onExit: (listener) => child.once('exit', listener),
    stderrTail,
    exceededCpuTime: () => child.signalCode === CPU_SIGNAL,
  };
}

function collectStderr({ stderr }: ChildProcess): () => string {
  let tail = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_TAIL_CHARS);
  });
  (stderr as { unref?: () => void } | null)?.unref?.();
  return () => tail.trim();
}
