import type { Logger } from 'pino';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { RateLimit } from '#host/http/rate-limit';
import { type AccountRow, findAccount } from './accounts.store';
import { consumeAttempt } from './attempts';
import { audit } from './audit';
import { getMailToken, type MailToken, type Purpose } from './mail-tokens';

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
