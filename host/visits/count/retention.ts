import { and, eq, inArray, lt, lte, ne, type SQL, sql } from 'drizzle-orm';
import { DAY_MS, utcDay } from '#contract/time';
import { detachCodes } from '#host/codes/code/erase';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { jobs } from '#host/db/jobs.tables';
import { readRows } from '#host/db/orm';
import { describePartitions, dropDaysBefore, indexPartition, isGone } from '#host/db/partitions';
import {
  accountDays,
  accountFacets,
  accountHours,
  accountVisitors,
  codeBeacons,
  codeEngagements,
  codeMarks,
  dayFigures,
  engagements,
  waitingEngagements,
} from '#host/db/statistics.tables';
import {
  campaignDays,
  codeTotals,
  routeDays,
  visitHours,
  visitIds,
  visitLanes,
  visitorDays,
  visitSalts,
} from '#host/db/visits.tables';
import { claimJobs, enqueueJob, inSeconds } from '#host/jobs/queue';
import { accountKeyOf } from './account-key';

/** How long single visits are kept. */
export const RAW_VISITS_MS = 90 * DAY_MS;
/** Far longer than a batch can wait in the spool of a host that is stopped. */
const LANE_RETENTION_MS = 365 * DAY_MS;

/**
 * Destroys the salts of past UTC days: from then on their visitors cannot be identified. The rows stay, so that no new
 * salt is created for such a day, with which a visitor in a late batch would be counted twice.
 */
export async function destroyOldSalts(orm: Orm, now: Date): Promise<void> {
  await orm
    .update(visitSalts)
    .set({ salt: '' })
    .where(and(lt(visitSalts.day, utcDay(now)), ne(visitSalts.salt, '')));
}

/** Longer than the other record of a visit waits in the spool of a host that is stopped. */
const IDS_RETENTION_MS = 30 * DAY_MS;

/**
 * Drops single visits, a UTC day at a time and before any exceeds the promised age; counters stay. Also drops the lanes
 * of processes that are gone, and old ids of visits.
 */
export async function dropOldVisits(orm: Orm, now: Date): Promise<void> {
  await dropDaysBefore(orm, 'visits', utcDay(now.getTime() - RAW_VISITS_MS + DAY_MS));
  await orm.delete(visitLanes).where(lt(visitLanes.at, new Date(now.getTime() - LANE_RETENTION_MS)));
  await orm.delete(visitIds).where(lt(visitIds.at, new Date(now.getTime() - IDS_RETENTION_MS)));
}

const TABLES_BY_CODE = [
  visitHours,
  visitorDays,
  codeTotals,
  routeDays,
  campaignDays,
  codeMarks,
  codeEngagements,
  engagements,
  waitingEngagements,
  codeBeacons,
];
const TABLES_BY_ACCOUNT = [accountHours, accountFacets, accountDays, accountVisitors];

/** Deleting from this many pages of 8 kB takes some hundredths of a second. */
const PAGES_PER_STATEMENT = 1_000;
const ROWS_PER_STATEMENT = 5_000;
/** Visits of unknown slugs have no account: the index does without them. */
const HAS_CODE = 'code_id is not null';
/** After this time another host takes over from one that died. */
const CLAIM_SECONDS = 10 * 60;
const RENEWAL_MS = 60_000;

const isErasure = eq(jobs.kind, 'visit_erasure');

/**
 * Deletes all counters and visitor hashes of an account and its codes, and schedules the deletion of its single visits.
 * For use in a transaction that has locked the account.
 */
export async function eraseVisits(orm: Orm, accountId: string, now: Date): Promise<void> {
  // Always by index: the duration of a sequential scan grows with the visits of all accounts.
  await orm.execute(sql`set local enable_seqscan = off`);
  for (const table of TABLES_BY_CODE)
    await orm.delete(table).where(inArray(table.codeId, codesOf(orm, accountId)));
  for (const table of TABLES_BY_ACCOUNT) await orm.delete(table).where(eq(table.accountId, accountId));
  // Last: a host that is folding holds rows of the others until its figures can be seen.
  await orm.delete(dayFigures).where(inArray(dayFigures.subjectId, codesOf(orm, accountId)));
  await orm.delete(dayFigures).where(eq(dayFigures.subjectId, accountId));
  const dedupeKey = `visit_erasure:${accountId}`;
  await enqueueJob(orm, { kind: 'visit_erasure', subject: accountId, dedupeKey, dueAt: now });
}

/**
 * Indexes past days by account: new visits do not have to maintain the index, and an account is erased without scanning
 * the visits of all others; and by code within it, to find a code's last visits. Days of an earlier release are indexed by code, and stay so.
 */
export async function indexOldVisits(orm: Orm, now: Date): Promise<void> {
  for (const { name, end, isIndexed } of await describePartitions(orm, 'visits')) {
    if (end !== null && end <= utcDay(now) && !isIndexed)
      await indexPartition(orm, name, `(account_key, code_id) where ${HAS_CODE}`);
  }
}

/**
 * Deletes the single visits of all erased accounts in one pass over all days: by index, or some pages at a time if there
 * is none, so that no statement blocks counting for long. One host does this at a time; accounts that are erased
 * meanwhile wait for the next pass.
 */
export async function eraseSingleVisits(orm: Orm, now: Date): Promise<void> {
  const accountIds = await claimErasures(orm, now);
  if (accountIds.length === 0) return;
  const erasedAccounts = sql`any (${sql.param(accountIds)}::uuid[])`;
  const isClaimed = and(isErasure, inArray(jobs.subject, accountIds));
  const keys = accountIds.map(accountKeyOf);
  // Visits that an earlier release counted have no key.
  const isErased = sql`(account_key = any (${sql.param(keys)}::int[]) or account_key is null)
    and code_id in (select id from codes where account_id = ${erasedAccounts})`;
  let renewedAt = performance.now();
  for (const partition of await describePartitions(orm, 'visits')) {
    try {
      if (partition.isIndexed) await eraseByIndex(orm, partition.name, isErased);
      else await eraseByPages(orm, partition, isErased);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    if (performance.now() - renewedAt < RENEWAL_MS) continue;
    const claimedUntil = inSeconds(CLAIM_SECONDS);
    await orm.update(jobs).set({ claimedUntil }).where(isClaimed);
    renewedAt = performance.now();
  }
  // Not earlier: until then the single visits are found by the account of their code.
  await detachCodes(orm, accountIds, now);
  await orm.delete(jobs).where(isClaimed);
}

/** The accounts that are due; none while another host is working on earlier ones. */
async function claimErasures(orm: Orm, now: Date): Promise<string[]> {
  const isFree = sql`not exists (select from jobs where kind = 'visit_erasure' and claimed_until > now())`;
  const isDue = and(isErasure, lte(jobs.dueAt, now), isFree);
  const claimed = await claimJobs(orm, isDue, { limit: 1_000, seconds: CLAIM_SECONDS });
  return claimed.map(({ subject }) => subject);
}

async function eraseByPages(
  orm: Orm,
  { name, pages }: { name: string; pages: number },
  isErased: SQL,
): Promise<void> {
  for (let page = 0; page < pages; page += PAGES_PER_STATEMENT) {
    await orm.execute(sql`delete from ${sql.identifier(name)}
      where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${page + PAGES_PER_STATEMENT},0)`}::tid
        and ${isErased}`);
  }
}

async function eraseByIndex(orm: Orm, name: string, isErased: SQL): Promise<void> {
  const partition = sql.identifier(name);
  let removed = ROWS_PER_STATEMENT;
  while (removed === ROWS_PER_STATEMENT) {
    const [row] = await readRows<{ removed: number }>(
      orm,
      sql`with gone as (
        delete from ${partition} where ctid = any (array(
          select ctid from ${partition} where ${sql.raw(HAS_CODE)} and ${isErased} limit ${ROWS_PER_STATEMENT}
        )) returning 1
      ) select count(*)::int as removed from gone`,
    );
    removed = row?.removed ?? 0;
  }
}

function codesOf(orm: Orm, accountId: string) {
  return orm.select({ id: codes.id }).from(codes).where(eq(codes.accountId, accountId));
}
