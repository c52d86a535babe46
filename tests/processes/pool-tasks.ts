import { serveTasks } from '#processes/serve-tasks';

const tasks = {
  echo: (value: unknown) => value,
  environment: () => Object.keys(process.env),
  pid: () => process.pid,
  wait: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
  // Nothing in the process itself could end this.
  loop: () => {
    for (;;);
  },
  // Memory outside the heap, as native code takes it, while the thread is busy.
  hoard: () => {
    const hoard: Buffer[] = [];
    for (;;) hoard.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  fail: (message: string) => {
    throw new RangeError(message);
  },
};
export type TestTasks = typeof tasks;

serveTasks(tasks);
