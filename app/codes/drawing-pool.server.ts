import { setTimeout as delay } from 'node:timers/promises';
import { data } from '@remix-run/node';
import { ipRateLimitKey } from '#contract/ip-rate-limit-key';
import { PoolRefusal, TaskKilled } from '#processes/pool-errors';
import { addPoolMetrics } from '#processes/pool-metrics';
import { createProcessPool, type ProcessPool, type TaskOptions } from '#processes/process-pool';
import { log } from '~/http/log.server';
import { metricsRegistry } from '~/http/meters.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { findLiveSession } from '~/http/session.server';
import type { CodeFile, Design, FileOrder } from './pictures/code-files.server';
import { CodeTooLongError } from './pictures/code-image';
import type { DrawingTasks } from './pictures/drawing-process.server';
import { PoorGradeError, UnreadableCodeError } from './pictures/unreadable-code';

declare global {
  var drawingPool: ProcessPool<DrawingTasks> | undefined;
}

const MEGABYTE = 1024 * 1024;
/** A file of 4096 pixels takes about a second; one that no decoder reads is drawn a dozen times. */
const CPU_MS = 15_000;
const WITHIN_MS = 25_000;
/** So that a file of many pictures that are hard to draw does not keep everybody waiting. */
const BULK_CPU_MS = 5_000;
const BULK_LANES = [1, 2];
const BULK_PATIENCE_MS = 60_000;
const BULK_RETRY_MS = 250;

// The development server loads this file again and again.
globalThis.drawingPool ??= createProcessPool<DrawingTasks>({
  built: 'build/drawing/drawing-process.js',
  source: 'app/codes/pictures/drawing-process.server.ts',
  processes: 2,
  memoryBytes: 900 * MEGABYTE,
  retireBytes: 450 * MEGABYTE,
  queue: { perOwner: 8, perAddress: 24, total: 64 },
  waitMs: 8_000,
  errors: [UnreadableCodeError, PoorGradeError, CodeTooLongError, RangeError],
});
const pool = globalThis.drawingPool;
if (!metricsRegistry.getSingleMetric('quadrille_drawing_waiting')) {
  addPoolMetrics(metricsRegistry, 'quadrille_drawing', pool.load);
}

/**
 * Draws or decodes in a process of its own, in turn with everybody else's. Throws what the task throws, an answer of
 * 429 or 503 when too much is waiting, and `TaskKilled` for what takes too much time or memory.
 */
export async function draw<Name extends keyof DrawingTasks>(
  requestContext: RequestContext,
  task: Name,
  input: Parameters<DrawingTasks[Name]>[0],
): Promise<Awaited<ReturnType<DrawingTasks[Name]>>> {
  const session = await findLiveSession(requestContext.request);
  const client = { address: ipRateLimitKey(scopeOf(requestContext).address), account: session?.email };
  const { signal } = requestContext.request;
  return pool
    .run(task, input, { client, cpuMs: CPU_MS, withinMs: WITHIN_MS, signal })
    .catch((error: unknown) => {
      if (!(error instanceof PoolRefusal)) throw error;
      scopeOf(requestContext).retryAfterSeconds = error.retryAfterSeconds;
      throw refusalAnswer(error);
    })
    .finally(() => {
      // Drawing takes nothing of the host's time.
      delete scopeOf(requestContext).deadline;
    });
}

/** Draws many files in a row. */
export interface BulkDrawing {
  /** As `draw` makes it, but waits for its turn, for a minute at most. `place` counts the files from 0. */
  makeFile(place: number, order: FileOrder): Promise<CodeFile>;
  /** As the task of that name, with the same patience. */
  isHandedOut(place: number, design: Design): Promise<boolean>;
  /** How many to ask for at once: few where others wait. */
  ahead(): number;
}

/** The account's other drawings do not wait behind these. */
export async function drawInBulk(requestContext: RequestContext): Promise<BulkDrawing> {
  const { signal } = requestContext.request;
  const address = ipRateLimitKey(scopeOf(requestContext).address);
  const session = await findLiveSession(requestContext.request);
  // Of each client one drawing is made at a time.
  const clients = BULK_LANES.map((lane) => ({ address, account: `bulk ${lane} of ${session?.email}` }));
  const [first] = clients;
  const patiently = async <Result>(place: number, run: (options: TaskOptions) => Promise<Result>) => {
    const client = clients[place % clients.length] ?? first ?? { address };
    const until = performance.now() + BULK_PATIENCE_MS;
    for (;;) {
      try {
        return await run({ client, cpuMs: BULK_CPU_MS, withinMs: WITHIN_MS, signal });
      } catch (thrown) {
        if (!(thrown instanceof PoolRefusal) || performance.now() > until) throw thrown;
        await delay(BULK_RETRY_MS, undefined, { signal });
      }
    }
  };
  return {
    ahead: () => (pool.othersWait(clients) ? 1 : 2 * clients.length),
    makeFile: (place, order) => patiently(place, (options) => pool.run('makeFile', order, options)),
    isHandedOut: (place, design) => patiently(place, (options) => pool.run('isHandedOut', design, options)),
  };
}

/** True for a drawing that took too much time or memory, which is logged. */
export function wasDrawingKilled(thrown: unknown): boolean {
  if (!(thrown instanceof TaskKilled)) return false;
  log.error({ err: thrown }, 'a drawing was given up');
  return true;
}

/** Starts the processes before anybody needs them. */
export function warmDrawingPool(): void {
  pool.warm();
}

type DrawingRefusal = ReturnType<typeof refusalAnswer>;

/** What a loader throws for an error page: 429 where the client's own drawings are too many, else 503. */
function refusalAnswer({ reason, retryAfterSeconds }: PoolRefusal) {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return data({ texts: 'busy' } as const, { status: reason === 'client' ? 429 : 503, headers });
}

/** True for what `draw` throws when too much is waiting. */
export function isDrawingRefusal(thrown: unknown): thrown is DrawingRefusal {
  const { data } = (thrown ?? {}) as { data?: { texts?: unknown } | null };
  return data?.texts === 'busy';
}
