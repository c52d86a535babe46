import { sql } from 'drizzle-orm';
import { CODE_CHANGED } from '#host/codes/code/store';
import type { Orm } from '#host/db/client';

/**
 * Ends codes whose visits have reached the number at which they end, and has their owners told, as of 90 % of it. For
 * codes whose visits were just counted, with deleted ones, as they may be brought back; outside of the counting
 * transaction, whose locks are in another order.
 */
export async function endVisitedCodes(orm: Orm, codeIds: readonly string[], now: Date): Promise<void> {
  const at = now.toISOString();
  await orm.execute(sql`
    with reached as materialized (
      select codes.id, scans + clicks >= (routing->'end'->>'visits')::bigint as is_over
      from codes join code_totals on code_id = codes.id
      where codes.id = any (${sql.param([...codeIds])}::uuid[])
        and routing->'end'->>'visits' is not null and routing->'end'->>'reachedAt' is null
        and scans + clicks >= 0.9 * (routing->'end'->>'visits')::bigint
        and (routing->'end'->>'noticedAt' is null or scans + clicks >= (routing->'end'->>'visits')::bigint)
      order by codes.id for update of codes
    ), changed as (
      update codes set routing = jsonb_set(routing, '{end}', routing->'end' ||
        case when is_over then jsonb_build_object('reachedAt', ${at}::text)
          else jsonb_build_object('noticedAt', ${at}::text) end)
      from reached where reached.id = codes.id returning codes.id, slug, is_over
    ), due as (
      insert into jobs (kind, subject, dedupe_key, due_at)
      select 'routing', id, 'routing:' || id, ${at}::timestamptz from changed
      on conflict (dedupe_key) do update set due_at = excluded.due_at, done_at = null, claimed_until = null,
        failures = 0, last_error = null
    )
    select count(pg_notify(${CODE_CHANGED}, slug)) from changed where is_over`);
}
