import type { Logger } from 'pino';
import { type Backoff, countTry } from '#host/http/backoff';
import { type Proof, requireCaptcha } from '#host/http/captcha';
import type { Deps } from '#host/http/deps';
import { ApiError, isRateLimited } from '#host/http/errors';
import { consumeRateLimit, type RateLimit } from '#host/http/rate-limit';
import { emailKey } from './account-limits';
import { type AuditDetails, audit } from './audit';

type Action = Parameters<typeof requireCaptcha>[1]['action'];

/** Whose log it is, and what it says of them. */
type Who = { log: Logger } & Omit<AuditDetails, 'reason'>;

/** Takes a point of a limit, as `consumeRateLimit` does; whoever is held back is on record. Throws `rate_limited`. */
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

/** Counts a try as `countTry` does; whoever is held back is on record. Throws `rate_limited`. */
export async function countAttempt(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  backoff: Backoff,
  key: string,
  { log, ...who }: Who,
): Promise<void> {
  try {
    await countTry(db.orm, backoff, key, clock.now());
  } catch (error) {
    if (isRateLimited(error)) audit(log, 'held_back', { ...who, reason: backoff.name });
    throw error;
  }
}

/**
 * Refuses what robots may have sent, as `requireCaptcha` does; who was refused is on record. `about` is the e-mail
 * address or the id of the account.
 */
export async function requireHuman(
  deps: Parameters<typeof requireCaptcha>[0],
  { about, ...attempt }: { proof: Proof; action: Action; about: string },
  { log, clientIp, ...who }: Who & { clientIp: string },
): Promise<void> {
  try {
    await requireCaptcha(deps, { ...attempt, clientIp, person: emailKey(about) });
  } catch (error) {
    const event = isRateLimited(error) ? 'held_back' : 'captcha_refused';
    if (error instanceof ApiError) audit(log, event, { ...who, clientIp, reason: attempt.action });
    throw error;
  }
}
