import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

/** What a process can do, by name. An input and a result are anything that can be cloned. */
export type TaskTable = Record<string, (input: never) => unknown>;

export interface TaskRequest {
  task: string;
  input: unknown;
}

export type TaskReply = { memoryBytes: number } & (
  | { result: unknown }
  | { error: { name: string; message: string; stack: string | undefined } }
);

/** Behind everything that answers somebody. */
const PRIORITY = 10;
const LOOK_MS = 20;

/** Does the tasks that the pool of this process asks for, one after the other, until the pool is gone. */
export function serveTasks(tasks: TaskTable): void {
  setPriority(PRIORITY);
  watchMemory(Number(process.argv[2]));
  process.once('disconnect', () => process.exit());
  process.on('message', async ({ task, input }: TaskRequest) => {
    process.send?.(await replyTo(tasks[task] as (input: unknown) => unknown, input));
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

/** From a thread of its own, which goes on looking while the work keeps the first one busy. */
function watchMemory(limitBytes: number): void {
  const watch = `setInterval(() => {
    if (process.memoryUsage.rss() > ${limitBytes}) process.kill(process.pid, 'SIGKILL');
  }, ${LOOK_MS});`;
  new Worker(watch, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
}
