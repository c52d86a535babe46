import { randomUUID } from 'node:crypto';
import { asc, eq } from 'drizzle-orm';
import type { Locale } from '#contract/locales';
import { addressKey, emailKey, LINKS_PER_ADDRESS, LINKS_PER_MAILBOX } from '#host/accounts/account-limits';
import { audit } from '#host/accounts/audit';
import {
  findMailToken,
  hashToken,
  linkExpiry,
  makeMailToken,
  TOKEN_LIFE_MS,
} from '#host/accounts/mail-tokens';
import { mailKnownAccount, mailOnboarding } from '#host/accounts/onboarding';
import {
  type AccountRow,
  findAccount,
  findAccountByEmail,
  hasWayIn,
  lockAccount,
} from '#host/accounts/store';
import { linkRequests } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { tryConsumeRateLimit } from '#host/http/rate-limit';
import { queueMail } from '#host/mail/outbox';
import { findRecipient } from '#host/subscriptions/customers';

type LinkRequest = typeof linkRequests.$inferSelect;
type Outside = Pick<Deps, 'db' | 'random' | 'settings' | 'log'>;

interface Wanted {
  purpose: LinkRequest['purpose'];
  email?: string | undefined;
  /** A lost or expired link of the same purpose. */
  token?: string | undefined;
  locale?: Locale | undefined;
}

/**
 * Records that someone wants a link. Nothing is looked up here, so that neither the response nor its timing reveals
 * whether an address is known; `processLinkRequests` does the rest.
 */
export async function requestLink(
  orm: Orm,
  { purpose, email, token, locale }: Wanted,
  now: Date,
): Promise<void> {
  await orm.insert(linkRequests).values({
    id: randomUUID(),
    purpose,
    email: email ?? null,
    tokenHash: token ? hashToken(token) : null,
    locale: locale ?? null,
    createdAt: now,
  });
}

/**
 * Mails the requested links, oldest first; requests that match no account are dropped. Each is taken by one node only.
 */
export async function processLinkRequests(deps: Outside, now: Date): Promise<void> {
  // Usually there are none: one statement instead of a transaction.
  let hasMore = await hasRequests(deps.db.orm);
  while (hasMore) hasMore = await processNextRequest(deps, now);
}

async function hasRequests(orm: Orm): Promise<boolean> {
  const found = await orm.select({ id: linkRequests.id }).from(linkRequests).limit(1);
  return found.length > 0;
}

async function processNextRequest(deps: Outside, now: Date): Promise<boolean> {
  return deps.db.orm.transaction(async (transaction) => {
    const [request] = await transaction
      .select()
      .from(linkRequests)
      .orderBy(asc(linkRequests.createdAt))
      .limit(1)
      .for('update', { skipLocked: true });
    if (!request) return false;
    await transaction.delete(linkRequests).where(eq(linkRequests.id, request.id));
    const requester = await findRequester(transaction, request);
    const account = requester && (await lockAccount(transaction, requester.id));
    if (!account || (await isHeldBack(transaction, deps, request, account, now))) return true;
    // In its own savepoint: a mail that cannot be written must not block the ones after it.
    await transaction
      .transaction((inner) => mailLink(inner, deps, request, account, now))
      .catch((error: unknown) =>
        deps.log.error({ err: error, request: request.id }, 'a link was not mailed'),
      );
    return true;
  });
}

async function findRequester(orm: Orm, { email, tokenHash, purpose }: LinkRequest) {
  const link = tokenHash ? await findMailToken(orm, tokenHash, purpose) : null;
  if (link) return findAccount(orm, link.accountId);
  return email ? findAccountByEmail(orm, email) : null;
}

/** Counts requests by expired link, whose account is known only here, like those by address, and limits the mails. */
async function isHeldBack(
  orm: Orm,
  { log }: Outside,
  { purpose, email: requestedEmail }: LinkRequest,
  { id, email }: AccountRow,
  now: Date,
): Promise<boolean> {
  const isCounted = requestedEmail?.toLowerCase() === email.toLowerCase();
  const limits = [
    ...(isCounted ? [] : [{ limit: LINKS_PER_ADDRESS[purpose], key: addressKey(email) }]),
    { limit: LINKS_PER_MAILBOX[purpose], key: emailKey(email) },
  ];
  for (const { limit, key } of limits) {
    if (await tryConsumeRateLimit(orm, limit, key, now)) continue;
    audit(log, 'held_back', { account: id, reason: limit.name });
    return true;
  }
  return false;
}

async function mailLink(
  orm: Orm,
  deps: Outside,
  request: LinkRequest,
  account: AccountRow,
  now: Date,
): Promise<void> {
  const locale = request.locale ?? account.locale;
  const recipient = { accountId: account.id, email: account.email, locale };
  if (request.purpose === 'onboarding' && account.passwordHash)
    return mailKnownAccount(orm, deps, { ...recipient, template: 'account-mail.already_set_up' }, now);
  // An account that never finished onboarding has no password to reset, and any other has nothing to set up.
  if (!(await hasWayIn(orm, account))) {
    const { dueAt } = await findRecipient(orm, { to: account.email }, now);
    await mailOnboarding(orm, deps, { ...recipient, dueAt }, now);
    audit(deps.log, 'onboarding_mailed', { account: account.id });
    return;
  }
  const token = await makeMailToken(orm, deps.random, { accountId: account.id, purpose: 'reset' }, now);
  const values = {
    actionUrl: `${deps.settings.publicUrl}/reset-password?token=${token}`,
    minutes: TOKEN_LIFE_MS.reset / 60_000,
  };
  const usefulUntil = linkExpiry('reset', now);
  const template = 'account-mail.reset_password';
  await queueMail(orm, { to: account.email, locale, template, values, usefulUntil }, now);
  audit(deps.log, 'password_reset_mailed', { account: account.id });
}
