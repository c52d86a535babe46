import type { Logger } from 'pino';
import { requireCaptcha } from '#host/http/captcha';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { type Limit, takePoint } from '#host/http/rate-limit';
import { type AuditDetails, audit } from './audit';

/** Whose log it is, and what it says of them. */
type Who = { log: Logger } & Omit<AuditDetails, 'reason'>;

/** Takes a point of a limit, as `takePoint` does; whoever is held back is on record. Throws `rate_limited`. */
export async function takeAttempt(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  limit: Limit,
  key: string,
  { log, ...who }: Who,
): Promise<void> {
  try {
    await takePoint(db.orm, limit, key, clock.now());
  } catch (error) {
    if (error instanceof ApiError) audit(log, 'held_back', { ...who, reason: limit.name });
    throw error;
  }
}

/** Refuses what has no good token of this action, as `requireCaptcha` does; who was refused is on record. */
export async function requireNoRobot(
  deps: Pick<Deps, 'captcha' | 'log'>,
  token: string | undefined,
  action: string,
  { log, address, ...who }: Who & { address: string },
): Promise<void> {
  try {
    await requireCaptcha(deps, { token, action, address });
  } catch (error) {
    if (error instanceof ApiError) audit(log, 'captcha_refused', { ...who, address, reason: action });
    throw error;
  }
}
