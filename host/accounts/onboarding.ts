import { randomUUID } from 'node:crypto';
import { NAME_LENGTH } from '#contract/account-fields';
import type { Locale } from '#contract/locales';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { queueMail } from '#host/mail/outbox';
import { findOnboardingDraft, linkExpiry, makeMailToken, TOKEN_LIFE_MS } from './mail-tokens';
import { findAccountByEmail } from './store';

type Outside = Pick<Deps, 'random' | 'settings'>;

interface Buyer {
  /** Validated by the caller. */
  email: string;
  locale: Locale;
  /** First and last name in one, as on an order; a new account gets both, to be confirmed when it is set up. */
  name?: string;
}

/** By the first space: a wrong guess can be corrected where the names are confirmed. */
function namesOf(name: string): { firstName: string; lastName: string } {
  const [firstName = '', ...others] = name.trim().split(/\s+/);
  return { firstName: firstName.slice(0, NAME_LENGTH), lastName: others.join(' ').slice(0, NAME_LENGTH) };
}

/** The account with this address, created without a password if there is none. Racing calls get the same account. */
export async function ensureAccount(
  orm: Orm,
  { email, locale, name = '' }: Buyer,
  now: Date,
): Promise<{ id: string; isNew: boolean; isOnboarded: boolean }> {
  const id = randomUUID();
  const [made] = await orm
    .insert(accounts)
    .values({ id, email, locale, ...namesOf(name), createdAt: now })
    .onConflictDoNothing()
    .returning({ id: accounts.id });
  if (made) return { id: made.id, isNew: true, isOnboarded: false };
  const known = await findAccountByEmail(orm, email);
  if (!known) return ensureAccount(orm, { email, locale, name }, now);
  return { id: known.id, isNew: false, isOnboarded: known.passwordHash !== null };
}

/**
 * After a purchase: creates the buyer's account and mails the one-time link to `/onboarding?token=…`, valid for 7 days.
 * `draftId` names the saved design that then becomes the first code. A buyer who already has a password gets `token:
 * null` and a mail that links to the sign-in page. Call it in the transaction that books the purchase.
 */
export async function createOnboarding(
  orm: Orm,
  deps: Outside,
  { draftId, ...buyer }: Buyer & { draftId?: string | null },
  now: Date,
): Promise<{ accountId: string; isNew: boolean; token: string | null }> {
  const account = await ensureAccount(orm, buyer, now);
  const recipient = {
    accountId: account.id,
    email: buyer.email,
    locale: buyer.locale,
    draftId: draftId ?? null,
  };
  const token = account.isOnboarded ? null : await mailOnboarding(orm, deps, recipient, now);
  if (!token) await mailKnownAccount(orm, deps, { ...buyer, template: 'account-mail.onboarding_known' }, now);
  return { accountId: account.id, isNew: account.isNew, token };
}

interface Recipient {
  accountId: string;
  email: string;
  locale: Locale;
  draftId?: string | null;
  dueAt?: Date;
}

/** Mails a fresh onboarding link; it invalidates the previous one and takes over its design. */
export async function mailOnboarding(
  orm: Orm,
  { random, settings }: Outside,
  { accountId, email, locale, draftId, dueAt }: Recipient,
  now: Date,
): Promise<string> {
  const onboardingDraftId = draftId ?? (await findOnboardingDraft(orm, accountId));
  const token = await makeMailToken(
    orm,
    random,
    { accountId, purpose: 'onboarding', draftId: onboardingDraftId },
    now,
  );
  const values = {
    actionUrl: `${settings.publicUrl}/onboarding?token=${token}`,
    days: TOKEN_LIFE_MS.onboarding / 86_400_000,
  };
  const usefulUntil = linkExpiry('onboarding', now);
  const mail = {
    to: email,
    locale,
    template: 'account-mail.onboarding' as const,
    values,
    usefulUntil,
    dueAt,
  };
  await queueMail(orm, mail, now);
  return token;
}

interface KnownAccount {
  email: string;
  locale: Locale;
  /** After an order, or after someone asked for the link again. */
  template: 'account-mail.onboarding_known' | 'account-mail.already_set_up';
}

/** Tells someone with a password that there is nothing to set up. */
export async function mailKnownAccount(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  { email: to, locale, template }: KnownAccount,
  now: Date,
): Promise<void> {
  const values = { actionUrl: `${settings.publicUrl}/login` };
  await queueMail(orm, { to, locale, template, values }, now);
}
