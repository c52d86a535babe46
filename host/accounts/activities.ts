import { randomUUID } from 'node:crypto';
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Activity } from '#contract/dashboard';
import { accounts, activities } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import type { Deps } from '#host/http/deps';
import { queueMail } from '#host/mail/outbox';
import type { Template } from '#host/mail/texts';
import type { AccountRow } from './store';

type ActivityType = typeof activities.$inferInsert.type;

/**
 * Records an activity that the dashboard shows as recent, unless the account is erased; `about` are the codes
 * concerned.
 */
export async function recordActivity(
  orm: Orm,
  accountId: string,
  type: ActivityType,
  at: Date,
  about: { codeId?: string; codes?: number } = {},
): Promise<void> {
  const { codeId = null, codes: count = codeId === null ? 0 : 1 } = about;
  const live = orm
    .select({
      id: sql`${randomUUID()}::uuid`.as('id'),
      accountId: accounts.id,
      type: sql`${type}`.as('type'),
      at: sql`${at.toISOString()}::timestamptz`.as('at'),
      codeId: sql`${codeId}::uuid`.as('code_id'),
      codes: sql`${count}::int`.as('codes'),
    })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)))
    .for('key share');
  await orm.insert(activities).select(live);
}

type NameOf<Mail> = Mail extends `account-mail.${infer Name}` ? Name : never;

/** Notifies the owner of an account of a change by mail and in the recent activities of the dashboard. */
export async function notifyOwner(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  { id, email: to, locale }: AccountRow,
  {
    change,
    path,
    ...values
  }: { change: Extract<ActivityType, NameOf<Template>>; path: string; name?: string; url?: string },
  now: Date,
): Promise<void> {
  await recordActivity(orm, id, change, now);
  const actionUrl = `${settings.publicUrl}${path}`;
  const mail = { template: `account-mail.${change}` as const, values: { ...values, actionUrl } };
  await queueMail(orm, { to, locale, ...mail }, now);
}

/** The newest activities of an account, newest first. */
export async function listActivities(orm: Orm, accountId: string, limit: number): Promise<Activity[]> {
  const rows = await orm
    .select({
      type: activities.type,
      at: activities.at,
      codes: activities.codes,
      code: { id: codes.id, type: codes.type, name: codes.name, content: codes.content },
    })
    .from(activities)
    .leftJoin(codes, and(eq(codes.id, activities.codeId), isNull(codes.deletedAt)))
    .where(eq(activities.accountId, accountId))
    .orderBy(desc(activities.at), desc(activities.id))
    .limit(limit);
  return rows.map(({ at, ...activity }) => ({ ...activity, at: at.toISOString() }));
}
