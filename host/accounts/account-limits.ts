import { createHash } from 'node:crypto';
import { lt } from 'drizzle-orm';
import { rateLimits } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { hourly, type RateLimit } from '#host/http/rate-limit';

/**
 * Requests for links to one address, by purpose, whether it has an account or not. By the address as written: another
 * spelling may have no account, in which case nothing is mailed and the owner's limit must not be used up.
 */
export const LINKS_PER_ADDRESS = {
  reset: hourly('reset-address', 3),
  onboarding: hourly('onboarding-address', 3),
} satisfies Record<string, RateLimit>;
/** Such links that are mailed to one mailbox, which may have several accounts. */
export const LINKS_PER_MAILBOX = {
  reset: hourly('reset-mailbox', 10),
  onboarding: hourly('onboarding-mailbox', 10),
} satisfies Record<string, RateLimit>;
export const LINK_PER_IP = hourly('link-ip', 20);
/** Attempts to set a password with a mailed link. */
export const LINK_USE_PER_ACCOUNT = hourly('link-use', 10);
export const EMAIL_CHANGE_PER_ACCOUNT = hourly('email-change', 5);
export const EMAIL_CHANGE_PER_MAILBOX = hourly('email-change-mailbox', 3);
/** Each may write an activity. */
export const PROFILE_CHANGES_PER_ACCOUNT = hourly('profile', 300);
export const EXPORT_PER_ACCOUNT = hourly('export', 10);

/**
 * Mails that anyone can trigger to one mailbox with orders, declarations and messages, together. Sign-in links count
 * separately, so that a stranger's orders cannot keep an owner from resetting the password.
 */
export const MAILS_PER_MAILBOX = hourly('mailbox', 10);

/**
 * Key of a limit on a mailbox: the same for all its addresses. The table holds no addresses of people who are no
 * customers.
 */
export function emailKey(email: string): string {
  return digest(mailboxOf(email));
}

/** Key of a limit on one address, in any letter case. */
export function addressKey(email: string): string {
  return digest(email.trim().toLowerCase());
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * The mailbox behind an address, for rate limits and trials: lower case, without what follows a plus sign (RFC 5233),
 * and without the dots that Gmail ignores. Accounts use the address itself.
 */
export function mailboxOf(email: string): string {
  const [local = '', domain = ''] = email.trim().toLowerCase().split('@');
  const user = local.replace(/(?<=.)\+.*/, '');
  if (domain !== 'gmail.com' && domain !== 'googlemail.com') return `${user}@${domain}`;
  return `${user.replaceAll('.', '')}@gmail.com`;
}

export async function dropOldLimits(orm: Orm, now: Date): Promise<void> {
  await orm.delete(rateLimits).where(lt(rateLimits.resetsAt, now));
}
