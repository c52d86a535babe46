import {
  and,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  sql,
} from 'drizzle-orm';
import { type AnyPgColumn, alias } from 'drizzle-orm/pg-core';
import type { Locale } from '#contract/locales';
import { DAY_MS } from '#contract/time';
import type { Orm } from '#host/db/client';
import { DEDUPE_RETENTION_MS } from '#host/db/columns';
import { mails } from '#host/db/mail.tables';
import { claimFor, isUnclaimed } from '#host/jobs/queue';
import type { KeptAttachment } from './outbox';
import { OWED_TEMPLATES } from './owed-templates';
import { type MailValues, missingValues, type RenderedMail } from './render';

/** How long a node may take over a mail before another takes it; longer than any attempt can last. */
const CLAIM_SECONDS = 60;

export interface MailRow {
  id: string;
  to: string;
  replyTo: string | null;
  locale: Locale;
  template: string;
  values: MailValues;
  attachments: KeptAttachment[];
  subject: string | null;
  text: string | null;
  html: string | null;
  createdAt: Date;
  attempts: number;
  /** When its link expires; it is neither sent nor kept after that. */
  usefulUntil: Date | null;
}

const MIN_BACKOFF_SECONDS = 60;
const MAX_BACKOFF_SECONDS = 2 * 60 * 60;

/** Why mails were given up whose link expired. */
export const EXPIRED = 'the link expired';

const CLEARED_CONTENT = { values: {}, attachments: [], subject: null, text: null, html: null };

/** Of the table, or of an alias. */
type Columns = Record<'to' | 'sentAt' | 'givenUpAt', AnyPgColumn>;

/** To be sent; by the same conditions as the indices. */
function isWaiting(table: Columns) {
  return and(isNull(table.sentAt), isNull(table.givenUpAt));
}

function isToSameAddress(one: Columns, other: Columns) {
  return eq(sql`lower(${one.to})`, sql`lower(${other.to})`);
}

/** Whether any mail is to be sent or given up now. */
export async function areMailsDue(orm: Orm, now: Date): Promise<boolean> {
  const found = await orm
    .select({ id: mails.id })
    .from(mails)
    .where(and(isWaiting(mails), or(lte(mails.dueAt, now), lte(mails.usefulUntil, now))))
    .limit(1);
  return found.length > 0;
}

/** Gives up mails whose link has expired. */
export async function giveUpExpiredMails(orm: Orm, now: Date): Promise<void> {
  await orm
    .update(mails)
    .set({ ...CLEARED_CONTENT, givenUpAt: now, lastError: EXPIRED })
    .where(and(isWaiting(mails), lte(mails.usefulUntil, now), isUnclaimed(mails)));
}

/** Makes mails due that wait for another attempt while a later one to the same address is due. */
export async function advanceEarlierMails(orm: Orm, now: Date): Promise<void> {
  const later = alias(mails, 'later');
  const blocksLaterMail = exists(
    orm
      .select({ id: later.id })
      .from(later)
      .where(
        and(
          isWaiting(later),
          isToSameAddress(later, mails),
          gt(later.place, mails.place),
          lte(later.dueAt, now),
        ),
      ),
  );
  const earlier = orm
    .select({ id: mails.id })
    .from(mails)
    .where(and(isWaiting(mails), gt(mails.dueAt, now), blocksLaterMail))
    .for('update', { skipLocked: true });
  await orm.update(mails).set({ dueAt: now }).where(sql`${mails.id} = any(array(${earlier}))`);
}

/**
 * Claims due mails for this node and counts the attempt: of those to one address the earliest, so that none overtakes
 * another that says what was true before it.
 */
export async function claimDueMails(orm: Orm, now: Date, limit: number): Promise<MailRow[]> {
  const earlier = alias(mails, 'earlier');
  const blockingMail = orm
    .select({ id: earlier.id })
    .from(earlier)
    .where(and(isWaiting(earlier), isToSameAddress(earlier, mails), lt(earlier.place, mails.place)));
  const due = orm
    .select({ id: mails.id })
    .from(mails)
    .where(and(lte(mails.dueAt, now), isWaiting(mails), isUnclaimed(mails), notExists(blockingMail)))
    .orderBy(mails.dueAt, mails.place)
    .limit(limit)
    .for('update', { skipLocked: true });
  const rows = await orm
    .update(mails)
    .set(claimFor(mails, CLAIM_SECONDS))
    .where(sql`${mails.id} = any(array(${due}))`)
    .returning();
  return rows.map(readMail);
}

/** Stores the content of the mail. */
export async function markKept(orm: Orm, id: string, mail: RenderedMail, now: Date): Promise<void> {
  await orm
    .update(mails)
    .set({ ...mail, sentAt: now, claimedUntil: null, lastError: null })
    .where(eq(mails.id, id));
}

/** Clears the content of the mail: links that open an account must not outlive the sending. */
export async function markSent(orm: Orm, id: string, now: Date): Promise<void> {
  await orm
    .update(mails)
    .set({ ...CLEARED_CONTENT, sentAt: now, claimedUntil: null, lastError: null })
    .where(eq(mails.id, id));
}

/**
 * Schedules the next attempt. The mails behind it wait as well, and each as long as it is old: behind one that has been
 * waiting for days a new one is tried again within minutes, and the old one before it.
 */
export async function markFailed(
  orm: Orm,
  { id, to }: Pick<MailRow, 'id' | 'to'>,
  error: string,
  now: Date,
): Promise<void> {
  const nowSql = sql`${now.toISOString()}::timestamptz`;
  const backoff = sql`least(
    greatest(${nowSql} - ${mails.createdAt}, make_interval(secs => ${MIN_BACKOFF_SECONDS})),
    make_interval(secs => ${MAX_BACKOFF_SECONDS}))`;
  await orm
    .update(mails)
    .set({ dueAt: sql`${nowSql} + ${backoff}` })
    .where(and(isWaiting(mails), eq(sql`lower(${mails.to})`, sql`lower(${to})`), lte(mails.dueAt, now)));
  await orm
    .update(mails)
    .set({ claimedUntil: null, lastError: error })
    .where(and(eq(mails.id, id), isNull(mails.sentAt)));
}

/** Its content is kept, so that an operator can have it sent after all. */
export async function markGivenUp(orm: Orm, id: string, error: string, now: Date): Promise<void> {
  await orm
    .update(mails)
    .set({ claimedUntil: null, lastError: error, givenUpAt: now })
    .where(and(eq(mails.id, id), isNull(mails.sentAt)));
}

/** Kept mails, newest first. */
export async function listKeptMails(orm: Orm, limit: number): Promise<MailRow[]> {
  const rows = await orm
    .select()
    .from(mails)
    .where(isNotNull(mails.text))
    .orderBy(desc(mails.place))
    .limit(limit);
  return rows.map(readMail);
}

export async function findKeptMail(orm: Orm, id: string): Promise<MailRow | null> {
  const [row] = await orm
    .select()
    .from(mails)
    .where(and(eq(mails.id, id), isNotNull(mails.text)));
  return row ? readMail(row) : null;
}

/** The newest mails to an address and the errors that kept them from being sent, without their content. */
export async function listMailsOf(orm: Orm, to: string, limit: number) {
  return orm
    .select({
      id: mails.id,
      template: mails.template,
      createdAt: mails.createdAt,
      sentAt: mails.sentAt,
      givenUpAt: mails.givenUpAt,
      lastError: mails.lastError,
    })
    .from(mails)
    .where(eq(sql`lower(${mails.to})`, to.toLowerCase()))
    .orderBy(desc(mails.place))
    .limit(limit);
}

/** Makes a mail due now that waits for another attempt or was given up, unless what it said is no longer kept. */
export async function retryMail(
  orm: Orm,
  id: string,
  now: Date,
): Promise<'retried' | 'sent' | 'given_up' | 'unknown'> {
  const [found] = await orm.select().from(mails).where(eq(mails.id, id)).for('update');
  if (!found) return 'unknown';
  const { template, locale, values, to, usefulUntil, sentAt, givenUpAt, attempts } = readMail(found);
  if (sentAt) return 'sent';
  const isOver = to === '' || (usefulUntil && usefulUntil <= now);
  if (isOver || missingValues(template, locale, values).length > 0) return 'given_up';
  await orm
    .update(mails)
    .set({ dueAt: now, givenUpAt: null, attempts: givenUpAt ? 0 : attempts })
    .where(eq(mails.id, id));
  return 'retried';
}

/**
 * Empties given-up mails whose link has expired, and drops finished mails: those without a key after 30 days; those with a
 * key lose the recipient then, and are dropped after 13 months, so that a yearly notice is not sent twice.
 */
export async function dropOldMails(orm: Orm, now: Date): Promise<void> {
  const isDone = or(isNotNull(mails.sentAt), isNotNull(mails.givenUpAt));
  const monthAgo = new Date(now.getTime() - 30 * DAY_MS);
  const dedupeCutoff = new Date(now.getTime() - DEDUPE_RETENTION_MS);
  await orm
    .update(mails)
    .set(CLEARED_CONTENT)
    .where(and(isNotNull(mails.givenUpAt), lte(mails.usefulUntil, now)));
  await orm.delete(mails).where(and(isDone, isNull(mails.dedupeKey), lt(mails.createdAt, monthAgo)));
  await orm.delete(mails).where(and(isDone, lt(mails.createdAt, dedupeCutoff)));
  await orm
    .update(mails)
    .set({ ...CLEARED_CONTENT, to: '', replyTo: null })
    .where(and(isDone, ne(mails.to, ''), lt(mails.createdAt, monthAgo)));
}

/** Forgets mails to an address, for example when its account is deleted. Unsent ones that are owed are still sent first. */
export async function forgetMailsTo(orm: Orm, to: string): Promise<void> {
  const isOwed = and(isNull(mails.sentAt), isNull(mails.givenUpAt), inArray(mails.template, OWED_TEMPLATES));
  await orm.delete(mails).where(and(eq(sql`lower(${mails.to})`, to.toLowerCase()), sql`not (${isOwed})`));
}

function readMail(row: typeof mails.$inferSelect) {
  return {
    ...row,
    values: row.values as MailValues,
    attachments: row.attachments as KeptAttachment[],
  };
}
