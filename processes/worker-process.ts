import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import type { TaskReply, TaskRequest } from './serve-tasks';

/** What the process is ended with by itself when it has used too much processor time. */
const CPU_SIGNAL = 'SIGVTALRM';

const START_MS = 20_000;
/** Of what a process complains of, as much as tells why it ended. */
const COMPLAINT_CHARS = 2_000;
const HEAP_MEGABYTES = 256;

export interface Program {
  /** The file that was built, and the one that it was built from, both from the project's folder. */
  built: string;
  source: string;
  /** Resident memory beyond which the process is killed. */
  memoryBytes: number;
}

export interface WorkerProcess {
  /** Rejects when the process does not come up. */
  ready: Promise<void>;
  /** The next reply; null when the process ended without one. */
  ask(request: TaskRequest): Promise<TaskReply | null>;
  /** Ends it at once, whatever it does. */
  kill(): void;
  onExit(listener: () => void): void;
  complaint(): string;
  /** Whether it ended for the processor time it had used. */
  isOutOfTime(): boolean;
}

/** Starts a process of a pool. It knows nothing of this program's environment, which holds its secrets. */
export function startWorkerProcess({ built, source, memoryBytes }: Program): WorkerProcess {
  // Where this file was not built, the process runs from its source as well.
  const isSource = import.meta.url.endsWith('.ts');
  const child = fork(resolve(isSource ? source : built), [String(memoryBytes)], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`, ...(isSource ? ['--import', 'tsx'] : [])],
    // Memory that native code has given back goes back to the system sooner with few arenas.
    env: { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const complaint = collectComplaint(child);
  // What waits for an answer holds the program, a process that waits for work does not.
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
      reject(new Error(`${source} did not start`, { cause: complaint() }));
    });
    child.once('error', reject);
  });
  // Whoever needs it hears of it from `ready` itself.
  ready.catch(() => undefined);
  child.once('exit', () => {
    isGone = true;
    settle(null);
  });

  function settle(reply: TaskReply | null): void {
    const answer = onReply;
    onReply = undefined;
    answer?.(reply);
  }

  return {
    ready,
    ask: (request) =>
      new Promise((answer) => {
        if (isGone) return answer(null);
        onReply = answer;
        // It may end this very moment.
        child.send(request, (error) => error && settle(null));
      }),
    kill,
    onExit: (listener) => child.once('exit', listener),
    complaint,
    isOutOfTime: () => child.signalCode === CPU_SIGNAL,
  };
}

function collectComplaint({ stderr }: ChildProcess): () => string {
  let said = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-COMPLAINT_CHARS);
  });
  (stderr as { unref?: () => void } | null)?.unref?.();
  return () => said.trim();
}
