import { and, desc, eq, isNotNull, isNull, lt, lte, ne, or, sql } from 'drizzle-orm';
import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import { DEDUPE_RETENTION_MS } from '#host/db/dedupe-retention';
import { mails } from '#host/db/mail.tables';
import type { KeptAttachment } from './outbox';
import type { MailValues, RenderedMail } from './render';

/** How long a node may take over a mail before another takes it; longer than one attempt can last. */
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
}

const EMPTIED = { values: {}, attachments: [], subject: null, text: null, html: null };

/**
 * Takes due mails for this node and counts the attempt. The claim is measured by the database's own clock, so that
 * neither two nodes nor a product clock that jumps can take a mail that is on its way.
 */
export async function claimDueMails(orm: Orm, now: Date, limit: number): Promise<MailRow[]> {
  const due = orm
    .select({ id: mails.id })
    .from(mails)
    .where(
      and(
        lte(mails.dueAt, now),
        isNull(mails.sentAt),
        isNull(mails.givenUpAt),
        or(isNull(mails.claimedUntil), lt(mails.claimedUntil, sql`now()`)),
      ),
    )
    .orderBy(mails.dueAt, mails.place)
    .limit(limit)
    .for('update', { skipLocked: true });
  const rows = await orm
    .update(mails)
    .set({
      attempts: sql`${mails.attempts} + 1`,
      claimedUntil: sql`now() + make_interval(secs => ${CLAIM_SECONDS})`,
    })
    .where(sql`${mails.id} = any(array(${due}))`)
    .returning();
  return rows.map(readMail);
}

/** Keeps what the mail said. */
export async function markKept(orm: Orm, id: string, mail: RenderedMail, now: Date): Promise<void> {
  await orm
    .update(mails)
    .set({ ...mail, sentAt: now, claimedUntil: null, lastError: null })
    .where(eq(mails.id, id));
}

/** Empties what the mail said: links that open an account must not outlive the sending. */
export async function markSent(orm: Orm, id: string, now: Date): Promise<void> {
  await orm
    .update(mails)
    .set({ ...EMPTIED, sentAt: now, claimedUntil: null, lastError: null })
    .where(eq(mails.id, id));
}

/** Books the next attempt, or gives up when there is none. */
export async function markFailed(
  orm: Orm,
  id: string,
  failure: { error: string; nextAt: Date | null },
  now: Date,
): Promise<void> {
  await orm
    .update(mails)
    .set({
      claimedUntil: null,
      lastError: failure.error,
      ...(failure.nextAt ? { dueAt: failure.nextAt } : { ...EMPTIED, givenUpAt: now }),
    })
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

/** The newest mails to an address, and what kept them from leaving; not what they said. */
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

/** Makes a mail due now that waits for another attempt. What a mail said that was sent or given up is not kept. */
export async function retryMail(
  orm: Orm,
  id: string,
  now: Date,
): Promise<'retried' | 'sent' | 'given_up' | 'unknown'> {
  const [mail] = await orm
    .select({ sentAt: mails.sentAt, givenUpAt: mails.givenUpAt })
    .from(mails)
    .where(eq(mails.id, id))
    .for('update');
  if (!mail) return 'unknown';
  if (mail.sentAt) return 'sent';
  if (mail.givenUpAt) return 'given_up';
  await orm.update(mails).set({ dueAt: now }).where(eq(mails.id, id));
  return 'retried';
}

/**
 * Drops mails that are done with: those without a key after 30 days; those with a key lose the recipient then, and go
 * after 13 months, so that a yearly notice is not written twice.
 */
export async function dropOldMails(orm: Orm, now: Date): Promise<void> {
  const isDone = or(isNotNull(mails.sentAt), isNotNull(mails.givenUpAt));
  const monthAgo = daysBefore(now, 30);
  const marksEnd = new Date(now.getTime() - DEDUPE_RETENTION_MS);
  await orm.delete(mails).where(and(isDone, isNull(mails.dedupeKey), lt(mails.createdAt, monthAgo)));
  await orm.delete(mails).where(and(isDone, lt(mails.createdAt, marksEnd)));
  await orm
    .update(mails)
    .set({ ...EMPTIED, to: '', replyTo: null })
    .where(and(isDone, ne(mails.to, ''), lt(mails.createdAt, monthAgo)));
}

/**
 * Forgets mails to an address, for example when its account is deleted. What is still to be sent about a contract goes
 * out first: receipts of declarations are owed (consumer code L221-21, D215-1).
 */
export async function forgetMailsTo(orm: Orm, to: string): Promise<void> {
  const isOwed = and(
    isNull(mails.sentAt),
    isNull(mails.givenUpAt),
    sql`starts_with(${mails.template}, 'billing-mail.')`,
  );
  await orm.delete(mails).where(and(eq(sql`lower(${mails.to})`, to.toLowerCase()), sql`not (${isOwed})`));
}

function readMail(row: typeof mails.$inferSelect): MailRow {
  return {
    ...row,
    values: row.values as MailValues,
    attachments: row.attachments as KeptAttachment[],
  };
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * 86_400_000);
}
