import { and, arrayOverlaps, eq, isNull, sql } from 'drizzle-orm';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/time';
import type { WebhookEvent } from '#contract/webhook-events';
import { findProfile } from '#host/accounts/store';
import { type NewEvent, recordEvents } from '#host/codes/code/webhook-events';
import type { Orm } from '#host/db/client';
import { jobs } from '#host/db/jobs.tables';
import { readRows } from '#host/db/orm';
import { webhookPositions, webhooks, webhookTotals } from '#host/db/webhooks.tables';
import type { Deps } from '#host/http/deps';
import { enqueueJob, type Job, JobQueue, postponeJob } from '#host/jobs/queue';
import type { WebhookRow } from './store';

const KIND = 'webhook_visits';
/** How often the visits of an account are looked at. */
const EVERY_MS = 10_000;
/** By then the visits of an hour are counted. */
const COUNTED_MS = 2 * MINUTE_MS;
/** Hours that are told late, after no host was running. */
const LATEST_MS = DAY_MS;
const OF_VISITS: WebhookEvent[] = ['code.first_visit', 'code.milestone', 'visits.hourly'];

/** The oldest transaction that may still count visits, as `code_totals` has it. */
const POSITION = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint / 1024`;

/** From now on, the visits of an account are looked at for a webhook that is told of some. */
export async function scheduleVisits(orm: Orm, webhook: WebhookRow, now: Date): Promise<void> {
  const { accountId, events, offAt } = webhook;
  if (offAt || !OF_VISITS.some((type) => events.includes(type))) return;
  // Locked in any case and first: whoever looks now, and finds that nobody wants visits, waits to see that this one does.
  const [position] = await orm
    .insert(webhookPositions)
    .values({ accountId, countedIn: POSITION as never, hour: hourOf(now) })
    .onConflictDoUpdate({ target: webhookPositions.accountId, set: { accountId } })
    .returning({ isNew: sql<boolean>`xmax = 0` });
  await enqueueJob(orm, { kind: KIND, subject: accountId, dedupeKey: `${KIND}:${accountId}`, dueAt: now });
  // Visits from before anybody asked are no news.
  if (position?.isNew) await takeTotals(orm, accountId, 0);
}

/** Tells of the visits of every account that is due. */
export async function tellVisits(deps: Deps, now: Date, stopping?: AbortSignal): Promise<void> {
  const queue = new JobQueue(deps, { [KIND]: (job: Job) => tellAccount(deps, job, now) });
  await queue.runDue(now, stopping);
}

async function tellAccount({ db }: Deps, job: Job, now: Date): Promise<void> {
  await db.orm.transaction(async (orm) => {
    const accountId = job.subject;
    const isOf = eq(webhookPositions.accountId, accountId);
    const [position] = await orm.select().from(webhookPositions).where(isOf).for('update');
    const isWanted = and(
      eq(webhooks.accountId, accountId),
      isNull(webhooks.offAt),
      arrayOverlaps(webhooks.events, OF_VISITS),
    );
    if (!position || (await orm.$count(webhooks, isWanted)) === 0) {
      await orm.delete(webhookPositions).where(isOf);
      await orm.delete(webhookTotals).where(eq(webhookTotals.accountId, accountId));
      await orm.delete(jobs).where(eq(jobs.id, job.id));
      return;
    }
    const profile = await findProfile(orm, accountId, now);
    // After an outage the visits that hosts kept meanwhile are still to be counted.
    const isLate = now.getTime() - job.dueAt.getTime() > COUNTED_MS;
    // Never back: the hour before a webhook was made is not told.
    const hour = isLate
      ? position.hour
      : hourOf(new Date(Math.max(position.hour.getTime(), now.getTime() - COUNTED_MS)));
    await orm
      .update(webhookPositions)
      .set({ countedIn: POSITION as never, hour })
      .where(isOf);
    const totals = await takeTotals(orm, accountId, position.countedIn);
    // Figures are paid for.
    if (profile?.subscription?.running) {
      await recordEvents(
        orm,
        accountId,
        totals.flatMap((counted) => eventsOf(counted, now)),
      );
      const first = Math.max(position.hour.getTime(), hour.getTime() - LATEST_MS);
      for (let from = first; from < hour.getTime(); from += HOUR_MS)
        await recordEvents(orm, accountId, await readHour(orm, accountId, new Date(from)));
    }
    await postponeJob(orm, job, new Date(now.getTime() + (isLate ? COUNTED_MS : EVERY_MS)));
  });
}

interface Counted {
  codeId: string;
  before: number;
  visits: number;
}

/** Notes how many visits codes have; returns those that have more than was noted before, and are counted. */
async function takeTotals(orm: Orm, accountId: string, countedIn: number): Promise<Counted[]> {
  return readRows<Counted>(
    orm,
    sql`with counted as (
      select t.code_id, scans + clicks as visits, coalesce(known.visits, 0) as before
      from code_totals t left join webhook_totals known on known.code_id = t.code_id
      where t.account_id = ${accountId} and t.counted_in >= ${countedIn} and scans + clicks > coalesce(known.visits, 0)
    ), noted as (
      insert into webhook_totals (code_id, account_id, visits) select code_id, ${accountId}, visits from counted
      on conflict (code_id) do update set visits = excluded.visits
    )
    select id as "codeId", before, visits from counted join codes on id = code_id
    where codes.account_id = ${accountId} and deleted_at is null and is_counted order by number`,
  );
}

/** The first visit, and each power of ten from 10 on that was reached. */
function eventsOf({ codeId, before, visits }: Counted, at: Date): NewEvent[] {
  const events: NewEvent[] = before === 0 ? [{ type: 'code.first_visit', codeId, at }] : [];
  for (let milestone = 10; milestone <= visits; milestone *= 10)
    if (milestone > before) events.push({ type: 'code.milestone', codeId, at, details: { milestone } });
  return events;
}

interface HourOfCode {
  codeId: string;
  scans: number;
  clicks: number;
}

/** What is told of an hour that is over: the visits by people of each code that had any. Past days are folded. */
async function readHour(orm: Orm, accountId: string, hour: Date): Promise<NewEvent[]> {
  const start = hour.toISOString();
  const place = String(hour.getUTCHours());
  const rows = await readRows<HourOfCode>(
    orm,
    sql`select t.code_id as "codeId", sum(one.scans)::bigint as scans, sum(one.clicks)::bigint as clicks
    from code_totals t join codes on codes.id = t.code_id, lateral (
      select count as scans, 0 as clicks from visit_hours h
      where h.code_id = t.code_id and h.hour = ${start}::timestamptz and class = 'human' and source = 'scan'
      union all
      select 0, count from visit_hours h
      where h.code_id = t.code_id and h.hour = ${start}::timestamptz and class = 'human' and source = 'click'
      union all
      select (figures::jsonb->'hours'->${place}->>0)::bigint, (figures::jsonb->'hours'->${place}->>1)::bigint
      from day_figures where subject_id = t.code_id and day = ${start.slice(0, 10)}
    ) as one
    where t.account_id = ${accountId} and t.last_at >= ${start}::timestamptz and deleted_at is null and is_counted
    group by t.code_id having sum(one.scans + one.clicks) > 0 order by t.code_id`,
  );
  const at = new Date(hour.getTime() + HOUR_MS);
  return rows.map(({ codeId, scans, clicks }) => ({
    type: 'visits.hourly',
    codeId,
    at,
    details: { hour: start, visits: scans + clicks, scans, clicks },
  }));
}

function hourOf(at: Date): Date {
  return new Date(at.getTime() - (at.getTime() % HOUR_MS));
}
