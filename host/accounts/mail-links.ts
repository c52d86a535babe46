import type { Logger } from 'pino';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { RateLimit } from '#host/http/rate-limit';
import { type AccountRow, findAccount } from './accounts.store';
import { consumeAttempt } from './attempts';
import { audit } from './audit';
import { findMailToken, getMailToken, hashToken, type MailToken, type Purpose } from './mail-tokens';

const PER_IP: RateLimit = { name: 'token-ip', points: 60, windowSeconds: 60 * 60 };

/**
 * A mailed link that is still valid, with its account; each attempt costs the client a point. Refuses the field `token`
 * with `token_unknown`, `token_used` or `token_expired`.
 */
export async function readLink(
  deps: Pick<Deps, 'db' | 'clock'>,
  { log, clientIp }: { log: Logger; clientIp: string },
  token: string,
  purpose: Purpose,
): Promise<{ link: MailToken; account: AccountRow }> {
  const { db, clock } = deps;
  await consumeAttempt(deps, PER_IP, clientIp, { log, clientIp });
  try {
    const link = await getMailToken(db.orm, token, purpose, clock.now());
    const account = await findAccount(db.orm, link.accountId);
    if (!account) throw invalidField('token', 'token_unknown');
    return { link, account };
  } catch (error) {
    const reason = error instanceof ApiError ? error.fields?.token?.[0] : undefined;
    if (reason) audit(log, 'mail_token_refused', { clientIp, reason });
    throw error;
  }
}

/** How long a repeated post of a form gets the response of the first. */
const REPEAT_MS = 60_000;
const REPEAT_PER_ACCOUNT: RateLimit = { name: 'link-repeat', points: 10, windowSeconds: 60 };

export interface Click {
  token: string;
  purpose: Purpose;
  /** Whether the account is in the state that this click would leave it in. */
  isDone: (account: AccountRow, link: MailToken) => boolean | Promise<boolean>;
}

/**
 * Runs what a mailed link does. Without scripts, a double click posts a form twice, and the browser shows only the
 * second response: if that post changes nothing and comes within a minute, the result is the account as the first post
 * left it.
 */
export async function allowReplay<T>(
  deps: Pick<Deps, 'db' | 'clock'>,
  requester: { log: Logger; clientIp: string },
  click: Click,
  use: () => Promise<T>,
): Promise<T | AccountRow> {
  try {
    return await use();
  } catch (error) {
    const isUsed = error instanceof ApiError && error.fields?.token?.[0] === 'token_used';
    const account = isUsed ? await findJustDone(deps, requester, click) : null;
    if (!account) throw error;
    audit(requester.log, 'mail_token_repeated', { account: account.id, clientIp: requester.clientIp });
    return account;
  }
}

async function findJustDone(
  deps: Pick<Deps, 'db' | 'clock'>,
  { log, clientIp }: { log: Logger; clientIp: string },
  { token, purpose, isDone }: Click,
): Promise<AccountRow | null> {
  const { db, clock } = deps;
  const link = await findMailToken(db.orm, hashToken(token), purpose);
  if (!link?.usedAt || clock.now().getTime() - link.usedAt.getTime() > REPEAT_MS) return null;
  await consumeAttempt(deps, REPEAT_PER_ACCOUNT, link.accountId, { log, clientIp, account: link.accountId });
  const account = await findAccount(db.orm, link.accountId);
  return account && (await isDone(account, link)) ? account : null;
}

/** Shows that a click to set a password has taken effect: the account has this one. */
export function hasPassword({ passwords }: Pick<Deps, 'passwords'>, password: string) {
  return (account: AccountRow) => passwords.matches(password, account.passwordHash);
}
