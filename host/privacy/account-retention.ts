import { and, eq, gt, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { LOCALES } from '#contract/locales';
import { DAY_MS } from '#contract/time';
import { dropOldLimits } from '#host/accounts/account-limits';
import { audit } from '#host/accounts/audit';
import { dropOldMailTokens } from '#host/accounts/mail-tokens';
import { dropOldOauthRecords } from '#host/accounts/oauth-records';
import { lockAccount } from '#host/accounts/store';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { subscriptions } from '#host/db/subscriptions.tables';
import { runSequentially } from '#host/http/background';
import type { Deps } from '#host/http/deps';
import { dropOldRequests } from '#host/http/idempotency';
import { queueMail } from '#host/mail/outbox';
import { dropOldDevices } from '#host/sign-in/known-devices';
import { dropOldSessions } from '#host/sign-in/sessions';
import { dropOldSharedReports } from '#host/statistics/shared-reports';
import { dropOldDeliveries } from '#host/webhooks/deliveries';
import { eraseAccount } from './erasure';

/** Three years after the last purchase or sign-in. */
const UNUSED_YEARS = 3;
const NOTICE_MS = 30 * DAY_MS;
const BATCH = 100;

/** Drops what has served: links, sessions, devices, limits, answers to programs, messages to webhooks, authorizations, and accounts unused for three years. */
export async function dropOldAccountData(deps: Deps, now: Date): Promise<void> {
  const { orm } = deps.db;
  await runSequentially(
    [
      () => dropOldMailTokens(orm, now),
      () => dropOldSessions(orm, now),
      () => dropOldDevices(orm, now),
      () => dropOldLimits(orm, now),
      () => dropOldRequests(orm, now),
      () => dropOldDeliveries(orm, now),
      () => dropOldOauthRecords(orm, now),
      () => dropOldSharedReports(orm, now),
      () => announceDeletions(deps, now),
      () => dropUnusedAccounts(deps, now),
    ],
    (drop) => drop(),
  );
}

/** Erases accounts unused for three years whose owners were notified at least 30 days ago. */
async function dropUnusedAccounts(deps: Deps, now: Date): Promise<void> {
  const unused = isUnused(yearsBefore(now), new Date(now.getTime() - NOTICE_MS));
  await runSequentially(await listIds(deps.db.orm, unused), async (id) => {
    const isDue = (orm: Orm) => isStill(orm, id, unused);
    const isErased = await eraseAccount(deps, id, { now, keepsLinks: true, isDue });
    if (isErased) audit(deps.log, 'account_expired', { account: id });
  });
}

async function announceDeletions({ db, settings }: Deps, now: Date): Promise<void> {
  const deletionAt = new Date(now.getTime() + NOTICE_MS);
  const unused = isUnused(yearsBefore(deletionAt), null);
  await runSequentially(await listIds(db.orm, unused), (id) =>
    db.orm.transaction(async (transaction) => {
      const account = await lockAccount(transaction, id);
      if (!account || !(await isStill(transaction, id, unused))) return;
      const { email: to, locale } = account;
      const timeZone = account.timeZone ?? LOCALES[locale].zone;
      const day = new Intl.DateTimeFormat(LOCALES[locale].tag, { dateStyle: 'long', timeZone });
      const values = { date: day.format(deletionAt), actionUrl: `${settings.publicUrl}/login` };
      await transaction.update(accounts).set({ deletionToldAt: now }).where(eq(accounts.id, id));
      await queueMail(transaction, { to, locale, template: 'account-mail.inactivity_notice', values }, now);
    }),
  );
}

/**
 * Whether an account was last used before `before`, and its owner has not been notified of its deletion yet, or was
 * before `notifiedBefore`. A notice from before the last paid time does not count.
 */
function isUnused(before: Date, notifiedBefore: Date | null) {
  const { accessUntil } = subscriptions;
  const { deletionToldAt } = accounts;
  return and(
    isNull(accounts.deletedAt),
    lt(sql`coalesce(${accounts.lastLoginAt}, ${accounts.createdAt})`, before.toISOString()),
    or(isNull(accessUntil), lt(accessUntil, before)),
    notifiedBefore
      ? and(lt(deletionToldAt, notifiedBefore), or(isNull(accessUntil), gt(deletionToldAt, accessUntil)))
      : or(isNull(deletionToldAt), lte(deletionToldAt, accessUntil)),
  );
}

async function listIds(orm: Orm, condition: SQL | undefined): Promise<string[]> {
  const rows = await orm
    .select({ id: accounts.id })
    .from(accounts)
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(condition)
    .orderBy(accounts.id)
    .limit(BATCH);
  return rows.map(({ id }) => id);
}

/** A batch takes a while, so the condition is checked again on the locked account, which cannot be used meanwhile. */
async function isStill(orm: Orm, id: string, condition: SQL | undefined): Promise<boolean> {
  return (await listIds(orm, and(eq(accounts.id, id), condition))).length > 0;
}

function yearsBefore(date: Date): Date {
  const before = new Date(date);
  before.setUTCFullYear(before.getUTCFullYear() - UNUSED_YEARS);
  return before;
}
