import { eq, sql } from 'drizzle-orm';
import type { CodeType } from '#contract/codes';
import { queueInsightMail } from '#host/accounts/insight-mail';
import type { AccountRow } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import { mailSettings, visitedCodes } from '#host/db/insight.tables';
import { readRows } from '#host/db/orm';
import type { Deps } from '#host/http/deps';
import { listOf, nameOf, titleOf } from './wording';

/** The oldest transaction that may still count visits, as `code_totals` has it. */
const POSITION = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint / 1024`;

/** From now on, the first visits of codes are news that were not visited yet. */
export async function beginFirstScans(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(visitedCodes).where(eq(visitedCodes.accountId, accountId));
  await orm.update(mailSettings).set({ countedIn: POSITION }).where(eq(mailSettings.accountId, accountId));
  await takeVisited(orm, accountId, 0);
}

/**
 * Queues one mail about all codes whose first visit was counted since the last look; returns whether there are any. Only
 * codes that were counted since then are read, by an index.
 */
export async function mailFirstScans(
  orm: Orm,
  deps: Pick<Deps, 'settings'>,
  account: AccountRow,
  now: Date,
): Promise<boolean> {
  const isOwn = eq(mailSettings.accountId, account.id);
  const [before] = await orm.select({ countedIn: mailSettings.countedIn }).from(mailSettings).where(isOwn);
  await orm.update(mailSettings).set({ countedIn: POSITION }).where(isOwn);
  const codes = await takeVisited(orm, account.id, before?.countedIn ?? 0);
  const [first] = codes;
  if (!first) return false;
  const { publicUrl } = deps.settings;
  const named = codes.map((code) => ({ ...code, name: nameOf(code) }));
  const values = {
    title: titleOf('first_scan', named, account.locale),
    codes: listOf(
      named.map(({ name }) => name),
      account.locale,
    ),
    actionUrl: codes.length === 1 ? `${publicUrl}/user/qrcodes/${first.id}` : `${publicUrl}/user/qrcodes`,
  };
  const dedupeKey = `first-scan:${first.id}`;
  await queueInsightMail(
    orm,
    deps,
    account,
    { kind: 'firstScan', template: 'insight-mail.first_scan', values, dedupeKey },
    now,
  );
  return true;
}

interface VisitedCode {
  id: string;
  type: CodeType;
  name: string | null;
  content: string;
}

/** Notes codes as visited; returns those for which that is news and that still exist and are counted. */
async function takeVisited(orm: Orm, accountId: string, countedIn: number): Promise<VisitedCode[]> {
  return readRows<VisitedCode>(
    orm,
    sql`with taken as (
      insert into visited_codes (account_id, code_id)
      select account_id, code_id from code_totals
      where account_id = ${accountId} and counted_in >= ${countedIn} and scans + clicks > 0
      on conflict do nothing returning code_id
    )
    select id, type, name, content from taken join codes on id = code_id
    where codes.account_id = ${accountId} and deleted_at is null and is_counted order by number`,
  );
}
