import type { Deps } from '#host/http/deps';

export interface BackgroundTask {
  name: string;
  everyMs: number;
  /** `stopping` is aborted when the host stops: work of many parts leaves the rest to the next run, or to another node. */
  run(now: Date, stopping: AbortSignal): Promise<void>;
}

/** Runs each piece of work now and then, never twice at once in one node; answers how to stop and wait for it. */
export function startBackgroundWork(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  works: BackgroundTask[],
): () => Promise<void> {
  const stopping = new AbortController();
  const stops = works.map(({ name, everyMs, run }) => {
    let running = Promise.resolve();
    let isRunning = false;
    const tick = () => {
      if (isRunning) return;
      isRunning = true;
      running = run(clock.now(), stopping.signal)
        .catch((error: unknown) => log.error({ err: error, work: name }, 'background work failed'))
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

/** Does one after the other, also after one that fails; throws in the end what failed, all of it together. */
export async function runSequentially<T>(things: T[], work: (thing: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const thing of things) {
    await work(thing).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${things.length} failed`);
}
