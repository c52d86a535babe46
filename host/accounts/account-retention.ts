import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { TAG_OF } from '#contract/locales';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { subscriptions } from '#host/db/subscriptions.tables';
import { runSequentially } from '#host/http/background';
import type { Deps } from '#host/http/deps';
import { queueMail } from '#host/mail/outbox';
import { dropOldDevices } from '#host/sessions/known-devices.store';
import { dropOldSessions } from '#host/sessions/sessions.store';
import { dropOldLimits } from './account-limits';
import type { AccountRow } from './accounts.store';
import { audit } from './audit';
import { eraseAccount } from './erasure';
import { dropOldMailTokens } from './mail-tokens';

const DAY_MS = 24 * 3_600_000;
/** Specification section 9: three years after the last purchase or sign-in. */
const UNUSED_YEARS = 3;
const NOTICE_MS = 30 * DAY_MS;
const BATCH = 100;

/** Drops what has outlived its use: links, sessions, known devices, limits, and accounts nobody used for three years. */
export async function dropOldAccountData(deps: Deps, now: Date): Promise<void> {
  const { orm } = deps.db;
  await runSequentially(
    [
      () => dropOldMailTokens(orm, now),
      () => dropOldSessions(orm, now),
      () => dropOldDevices(orm, now),
      () => dropOldLimits(orm, now),
      () => announceDeletions(deps, now),
      () => dropUnusedAccounts(deps, now),
    ],
    (drop) => drop(),
  );
}

/** Erases accounts unused for three years, whose owners were told at least 30 days before. */
async function dropUnusedAccounts(deps: Deps, now: Date): Promise<void> {
  const told = new Date(now.getTime() - NOTICE_MS);
  await runSequentially(await listUnused(deps.db.orm, yearsBefore(now), told), async (account) => {
    await eraseAccount(deps, account, now);
    audit(deps.log, 'account_expired', { account: account.id });
  });
}

async function announceDeletions({ db, settings }: Deps, now: Date): Promise<void> {
  const goesAt = new Date(now.getTime() + NOTICE_MS);
  await runSequentially(await listUnused(db.orm, yearsBefore(goesAt), null), async (account) => {
    const { id, email: to, locale } = account;
    const date = new Intl.DateTimeFormat(TAG_OF[locale], { dateStyle: 'long', timeZone: 'UTC' }).format(
      goesAt,
    );
    const values = { date, actionUrl: `${settings.publicUrl}/login` };
    await db.orm.transaction(async (transaction) => {
      await transaction.update(accounts).set({ deletionToldAt: now }).where(eq(accounts.id, id));
      await queueMail(transaction, { to, locale, template: 'account-mail.inactivity_notice', values }, now);
    });
  });
}

/** Accounts last used before `before`: not told of their end yet, or told before `told`. */
async function listUnused(orm: Orm, before: Date, told: Date | null): Promise<AccountRow[]> {
  const rows = await orm
    .select({ account: accounts })
    .from(accounts)
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(
      and(
        isNull(accounts.deletedAt),
        lt(sql`coalesce(${accounts.lastLoginAt}, ${accounts.createdAt})`, before.toISOString()),
        or(isNull(subscriptions.accessUntil), lt(subscriptions.accessUntil, before)),
        told ? lt(accounts.deletionToldAt, told) : isNull(accounts.deletionToldAt),
      ),
    )
    .orderBy(accounts.id)
    .limit(BATCH);
  return rows.map(({ account }) => account);
}

function yearsBefore(date: Date): Date {
  const before = new Date(date);
  before.setUTCFullYear(before.getUTCFullYear() - UNUSED_YEARS);
  return before;
}
