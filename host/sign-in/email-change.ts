import { and, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import { HOUR_MS } from '#contract/time';
import {
  endMailTokens,
  hashToken,
  linkExpiry,
  type MailToken,
  makeMailToken,
  TOKEN_LIFE_MS,
  useMailToken,
} from '#host/accounts/mail-tokens';
import { type AccountRow, changeAccount } from '#host/accounts/store';
import { accounts, mailTokens } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { mails } from '#host/db/mail.tables';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import { queueMail } from '#host/mail/outbox';
import { forgetMailsTo } from '#host/mail/store';
import { applyNewEmail } from '#host/subscriptions/customers';
import { endAllSessions } from './sessions';

type Outside = Pick<Deps, 'random' | 'settings'>;

/** PostgreSQL `unique_violation`. */
const UNIQUE_VIOLATION = '23505';

/** Dedupe keys of the mails about a change to the new and the old address, by which erasing finds them. */
const KEYS = {
  confirmation: (hash: string) => `email-change:${hash}`,
  departure: (hash: string) => `email-changed:${hash}`,
};

/** Makes an address pending, asks its owner to confirm it and notifies the owner of the current one. */
export async function requestEmailChange(
  orm: Orm,
  deps: Outside,
  account: AccountRow,
  newEmail: string,
  now: Date,
): Promise<void> {
  await changeAccount(orm, account.id, { pendingEmail: newEmail });
  await mailConfirmation(orm, deps, account, newEmail, now);
  await queueMail(
    orm,
    {
      to: account.email,
      locale: account.locale,
      template: 'account-mail.email_change_notice',
      values: { newEmail, actionUrl: `${deps.settings.publicUrl}/user/settings` },
    },
    now,
  );
}

/** If the address already has an account, its owner is told by mail; the requester learns nothing. */
export async function mailConfirmation(
  orm: Orm,
  { random, settings }: Outside,
  account: AccountRow,
  newEmail: string,
  now: Date,
): Promise<void> {
  const { id: accountId, locale } = account;
  const token = await makeMailToken(
    orm,
    random,
    { accountId, purpose: 'email_change', email: newEmail },
    now,
  );
  if (await isTaken(orm, newEmail, accountId)) {
    const values = { actionUrl: `${settings.publicUrl}/login` };
    await queueMail(orm, { to: newEmail, locale, template: 'account-mail.email_taken', values }, now);
    return;
  }
  const values = {
    hours: TOKEN_LIFE_MS.email_change / HOUR_MS,
    actionUrl: `${settings.publicUrl}/confirm-email?token=${token}`,
  };
  const dedupeKey = KEYS.confirmation(hashToken(token));
  const template = 'account-mail.confirm_email' as const;
  const usefulUntil = linkExpiry('email_change', now);
  const mail = { to: newEmail, locale, template, values, dedupeKey, usefulUntil };
  await queueMail(orm, mail, now);
}

/** Drops the pending address and invalidates its link. Call it in a transaction. */
export async function cancelEmailChange(orm: Orm, accountId: string, now: Date): Promise<void> {
  await changeAccount(orm, accountId, { pendingEmail: null });
  await endMailTokens(orm, accountId, now, 'email_change');
}

/**
 * Uses up the link and makes its address the account's. Refuses `token` with `token_used`, `token_expired` or
 * `email_taken`. Links to set a password become invalid, as they went to the old address; so does every session except
 * the one in which the link was opened (OWASP Authentication Cheat Sheet).
 */
export async function confirmEmailChange(
  orm: Orm,
  link: MailToken,
  keptSession: string | undefined,
  now: Date,
): Promise<void> {
  try {
    await orm.transaction(async (transaction) => {
      const account = await useMailToken(transaction, link, now);
      if (!link.email || account.pendingEmail !== link.email) throw invalidField('token', 'token_expired');
      await changeAccount(transaction, account.id, { email: link.email, pendingEmail: null });
      await endMailTokens(transaction, account.id, now);
      await endAllSessions(transaction, account.id, now, keptSession);
      await applyNewEmail(transaction, account, link.email, now);
      const { email: to, locale } = account;
      const mail = { values: { newEmail: link.email }, dedupeKey: KEYS.departure(link.hash) };
      await queueMail(transaction, { to, locale, template: 'account-mail.email_changed', ...mail }, now);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidField('token', 'email_taken');
    throw error;
  }
}

/**
 * Deletes mails to addresses that an account had or requested, as far as its links still name them. For an address that
 * was never confirmed, only the confirmation mails, because it may belong to somebody else.
 */
export async function forgetMailsOfChanges(orm: Orm, accountId: string): Promise<void> {
  const links = await orm
    .select({ hash: mailTokens.hash, email: mailTokens.email, usedAt: mailTokens.usedAt })
    .from(mailTokens)
    .where(and(eq(mailTokens.accountId, accountId), eq(mailTokens.purpose, 'email_change')));
  const hashes = links.map(({ hash }) => hash);
  await dropMails(orm, hashes.map(KEYS.confirmation));
  const formerEmails = new Set(await dropMails(orm, hashes.map(KEYS.departure)));
  for (const { email, usedAt } of links) if (email && usedAt) formerEmails.add(email);
  for (const email of formerEmails)
    if (!(await isTaken(orm, email, accountId))) await forgetMailsTo(orm, email);
}

/** Returns their recipients, as far as these are still known. */
async function dropMails(orm: Orm, keys: string[]): Promise<string[]> {
  const dropped = await orm.delete(mails).where(inArray(mails.dedupeKey, keys)).returning({ to: mails.to });
  return dropped.flatMap(({ to }) => to || []);
}

async function isTaken(orm: Orm, email: string, accountId: string): Promise<boolean> {
  const [other] = await orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      and(
        eq(sql`lower(${accounts.email})`, email.toLowerCase()),
        isNull(accounts.deletedAt),
        ne(accounts.id, accountId),
      ),
    );
  return other !== undefined;
}

function isUniqueViolation(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === UNIQUE_VIOLATION;
}
