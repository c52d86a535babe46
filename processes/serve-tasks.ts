import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

/** What a process can do, by name. An input and a result are anything that can be cloned. */
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

/** Behind everything that answers somebody. */
const PRIORITY = 10;
const LOOK_MS = 20;
const UNLIMITED = 2 ** 31 - 1;

/** Does the tasks that the pool of this process asks for, one after the other, until the pool is gone. */
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
 * Answers where to put the processor time up to which the process may go on. Both limits are looked after by a thread of
 * its own, which goes on looking while the work keeps the first one busy.
 */
function watchLimits(memoryBytes: number): Int32Array {
  const allowed = new Int32Array(new SharedArrayBuffer(4)).fill(UNLIMITED);
  const watch = `const { workerData } = require('node:worker_threads');
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (process.memoryUsage.rss() > ${memoryBytes}) process.kill(process.pid, 'SIGKILL');
    if ((user + system) / 1000 > Atomics.load(workerData, 0)) process.kill(process.pid, 'SIGVTALRM');
  }, ${LOOK_MS});`;
  const resourceLimits = { maxOldGenerationSizeMb: 8 };
  new Worker(watch, { eval: true, execArgv: [], resourceLimits, workerData: allowed }).unref();
  return allowed;
}
