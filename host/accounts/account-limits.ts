import { createHash } from 'node:crypto';
import { lt } from 'drizzle-orm';
import { rateLimits } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import type { RateLimit } from '#host/http/rate-limit';

const HOUR = 60 * 60;

/** Mails to one address, whoever asks; together with the limit per client they keep mailboxes from being flooded. */
export const LINK_PER_EMAIL: RateLimit = { name: 'link-email', points: 3, windowSeconds: HOUR };
export const LINK_PER_IP: RateLimit = { name: 'link-ip', points: 20, windowSeconds: HOUR };
/** Tries to set a password with a mailed link. */
export const LINK_USE_PER_ACCOUNT: RateLimit = { name: 'link-use', points: 10, windowSeconds: HOUR };
export const EMAIL_CHANGE_PER_ACCOUNT: RateLimit = { name: 'email-change', points: 5, windowSeconds: HOUR };
export const EXPORT_PER_ACCOUNT: RateLimit = { name: 'export', points: 10, windowSeconds: HOUR };

/**
 * Mails that anybody may have sent to one mailbox with orders, declarations and messages, together. Links to sign in with
 * are apart: no stranger's orders keep an owner from a new password.
 */
export const MAILS_PER_MAILBOX: RateLimit = { name: 'mailbox', points: 10, windowSeconds: HOUR };

/**
 * Key of a limit on an e-mail address: the same for all addresses of one mailbox. The table holds no addresses of people
 * who are no customers.
 */
export function emailKey(email: string): string {
  return createHash('sha256').update(mailboxOf(email)).digest('base64url');
}

/**
 * The mailbox behind an address, to count by: without letter case, without what follows a plus sign (RFC 5233), and
 * without the dots that Gmail ignores. Accounts go by the address itself.
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
