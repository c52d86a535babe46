import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { HOUR_SECONDS } from '#contract/time';
import { countAttempt } from '#host/accounts/attempts';
import { type Backoff, resetBackoff } from '#host/http/backoff';
import type { Deps } from '#host/http/deps';
import { isRateLimitReached, type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';

/** For a device that signed in before: about 310 attempts a day. Attempts from elsewhere do not count here. */
const PER_DEVICE: Backoff = {
  name: 'login-device',
  free: 20,
  firstSeconds: 15,
  maxSeconds: 5 * 60,
  memorySeconds: 6 * HOUR_SECONDS,
};
/** For a network, over all accounts: about 1,550 attempts a day. */
const PER_NETWORK: Backoff = {
  name: 'login-ip',
  free: 100,
  firstSeconds: 1,
  maxSeconds: 60,
  memorySeconds: 6 * HOUR_SECONDS,
};
/** For a network and an account: about 105 attempts a day. */
const PER_ACCOUNT_AND_NETWORK: Backoff = {
  name: 'login',
  free: 5,
  firstSeconds: 15,
  maxSeconds: 15 * 60,
  memorySeconds: 24 * HOUR_SECONDS,
};
/** The same while the account is under attack: about 30 a day. The first has no wait, so that the owner can sign in. */
const UNDER_ATTACK: Backoff = {
  ...PER_ACCOUNT_AND_NETWORK,
  free: 1,
  firstSeconds: 60,
  maxSeconds: HOUR_SECONDS,
};
/** Wrong passwords from unknown devices, over all networks, from which on an account counts as under attack. */
const WRONG_PER_ACCOUNT: RateLimit = { name: 'login-account', points: 100, windowSeconds: 24 * HOUR_SECONDS };

interface Guess {
  email: string;
  /** Of the account with that address; part of the key, so that changing the password resets the count. */
  passwordHash: string | null | undefined;
  clientIp: string;
}

type Who = { log: Logger; clientIp: string; email: string };

/** For a device that signed in to this account before. Throws `rate_limited`. */
export async function countDeviceAttempt(
  deps: Pick<Deps, 'db' | 'clock'>,
  deviceId: string,
  who: Who,
): Promise<void> {
  await countAttempt(deps, PER_DEVICE, deviceId, who);
}

/** Throws `rate_limited`. */
export async function countNetworkAttempt(deps: Pick<Deps, 'db' | 'clock'>, who: Who): Promise<void> {
  await countAttempt(deps, PER_NETWORK, who.clientIp, who);
}

/** Throws `rate_limited`, but never because of attempts from other networks. */
export async function countAccountAttempt(
  deps: Pick<Deps, 'db' | 'clock'>,
  guess: Guess,
  who: Who,
): Promise<void> {
  const isUnderAttack = await isRateLimitReached(
    deps.db.orm,
    WRONG_PER_ACCOUNT,
    accountKey(guess),
    deps.clock.now(),
  );
  const backoff = isUnderAttack ? UNDER_ATTACK : PER_ACCOUNT_AND_NETWORK;
  await countAttempt(deps, { ...backoff, target: accountKey(guess) }, guess.clientIp, who);
}

export async function recordWrongPassword(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  guess: Guess,
): Promise<void> {
  await tryConsumeRateLimit(db.orm, WRONG_PER_ACCOUNT, accountKey(guess), clock.now());
}

export async function resetAccountAttempts({ db }: Pick<Deps, 'db'>, guess: Guess): Promise<void> {
  await resetBackoff(db.orm, { ...PER_ACCOUNT_AND_NETWORK, target: accountKey(guess) }, guess.clientIp);
}

/** Hashed, because the address may belong to somebody without an account. */
function accountKey({ email, passwordHash }: Guess): string {
  return createHash('sha256')
    .update(`${email.toLowerCase()}\n${passwordHash ?? ''}`)
    .digest('base64url');
}
