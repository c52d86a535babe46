import type { Database } from '#host/db/client';
import type { EngagementRow } from './engagements.store';

type Queries = Pick<Database, 'query'>;

/** Keeps an engagement until the visit before it is counted. */
export async function keepEngagement(
  { query }: Queries,
  { codeId, day, visitor, kind }: EngagementRow,
): Promise<void> {
  await query({
    name: 'engagement_keep',
    text: `insert into waiting_engagements (code_id, day, visitor, kind) values ($1, $2, $3, $4)
      on conflict do nothing`,
    values: [codeId, day, visitor, kind],
  });
}

/** Kept engagements of persons who are visitors by now, so many at most. */
export async function listReadyEngagements({ query }: Queries, limit: number): Promise<EngagementRow[]> {
  return query<EngagementRow>({
    name: 'engagements_ready',
    text: `select code_id as "codeId", day::text, visitor::text, kind from waiting_engagements w
      where exists (
        select from visitor_days v where v.code_id = w.code_id and v.day = w.day and v.visitor = w.visitor
      ) limit $1`,
    values: [limit],
  });
}

export async function forgetEngagement(
  { query }: Queries,
  { codeId, day, visitor, kind }: EngagementRow,
): Promise<void> {
  await query({
    name: 'engagement_forget',
    text: 'delete from waiting_engagements where code_id = $1 and day = $2 and visitor = $3 and kind = $4',
    values: [codeId, day, visitor, kind],
  });
}

/** Drops what was kept for longer than so many seconds; answers how many engagements are still kept. */
export async function dropWaitingEngagements({ query }: Queries, seconds: number): Promise<number> {
  const [row] = await query<{ left: number }>({
    name: 'engagements_drop',
    text: `with old as (
        delete from waiting_engagements where since < now() - $1::int * interval '1 second' returning 1
      ) select ((select count(*) from waiting_engagements) - (select count(*) from old))::int as left`,
    values: [seconds],
  });
  return row?.left ?? 0;
}
