import type { Logger } from 'pino';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { RateLimit } from '#host/http/rate-limit';
import { type AccountRow, findAccount } from './accounts.store';
import { consumeAttempt } from './attempts';
import { audit } from './audit';
import { findMailToken, hashToken, type MailToken, type Purpose } from './mail-tokens';

/** How long a form that is posted twice gets the answer of its first post. */
const REPEAT_MS = 60_000;
const REPEAT_PER_ACCOUNT: RateLimit = { name: 'link-repeat', points: 10, windowSeconds: 60 };

export interface Click {
  token: string;
  purpose: Purpose;
  /** Whether the account is as this very click would leave it. */
  isDone: (account: AccountRow, link: MailToken) => boolean | Promise<boolean>;
}

/**
 * What the use of a mailed link answers. A browser without scripts posts a form twice on a double click and shows the
 * second answer only: where that changes nothing, and within a minute, it is the account as the first post left it.
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

/** Proof of a click that sets a password: the account has this one. */
export function hasPassword({ passwords }: Pick<Deps, 'passwords'>, password: string) {
  return (account: AccountRow) => passwords.matches(password, account.passwordHash);
}
