import { sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/rows';

export const QUEUES = ['visit_journal', 'billing_jobs', 'code_jobs', 'mails', 'link_requests'] as const;
export type Queue = (typeof QUEUES)[number];

export interface Depth {
  queue: Queue;
  /** Visits in the journal, unsent mails, or due rows of the other queues. */
  depth: number;
  /** How long the oldest has been waiting; 0 if there is none. */
  oldestSeconds: number;
}

/**
 * The depth of each queue, read through the index by which it is processed. The journal's age is by the clock of the
 * database, which wrote it; the others are due by the clock of the product. Mails and jobs on codes count from when
 * they were requested, because each failure postpones when they are due.
 */
export async function readQueueDepths(orm: Orm, now: Date): Promise<Depth[]> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const rows = await readRows<Depth>(
    orm,
    sql`
    select 'visit_journal' as queue, coalesce(sum(size), 0)::float8 as depth,
      extract(epoch from clock_timestamp() - min(at))::float8 as "oldestSeconds" from visit_journal
    union all
    select 'billing_jobs', count(*)::float8, extract(epoch from ${at} - min(due_at))::float8 from billing_jobs
      where done_at is null and due_at <= ${at}
    union all
    select 'code_jobs', count(*)::float8, extract(epoch from ${at} - min(created_at))::float8 from code_jobs
      where status = 'running' and due_at <= ${at}
    union all
    select 'mails', count(*)::float8, extract(epoch from ${at} - min(created_at))::float8 from mails
      where sent_at is null and given_up_at is null
    union all
    select 'link_requests', count(*)::float8, extract(epoch from ${at} - min(created_at))::float8
      from link_requests`,
  );
  return rows.map((row) => ({ ...row, oldestSeconds: Math.max(0, row.oldestSeconds ?? 0) }));
}
