import { sql } from 'drizzle-orm';
import { Counter, Gauge } from 'prom-client';
import { hashingLoad } from '#host/accounts/passwords';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import { createMetricsRegistry, type MetricsRegistry, mergeRegistries } from '#runtime/metrics';
import { addPoolMetrics } from '#runtime/processes/pool-metrics';
import { importLoad } from './codes/import/pool';
import { drawingLoad } from './codes/logos/images';
import type { VisitRecorder } from './visits/receive/recorder';

/** For metrics from the database: how long a scrape waits, and how long a result is cached. */
const DATABASE_TIMEOUT_MS = 1_000;
const CACHE_MS = 5_000;

/** The collected metrics of a host, and the ones read at each scrape. */
export function createHostMetrics(deps: Deps, recorder: VisitRecorder): MetricsRegistry {
  const { db, meters, visits } = deps;
  const registry = createMetricsRegistry();
  const registers = [registry];
  const readDepths = createDepthReader(deps);

  new Gauge({
    name: 'quadrille_database_up',
    help: '1 if the database responded to this host in time, else 0; without it the queue metrics are missing',
    registers,
    async collect() {
      this.set((await readDepths()) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'quadrille_queue_depth',
    help: 'Items due but not done yet: visits for the journal, rows for other queues; the same from every host',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset();
      for (const { queue, depth } of (await readDepths()) ?? []) this.set({ queue }, depth);
    },
  });
  new Gauge({
    name: 'quadrille_queue_oldest_seconds',
    help: 'How long the oldest item of a queue has been due or waiting to be sent; for the journal, how far counting lags',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset();
      for (const { queue, oldestSeconds } of (await readDepths()) ?? []) this.set({ queue }, oldestSeconds);
    },
  });
  new Gauge({
    name: 'quadrille_database_connections',
    help: 'Connections of this host to the database that are in use or idle, and requests waiting for one',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { pool, ...states } of db.connections())
        for (const [state, count] of Object.entries(states)) this.set({ pool, state }, count);
    },
  });
  new Gauge({
    name: 'quadrille_spool_bytes',
    help: 'Size of the spool in DATA_DIR: visits of this host that were answered and wait for the database',
    registers,
    collect() {
      this.set(recorder.spooledBytes());
    },
  });
  new Gauge({
    name: 'quadrille_spool_limit_bytes',
    help: 'Size of the spool above which visits are answered but not counted (SPOOL_MAX_MB)',
    registers,
  }).set(visits.spoolBytes);
  new Gauge({
    name: 'quadrille_spool_seconds',
    help: 'How long the spool of this host has been non-empty; 0 if it is empty',
    registers,
    collect() {
      this.set(recorder.backlog().seconds);
    },
  });
  new Counter({
    name: 'quadrille_visits_lost_total',
    help: 'Visits that this host answered and that will not be counted, as neither disk nor memory had room for them',
    registers,
    collect() {
      this.reset();
      this.inc(recorder.lostVisits());
    },
  });
  addPoolMetrics(registry, 'quadrille_logo', drawingLoad);
  addPoolMetrics(registry, 'quadrille_hashing', hashingLoad);
  addPoolMetrics(registry, 'quadrille_import', importLoad);
  return mergeRegistries(meters.registry, registry);
}

/** The depths of the queues; null if the database did not respond in time. One query at a time for all scrapes. */
function createDepthReader({ db, clock, log }: Deps): () => Promise<Depth[] | null> {
  let pendingRead: Promise<Depth[] | null> | undefined;
  let cached: { depths: Depth[] | null; until: number } | undefined;

  function read(): Promise<Depth[] | null> {
    return readQueueDepths(db.orm, clock.now()).catch((error: unknown) => {
      log.debug({ err: error }, 'queue depths could not be read');
      return null;
    });
  }

  return async () => {
    if (cached && performance.now() < cached.until) return cached.depths;
    // A slower query is left running for the next scrape, instead of starting another.
    pendingRead ??= read().finally(() => {
      pendingRead = undefined;
    });
    const depths = await withTimeout(pendingRead, DATABASE_TIMEOUT_MS).catch(() => null);
    cached = { depths, until: performance.now() + CACHE_MS };
    return depths;
  };
}

const QUEUES = [
  'visit_journal',
  'billing_jobs',
  'code_jobs',
  'mails',
  'link_requests',
  'destinations',
] as const;
type Queue = (typeof QUEUES)[number];

interface Depth {
  queue: Queue;
  /** Visits in the journal, unsent mails, or due rows of the other queues. */
  depth: number;
  /** How long the oldest has been waiting; 0 if there is none. */
  oldestSeconds: number;
}

/**
 * The depth of each queue, read through the index by which it is processed. The journal's age is by the clock of the
 * database, which wrote it; the others are due by the clock of the product. Mails and jobs on codes count from when
 * they were requested, because each failure postpones when they are due; a mail that is put off counts from its time.
 */
async function readQueueDepths(orm: Orm, now: Date): Promise<Depth[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const rows = await readRows<Depth>(
    orm,
    sql`
    select 'visit_journal' as queue, coalesce(sum(size), 0)::float8 as depth,
      extract(epoch from clock_timestamp() - min(at))::float8 as "oldestSeconds" from visit_journal
    union all
    select 'billing_jobs', count(*)::float8, extract(epoch from ${at} - min(due_at))::float8 from jobs
      where done_at is null and due_at <= ${at} and kind <> 'visit_erasure'
    union all
    select 'code_jobs', count(*)::float8, extract(epoch from ${at} - min(created_at))::float8 from code_jobs
      where status = 'running' and due_at <= ${at}
    union all
    select 'mails', count(*)::float8,
      extract(epoch from ${at} - min(case when attempts = 0 then due_at else created_at end))::float8 from mails
      where sent_at is null and given_up_at is null
    union all
    select 'link_requests', count(*)::float8, extract(epoch from ${at} - min(created_at))::float8
      from link_requests
    union all
    select 'destinations', count(*)::float8, extract(epoch from ${at} - min(next_at))::float8 from destinations
      where next_at <= ${at}`,
  );
  return rows.map((row) => ({ ...row, oldestSeconds: Math.max(0, row.oldestSeconds ?? 0) }));
}
