import type { Logger } from 'pino';
import { type Backoff, countBackoff } from '#host/http/backoff';
import { type Proof, requireCaptcha } from '#host/http/captcha';
import type { Deps } from '#host/http/deps';
import { ApiError, isRateLimited } from '#host/http/errors';
import { consumeRateLimit, type RateLimit } from '#host/http/rate-limit';
import { addressKey } from './account-limits';
import { type AuditDetails, audit } from './audit';

type Action = Parameters<typeof requireCaptcha>[1]['action'];

/** The request's log, and the details for the audit event. */
type Who = { log: Logger } & Omit<AuditDetails, 'reason'>;

/** Like `consumeRateLimit`, but logs an audit event when it throws `rate_limited`. */
export async function consumeAttempt(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  limit: RateLimit,
  key: string,
  { log, ...who }: Who,
): Promise<void> {
  try {
    await consumeRateLimit(db.orm, limit, key, clock.now());
  } catch (error) {
    if (error instanceof ApiError) audit(log, 'held_back', { ...who, reason: limit.name });
    throw error;
  }
}

/** Like `countBackoff`, but logs an audit event when it throws `rate_limited`. */
export async function countAttempt(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  backoff: Backoff,
  key: string,
  { log, ...who }: Who,
): Promise<void> {
  try {
    await countBackoff(db.orm, backoff, key, clock.now());
  } catch (error) {
    if (isRateLimited(error)) audit(log, 'held_back', { ...who, reason: backoff.name });
    throw error;
  }
}

/** Like `requireCaptcha`, but logs an audit event for refusals. `about` is the e-mail address or id of the account. */
export async function requireHuman(
  deps: Parameters<typeof requireCaptcha>[0],
  { about, ...attempt }: { proof: Proof; action: Action; about: string },
  { log, clientIp, ...who }: Who & { clientIp: string },
): Promise<void> {
  try {
    await requireCaptcha(deps, { ...attempt, clientIp, person: addressKey(about) });
  } catch (error) {
    const event = isRateLimited(error) ? 'held_back' : 'captcha_refused';
    if (error instanceof ApiError) audit(log, event, { ...who, clientIp, reason: attempt.action });
    throw error;
  }
}
