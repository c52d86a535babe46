import { serveTasks } from '#runtime/processes/serve-tasks';

const tasks = {
  echo: (value: unknown) => value,
  environment: () => Object.keys(process.env),
  pid: () => process.pid,
  wait: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
  // A busy loop that nothing inside the process can end.
  loop: () => {
    for (;;);
  },
  /** Uses this many milliseconds of processor time. */
  spin: (ms: number) => {
    const from = process.cpuUsage();
    const used = () => Object.values(process.cpuUsage(from)).reduce((sum, part) => sum + part);
    while (used() < ms * 1_000);
    return 'done';
  },
  // Allocates memory outside the heap, as native code does, while blocking the thread.
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
