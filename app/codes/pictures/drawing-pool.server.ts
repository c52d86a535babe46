import { setTimeout as delay } from 'node:timers/promises';
import { data } from '@remix-run/node';
import { networksOf } from '#runtime/ip-rate-limit-key';
import { PoolRefusal, TaskKilled } from '#runtime/processes/pool-errors';
import { addPoolMetrics } from '#runtime/processes/pool-metrics';
import { ProcessPool, type TaskOptions } from '#runtime/processes/process-pool';
import { log } from '~/http/log.server';
import { metricsRegistry } from '~/http/meters.server';
import type { Scope, UserScope } from '~/http/scope.server';
import type { CodeFile, Design, FileOrder, SymbolOptions } from './code-files.server';
import { CodeTooLongError } from './code-image';
import type { DrawingTasks } from './drawing-process.server';
import { CaptionError, PoorGradeError, UnreadableCodeError } from './unreadable-code';

declare global {
  var drawingPool: ProcessPool<DrawingTasks> | undefined;
}

const MEGABYTE = 1024 * 1024;
/** A file of 4096 pixels takes about a second; one that fails to decode is redrawn a dozen times. */
const CPU_MS = 15_000;
const TIMEOUT_MS = 25_000;
const RETRY_TIMEOUT_SECONDS = 30;
/**
 * Lower than for single files, so that a bulk file with many expensive drawings does not hold up everybody else. A drawing
 * that takes more is started again, one at a time for all accounts, so that a process stays free. Much content in a look
 * has taken 12 seconds.
 */
const BULK_CPU_MS = 5_000;
const LARGE_CPU_MS = 30_000;
const LARGE_TIMEOUT_MS = 50_000;
const LARGE_LANE = 'large drawings in bulk';
const PLACES_PER_ACCOUNT = 2;
const RETRY_PLACE_SECONDS = 10;
const BULK_LANES = [1, 2];
const BULK_RETRY_FOR_MS = 60_000;
const BULK_RETRY_MS = 250;

// The development server reloads this file when one of its imports changes, with new error classes.
globalThis.drawingPool?.close();
globalThis.drawingPool = new ProcessPool<DrawingTasks>({
  built: 'build/drawing/drawing-process.js',
  source: 'app/codes/pictures/drawing-process.server.ts',
  processes: 2,
  memoryBytes: 900 * MEGABYTE,
  retireBytes: 450 * MEGABYTE,
  queue: { perOwner: 8, perNetwork: 24, total: 64 },
  waitMs: 8_000,
  errors: [UnreadableCodeError, PoorGradeError, CaptionError, CodeTooLongError, RangeError],
});
const pool = globalThis.drawingPool;
if (!metricsRegistry.getSingleMetric('quadrille_drawing_waiting')) {
  addPoolMetrics(metricsRegistry, 'quadrille_drawing', () => pool.load());
}

/**
 * Draws or decodes in a separate process, scheduling clients fairly. Throws what the task throws, a 429 or
 * 503 response when the queue is too long or the machine too busy, and `TaskKilled` for a task that takes too
 * much CPU or memory; `moreMs` adds CPU time for tasks known to be larger than a single file.
 */
export async function draw<Name extends keyof DrawingTasks>(
  scope: Scope,
  task: Name,
  input: Parameters<DrawingTasks[Name]>[0],
  moreMs = 0,
): Promise<Awaited<ReturnType<DrawingTasks[Name]>>> {
  const session = scope.user;
  const { clientIp, signal } = scope;
  const client = { networks: networksOf(clientIp), account: session?.email };
  return pool
    .run(task, input, { client, cpuMs: CPU_MS + moreMs, timeoutMs: TIMEOUT_MS + moreMs, signal })
    .catch((error: unknown) => {
      throw responseFor(scope, error);
    })
    .finally(() => {
      // Time spent drawing does not count against the host's deadline.
      delete scope.deadline;
    });
}

const places = new Map<string, number>();

/**
 * Runs work that holds much in memory before its task is in the queue. An account may do so a few times at once; beyond,
 * throws the 429 response of a full queue.
 */
export async function withPlace<Result>(scope: UserScope, work: () => Promise<Result>): Promise<Result> {
  const { email } = scope.user;
  const taken = places.get(email) ?? 0;
  if (taken >= PLACES_PER_ACCOUNT) throw responseFor(scope, new PoolRefusal('client', RETRY_PLACE_SECONDS));
  places.set(email, taken + 1);
  try {
    return await work();
  } finally {
    const left = (places.get(email) ?? 1) - 1;
    if (left > 0) places.set(email, left);
    else places.delete(email);
  }
}

/**
 * Turns a refusal into an HTTP response to throw, which works only before any of the response has been sent.
 */
function responseFor(scope: Scope, error: unknown): unknown {
  const refusal = refusalOf(error);
  if (!refusal) return error;
  scope.retryAfterSeconds = refusal.retryAfterSeconds;
  return refusalResponse(refusal);
}

/** A task that timed out without using up its CPU time was starved by a busy machine: it may be retried. */
function refusalOf(error: unknown): PoolRefusal | null {
  if (error instanceof PoolRefusal) return error;
  if (!(error instanceof TaskKilled) || error.reason !== 'timeout') return null;
  wasDrawingKilled(error);
  return new PoolRefusal('busy', RETRY_TIMEOUT_SECONDS);
}

/** Draws many files in a row. */
export interface BulkDrawing {
  /**
   * Like `draw`, but retries refusals until nothing was drawn for a minute and then throws the `PoolRefusal` itself,
   * because files are sent while they are made. `index` counts the files from 0.
   */
  makeFile(index: number, order: FileOrder): Promise<CodeFile>;
  /** Runs the task of that name with the same retries, but throws what `draw` throws. */
  chooseSymbol(index: number, design: Design): Promise<SymbolOptions | null>;
  /** How many tasks to run at once: few while other clients are waiting. */
  concurrency(): number;
}

/** Queues under separate client names, so that the account's other drawings do not wait behind these. */
export async function drawInBulk(scope: Scope): Promise<BulkDrawing> {
  const { clientIp, signal } = scope;
  const networks = networksOf(clientIp);
  const session = scope.user;
  // The pool runs one drawing per client at a time.
  const clients = BULK_LANES.map((lane) => ({ networks, account: `bulk ${lane} of ${session?.email}` }));
  const [first] = clients;
  const large = { networks, account: LARGE_LANE };
  let refusedSince: number | undefined;
  const withRetries = async <Result>(index: number, run: (options: TaskOptions) => Promise<Result>) => {
    let options: TaskOptions = {
      client: clients[index % clients.length] ?? first ?? { networks },
      cpuMs: BULK_CPU_MS,
      timeoutMs: TIMEOUT_MS,
      signal,
    };
    for (;;) {
      try {
        const made = await run(options);
        refusedSince = undefined;
        return made;
      } catch (thrown) {
        if (thrown instanceof TaskKilled && thrown.reason !== 'memory' && options.client !== large) {
          options = { client: large, cpuMs: LARGE_CPU_MS, timeoutMs: LARGE_TIMEOUT_MS, signal };
          continue;
        }
        if (!(thrown instanceof PoolRefusal)) throw thrown;
        refusedSince ??= performance.now();
        if (performance.now() - refusedSince > BULK_RETRY_FOR_MS) throw thrown;
        await delay(BULK_RETRY_MS, undefined, { signal });
      }
    }
  };
  return {
    concurrency: () => (pool.hasOthersWaiting([...clients, large]) ? 1 : 2 * clients.length),
    makeFile: (index, order) => withRetries(index, (options) => pool.run('makeFile', order, options)),
    chooseSymbol: (index, design) =>
      withRetries(index, (options) => pool.run('chooseSymbol', design, options)).catch((error: unknown) => {
        throw responseFor(scope, error);
      }),
  };
}

/** Whether a drawing was killed for taking too much time or memory; logs it if so. */
export function wasDrawingKilled(thrown: unknown): boolean {
  if (!(thrown instanceof TaskKilled)) return false;
  log.error({ err: thrown }, 'killed a drawing that took too much time or memory');
  return true;
}

type NotDrawn = { code: 'drawing_busy' | 'drawing_given_up'; status: number };

/** The drawing or, if it was refused or killed, the error code for the form and the status of its page. */
export async function orNotDrawn<Made>(
  drawing: Promise<Made>,
): Promise<{ made: Made; notDrawn: null } | { made: null; notDrawn: NotDrawn }> {
  try {
    return { made: await drawing, notDrawn: null };
  } catch (thrown) {
    if (isDrawingRefusal(thrown)) {
      return { made: null, notDrawn: { code: 'drawing_busy', status: thrown.init?.status ?? 503 } };
    }
    if (wasDrawingKilled(thrown)) return { made: null, notDrawn: { code: 'drawing_given_up', status: 422 } };
    throw thrown;
  }
}

/** Starts the processes before the first request needs them. */
export function warmDrawingPool(): void {
  pool.warm();
}

type DrawingRefusal = ReturnType<typeof refusalResponse>;

/** What a loader throws for an error page: 429 when the client itself has too many drawings queued, else 503. */
function refusalResponse({ reason, retryAfterSeconds }: PoolRefusal) {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return data({ texts: 'busy' } as const, { status: reason === 'client' ? 429 : 503, headers });
}

/** True for what `draw` throws when the queue is too long or the machine too busy. */
export function isDrawingRefusal(thrown: unknown): thrown is DrawingRefusal {
  const { data } = (thrown ?? {}) as { data?: { texts?: unknown } | null };
  return data?.texts === 'busy';
}

/**
 * Maps items with `work`, several at a time, and yields the results in order. `concurrency` returns the
 * maximum number of items in progress, and is called again for each item. Stops starting work when the
 * consumer stops.
 */
export async function* mapInOrder<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Promise<Result>,
  concurrency: () => number,
): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  let index = 0;
  for (const item of items) {
    const result = work(item, index);
    // A consumer that has stopped does not await it: avoid an unhandled rejection.
    result.catch(() => undefined);
    pending.push(result);
    index += 1;
    while (pending.length >= Math.max(1, concurrency())) yield (await pending.shift()) as Result;
  }
  for (const result of pending) yield await result;
}
