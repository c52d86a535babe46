import { Worker } from 'node:worker_threads';
import { setProgramPriority } from '../priority.mjs';

/** The tasks of a process, by name. Inputs and results must be structured-cloneable. */
export type TaskTable = Record<string, (input: never) => unknown>;

export interface TaskRequest {
  task: string;
  input: unknown;
  cpuMs: number;
}

type TaskOutcome =
  | { result: unknown }
  | { error: { name: string; message: string; stack: string | undefined } };

export type TaskReply = TaskOutcome & { memoryBytes: number; usedCpuMs: number };

/** The signal with which a process ends itself when it exceeds its processor time. */
export const CPU_SIGNAL = 'SIGVTALRM';
/** Niceness: lower priority than the processes that answer requests. */
const PRIORITY = 10;
const POLL_MS = 20;
const UNLIMITED = 2 ** 31 - 1;

/** Runs the tasks that the pool sends, one at a time, until the pool disconnects. */
export function serveTasks(tasks: TaskTable): void {
  setProgramPriority(process.pid, PRIORITY);
  const { watcher, allowed } = watchLimits(Number(process.argv[2]));
  process.once('disconnect', () => process.exit());
  process.on('message', async ({ task, input, cpuMs }: TaskRequest) => {
    const before = usedCpuMs();
    const maxCpuMs = before + cpuMs;
    Atomics.store(allowed, 0, maxCpuMs);
    const outcome = await run(tasks[task] as (input: unknown) => unknown, input);
    Atomics.store(allowed, 0, UNLIMITED);
    // The watcher may not have looked in time, in particular on a busy machine.
    if (usedCpuMs() > maxCpuMs) process.kill(process.pid, CPU_SIGNAL);
    else {
      const usage = { usedCpuMs: usedCpuMs() - before, memoryBytes: process.memoryUsage.rss() };
      process.send?.({ ...outcome, ...usage } satisfies TaskReply);
    }
  });
  watcher.once('message', () => process.send?.('ready'));
}

async function run(act: (input: unknown) => unknown, input: unknown): Promise<TaskOutcome> {
  try {
    return { result: await act(input) };
  } catch (thrown) {
    const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { error: { name, message, stack } };
  }
}

function usedCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1000);
}

/**
 * Watches both limits from another thread, which keeps running while a task blocks this one, and sends a message once it
 * does. `allowed` is the shared cell with the processor time, in milliseconds, up to which the process may run.
 */
function watchLimits(memoryBytes: number): { watcher: Worker; allowed: Int32Array } {
  const allowed = new Int32Array(new SharedArrayBuffer(4)).fill(UNLIMITED);
  const watch = `const { parentPort, workerData } = require('node:worker_threads');
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (process.memoryUsage.rss() > ${memoryBytes}) process.kill(process.pid, 'SIGKILL');
    if ((user + system) / 1000 > Atomics.load(workerData, 0)) process.kill(process.pid, '${CPU_SIGNAL}');
  }, ${POLL_MS});
  parentPort.postMessage('watching');`;
  const resourceLimits = { maxOldGenerationSizeMb: 8 };
  const watcher = new Worker(watch, { eval: true, execArgv: [], resourceLimits, workerData: allowed });
  watcher.unref();
  return { watcher, allowed };
}
