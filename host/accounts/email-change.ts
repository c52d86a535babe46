import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import { queueMail } from '#host/mail/outbox';
import { endAllSessions } from '#host/sessions/sessions.store';
import { followNewEmail } from '#host/subscriptions/customers';
import { type AccountRow, changeAccount } from './accounts.store';
import { endMailTokens, type MailToken, makeMailToken, TOKEN_LIFE_MS, useMailToken } from './mail-tokens';

type Outside = Pick<Deps, 'random' | 'settings'>;

/** PostgreSQL `unique_violation`. */
const UNIQUE_VIOLATION = '23505';

/** Makes an address pending, asks its owner to confirm it and tells the owner of the present one. */
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

/** Someone who owns the address already is told so in their own mailbox; whoever asked learns nothing. */
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
    email: newEmail,
    hours: TOKEN_LIFE_MS.email_change / 3_600_000,
    actionUrl: `${settings.publicUrl}/confirm-email?token=${token}`,
  };
  await queueMail(orm, { to: newEmail, locale, template: 'account-mail.confirm_email', values }, now);
}

/** Drops the pending address and ends its link. */
export async function cancelEmailChange(orm: Orm, accountId: string, now: Date): Promise<void> {
  await orm.transaction(async (transaction) => {
    await changeAccount(transaction, accountId, { pendingEmail: null });
    await endMailTokens(transaction, accountId, now, 'email_change');
  });
}

/**
 * Uses the link up and makes its address the account's. Refuses `token` with `token_used`, `token_expired` or
 * `email_taken`. Links to set a password end: they went to the address that is left behind. So does every session but
 * the one the link was opened in (OWASP Authentication Cheat Sheet).
 */
export async function confirmEmailChange(
  orm: Orm,
  link: MailToken,
  keptSession: string | undefined,
  now: Date,
): Promise<void> {
  try {
    await orm.transaction(async (transaction) => {
      await useMailToken(transaction, link.id, now);
      const [account] = await transaction
        .select()
        .from(accounts)
        .where(and(eq(accounts.id, link.accountId), isNull(accounts.deletedAt)))
        .for('update');
      if (!account || !link.email || account.pendingEmail !== link.email) {
        throw invalidField('token', 'token_expired');
      }
      await changeAccount(transaction, account.id, { email: link.email, pendingEmail: null });
      await endMailTokens(transaction, account.id, now);
      await endAllSessions(transaction, account.id, now, keptSession);
      await followNewEmail(transaction, account, link.email, now);
      const values = { newEmail: link.email };
      const { email: to, locale } = account;
      await queueMail(transaction, { to, locale, template: 'account-mail.email_changed', values }, now);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidField('token', 'email_taken');
    throw error;
  }
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
