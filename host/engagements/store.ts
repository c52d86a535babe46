import type { Act } from '#contract/contents/contents';
import type { Database } from '#host/db/client';

export interface EngagementRow {
  codeId: string;
  /** UTC day. */
  day: string;
  /** Number of the visitor on that day. */
  visitor: string;
  kind: Act | 'copy' | 'report';
}

/**
 * Counts an engagement: each kind once per person, code and UTC day, however often and concurrently it is reported, and
 * only if the person was counted as a visitor of that code on that day, so that engagements never exceed visitors. From
 * the day of a code's first report on, its visitors count as measured, including earlier ones of that day. Returns
 * whether the person was a visitor, and whether this was counted.
 */
export async function countEngagement(
  { query }: Pick<Database, 'query'>,
  { codeId, day, visitor, kind }: EngagementRow,
): Promise<{ isVisitor: boolean; isNew: boolean }> {
  const [row] = await query<{ visitors: number; counted: number }>({
    name: 'engagement_count',
    text: COUNT,
    values: [codeId, day, visitor, kind],
  });
  return { isVisitor: row?.visitors === 1, isNew: row?.counted === 1 };
}

/**
 * One statement, so one transaction. Conflicting inserts decide: of two concurrent ones the later waits for the
 * earlier. Visitors are locked in the same order as by a batch of visits.
 */
const COUNT = `
with person as materialized (
  select v.code_id, v.day, v.visitor, c.account_id from visitor_days v join codes c on c.id = v.code_id
  where v.code_id = $1::uuid and v.day = $2::date and v.visitor = $3::bigint and c.deleted_at is null
), acts as (
  insert into engagements (code_id, day, visitor, kind)
  select code_id, day, visitor, kind from person, (values ('any'), ($4::text)) as kinds (kind) order by kind
  on conflict do nothing returning kind
), counted as materialized (
  select count(*) filter (where kind <> 'any')::int as engagements, count(*) filter (where kind = 'any')::int as engaged
  from acts
), began as (
  insert into code_beacons (code_id, since)
  select code_id, day from person, counted where $4::text = 'report' and engagements > 0
  on conflict do nothing returning code_id, since
), met as (
  insert into account_visitors (account_id, day, visitor, step)
  select account_id, day, visitor, step from (
    select account_id, day, visitor, step from person, counted, (values (1), (2)) as steps (step) where engagements > 0
    union
    select account_id, v.day, v.visitor, 1 from began, person, visitor_days v
    where v.code_id = began.code_id and v.day = began.since
  ) as steps order by account_id, day, visitor, step
  on conflict do nothing returning step
), of_code as (
  insert into code_engagements as t (code_id, day, engagements, engaged)
  select code_id, day, engagements, engaged from person, counted where engagements > 0
  on conflict (code_id, day)
    do update set engagements = t.engagements + excluded.engagements, engaged = t.engaged + excluded.engaged
), of_account as (
  insert into account_days as t (account_id, day, measured, engaged, engagements)
  select account_id, day, (select count(*) from met where step = 1), (select count(*) from met where step = 2),
    engagements
  from person, counted where engagements > 0
  on conflict (account_id, day) do update set measured = t.measured + excluded.measured,
    engaged = t.engaged + excluded.engaged, engagements = t.engagements + excluded.engagements
)
select (select count(*)::int from person) as visitors, engagements as counted from counted`;
