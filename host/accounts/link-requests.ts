import { randomUUID } from 'node:crypto';
import { asc, eq } from 'drizzle-orm';
import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import { linkRequests } from '#host/db/tokens.tables';
import type { Deps } from '#host/http/deps';
import { tryConsumeRateLimit } from '#host/http/rate-limit';
import { queueMail } from '#host/mail/outbox';
import { emailKey, LINK_PER_EMAIL } from './account-limits';
import { type AccountRow, findAccount, findAccountByEmail, hasIdentity } from './accounts.store';
import { audit } from './audit';
import { findMailToken, hashToken, makeMailToken, TOKEN_LIFE_MS } from './mail-tokens';
import { mailKnownAccount, mailOnboarding } from './onboarding';

type LinkRequest = typeof linkRequests.$inferSelect;
type Outside = Pick<Deps, 'db' | 'random' | 'settings' | 'log'>;

interface Wanted {
  purpose: LinkRequest['purpose'];
  email?: string | undefined;
  /** A lost or ended link of the same purpose. */
  token?: string | undefined;
  locale?: Locale | undefined;
}

/**
 * Notes that someone wants a link. Nothing is looked up here, so that neither the answer nor its time tells whether
 * an address is known; `answerLinkRequests` does the rest.
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

/** Mails what was asked for, oldest first; requests about nobody vanish. Nodes never take the same request. */
export async function answerLinkRequests(deps: Outside, now: Date): Promise<void> {
  let more = true;
  while (more) more = await answerNext(deps, now);
}

async function answerNext(deps: Outside, now: Date): Promise<boolean> {
  return deps.db.orm.transaction(async (transaction) => {
    const [request] = await transaction
      .select()
      .from(linkRequests)
      .orderBy(asc(linkRequests.createdAt))
      .limit(1)
      .for('update', { skipLocked: true });
    if (!request) return false;
    await transaction.delete(linkRequests).where(eq(linkRequests.id, request.id));
    const account = await findRequester(transaction, request);
    if (!account || (await isHeldBack(transaction, deps, request, account, now))) return true;
    // Within its own savepoint: a mail that cannot be written must not hold up the ones behind it.
    await transaction
      .transaction((inner) => answer(inner, deps, request, account, now))
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

/** A lost link tells its account only here; its mails count like those asked for by the address itself. */
async function isHeldBack(
  orm: Orm,
  { log }: Outside,
  request: LinkRequest,
  { id, email }: AccountRow,
  now: Date,
): Promise<boolean> {
  if (request.email?.toLowerCase() === email.toLowerCase()) return false;
  if (await tryConsumeRateLimit(orm, LINK_PER_EMAIL, emailKey(email), now)) return false;
  audit(log, 'held_back', { account: id, reason: LINK_PER_EMAIL.name });
  return true;
}

async function answer(
  orm: Orm,
  deps: Outside,
  request: LinkRequest,
  account: AccountRow,
  now: Date,
): Promise<void> {
  const locale = request.locale ?? account.locale;
  const recipient = { accountId: account.id, email: account.email, locale };
  if (request.purpose === 'onboarding' && account.passwordHash)
    return mailKnownAccount(orm, deps, recipient, now);
  // Whoever never finished onboarding has no password to reset: the lost onboarding link is what they need.
  if (request.purpose === 'onboarding' || (!account.passwordHash && !(await hasIdentity(orm, account.id)))) {
    await mailOnboarding(orm, deps, recipient, now);
    audit(deps.log, 'onboarding_mailed', { account: account.id });
    return;
  }
  const token = await makeMailToken(orm, deps.random, { accountId: account.id, purpose: 'reset' }, now);
  const values = {
    actionUrl: `${deps.settings.publicUrl}/reset-password?token=${token}`,
    minutes: TOKEN_LIFE_MS.reset / 60_000,
  };
  await queueMail(orm, { to: account.email, locale, template: 'account-mail.reset_password', values }, now);
  audit(deps.log, 'password_reset_mailed', { account: account.id });
}
