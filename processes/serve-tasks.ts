import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

/** The tasks of a process, by name. Inputs and results must be structured-cloneable. */
export type TaskTable = Record<string, (input: never) => unknown>;

export interface TaskRequest {
  task: string;
  input: unknown;
  cpuMs: number;
}

export type TaskReply = { memoryBytes: number } & (
  | { result: unknown }
  | { error: { name: string; message: string; stack: string | undefined } }
);

/** Niceness: lower priority than the processes that answer requests. */
const PRIORITY = 10;
const POLL_MS = 20;
const UNLIMITED = 2 ** 31 - 1;

/** Runs the tasks that the pool sends, one at a time, until the pool disconnects. */
export function serveTasks(tasks: TaskTable): void {
  setPriority(PRIORITY);
  const allowed = watchLimits(Number(process.argv[2]));
  process.once('disconnect', () => process.exit());
  process.on('message', async ({ task, input, cpuMs }: TaskRequest) => {
    Atomics.store(allowed, 0, usedCpuMs() + cpuMs);
    const reply = await replyTo(tasks[task] as (input: unknown) => unknown, input);
    Atomics.store(allowed, 0, UNLIMITED);
    process.send?.(reply);
  });
  process.send?.('ready');
}

async function replyTo(act: (input: unknown) => unknown, input: unknown): Promise<TaskReply> {
  try {
    const result = await act(input);
    return { result, memoryBytes: process.memoryUsage.rss() };
  } catch (thrown) {
    const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { error: { name, message, stack }, memoryBytes: process.memoryUsage.rss() };
  }
}

function usedCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1000);
}

/**
 * Watches both limits from another thread, which keeps running while a task blocks this one. Returns the shared cell
 * that holds the processor time, in milliseconds, up to which the process may run.
 */
function watchLimits(memoryBytes: number): Int32Array {
  const allowed = new Int32Array(new SharedArrayBuffer(4)).fill(UNLIMITED);
  const watch = `const { workerData } = require('node:worker_threads');
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (process.memoryUsage.rss() > ${memoryBytes}) process.kill(process.pid, 'SIGKILL');
    if ((user + system) / 1000 > Atomics.load(workerData, 0)) process.kill(process.pid, 'SIGVTALRM');
  }, ${POLL_MS});`;
  const resourceLimits = { maxOldGenerationSizeMb: 8 };
  new Worker(watch, { eval: true, execArgv: [], resourceLimits, workerData: allowed }).unref();
  return allowed;
}
