import type { Deps } from '#host/http/deps';
import { createRepeatedError } from '#runtime/log';

export interface BackgroundTask {
  name: string;
  everyMs: number;
  /** `stopping` is aborted when the host stops: long work then leaves the rest to the next run, or to another node. */
  run(now: Date, stopping: AbortSignal): Promise<void>;
}

/**
 * Runs each piece of work periodically, without overlaps within a node; returns a function that stops and awaits it.
 */
export function startBackgroundWork(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  tasks: BackgroundTask[],
): () => Promise<void> {
  const stopping = new AbortController();
  const stops = tasks.map(({ name, everyMs, run }) => {
    let running = Promise.resolve();
    let isRunning = false;
    const failure = createRepeatedError(log, 'background work failed');
    const tick = () => {
      if (isRunning) return;
      isRunning = true;
      running = run(clock.now(), stopping.signal)
        .catch((error: unknown) => failure.add({ err: error, work: name }))
        .finally(() => {
          isRunning = false;
        });
    };
    const timer = setInterval(tick, everyMs);
    tick();
    return () => {
      clearInterval(timer);
      return running;
    };
  });
  return async () => {
    stopping.abort();
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Runs the tasks one after the other, even if some fail; throws all errors together at the end. */
export async function runSequentially<T>(items: T[], work: (thing: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${items.length} failed`);
}
