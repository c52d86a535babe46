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
  return (await readActivities(orm, accountId, limit)).map(present);
}

const PAGE = 1_000;

/** All activities of an account, newest first, in pages. */
export async function* exportActivities(orm: Orm, accountId: string): AsyncGenerator<Activity[]> {
  let last: ActivityRow | undefined;
  do {
    const rows = await readActivities(orm, accountId, PAGE, last);
    yield rows.map(present);
    last = rows.at(PAGE - 1);
  } while (last);
}

type ActivityRow = Awaited<ReturnType<typeof readActivities>>[number];

function readActivities(orm: Orm, accountId: string, limit: number, last?: { id: string; at: Date }) {
  const isAfter = last && sql`(${activities.at}, ${activities.id}) < (${last.at.toISOString()}, ${last.id})`;
  return orm
    .select({
      id: activities.id,
      type: activities.type,
      at: activities.at,
      codes: activities.codes,
      code: { id: codes.id, type: codes.type, name: codes.name, content: codes.content },
    })
    .from(activities)
    .leftJoin(codes, and(eq(codes.id, activities.codeId), isNull(codes.deletedAt)))
    .where(and(eq(activities.accountId, accountId), isAfter))
    .orderBy(desc(activities.at), desc(activities.id))
    .limit(limit);
}

function present({ id: _, at, ...activity }: ActivityRow): Activity {
  return { ...activity, at: at.toISOString() };
}
