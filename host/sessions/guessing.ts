import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { ipRateLimitKey } from '#contract/ip-rate-limit-key';
import { countAttempt } from '#host/accounts/attempts';
import { type Backoff, forgetTries } from '#host/http/backoff';
import type { Deps } from '#host/http/deps';
import { isRateLimitReached, type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';

const HOUR = 60 * 60;

/** Of one device that signed in before: about 310 tries a day. Nobody else's tries count here. */
const PER_DEVICE: Backoff = {
  ...{ name: 'login-device', free: 20, firstSeconds: 15, mostSeconds: 5 * 60 },
  memorySeconds: 6 * HOUR,
};
/** Of one network, whomever it is about: about 1,550 tries a day. */
const PER_NETWORK: Backoff = {
  ...{ name: 'login-ip', free: 100, firstSeconds: 1, mostSeconds: 60 },
  memorySeconds: 6 * HOUR,
};
/** Of one network about one account: about 105 tries a day. */
const PER_ACCOUNT_AND_NETWORK: Backoff = {
  ...{ name: 'login', free: 5, firstSeconds: 15, mostSeconds: 15 * 60 },
  memorySeconds: 24 * HOUR,
};
/** The same once an account is under attack: about 30 tries a day. The first one is free, so that its owner gets in. */
const WHILE_ATTACKED: Backoff = {
  ...PER_ACCOUNT_AND_NETWORK,
  ...{ free: 1, firstSeconds: 60, mostSeconds: HOUR },
};
/** Wrong passwords from unknown devices, wherever they are, that make it an attack. */
const WRONG_PER_ACCOUNT: RateLimit = { name: 'login-account', points: 100, windowSeconds: 24 * HOUR };

/** A password that is tried. */
interface Guess {
  email: string;
  /** Of the account with that address; tries are counted for it, so that another password begins anew. */
  passwordHash: string | null | undefined;
  clientIp: string;
}

type Who = { log: Logger; clientIp: string; email: string };

/** Counts a try on a device that signed in to this account before. Throws `rate_limited`. */
export async function countKnownTry(
  deps: Pick<Deps, 'db' | 'clock'>,
  deviceId: string,
  who: Who,
): Promise<void> {
  await countAttempt(deps, PER_DEVICE, deviceId, who);
}

/** Counts a try of a network, whomever it is about. Throws `rate_limited`. */
export async function countNetworkTry(deps: Pick<Deps, 'db' | 'clock'>, who: Who): Promise<void> {
  await countAttempt(deps, PER_NETWORK, who.clientIp, who);
}

/** Counts a try about one account. Throws `rate_limited`; never because of what other networks tried. */
export async function countTryAbout(deps: Pick<Deps, 'db' | 'clock'>, guess: Guess, who: Who): Promise<void> {
  const isAttacked = await isRateLimitReached(
    deps.db.orm,
    WRONG_PER_ACCOUNT,
    accountKey(guess),
    deps.clock.now(),
  );
  await countAttempt(deps, isAttacked ? WHILE_ATTACKED : PER_ACCOUNT_AND_NETWORK, pairKey(guess), who);
}

export async function noteWrongPassword(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  guess: Guess,
): Promise<void> {
  await tryConsumeRateLimit(db.orm, WRONG_PER_ACCOUNT, accountKey(guess), clock.now());
}

export async function forgetTriesAbout({ db }: Pick<Deps, 'db'>, guess: Guess): Promise<void> {
  await forgetTries(db.orm, PER_ACCOUNT_AND_NETWORK, pairKey(guess));
}

function pairKey(guess: Guess): string {
  return `${accountKey(guess)}:${ipRateLimitKey(guess.clientIp)}`;
}

/** The table holds no addresses of people who are no customers. */
function accountKey({ email, passwordHash }: Guess): string {
  return createHash('sha256')
    .update(`${email.toLowerCase()}\n${passwordHash ?? ''}`)
    .digest('base64url');
}
