import { done } from '#contract/call';
import { completeLogIn, endOneSession, endOtherSessions, logIn, logOut } from '#contract/sessions';
import { getSignIn } from '#contract/sign-in';
import { consumeAttempt, requireHuman } from '#host/accounts/attempts';
import { audit, emailDigest } from '#host/accounts/audit';
import { listPasskeys, presentPasskey } from '#host/accounts/passkeys';
import { findAccount, findAccountByEmail } from '#host/accounts/store';
import { type Authenticate, clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';
import { completeSignIn, passFirstFactor } from './first-factor';
import {
  countAccountAttempt,
  countDeviceAttempt,
  countNetworkAttempt,
  recordWrongPassword,
  resetAccountAttempts,
} from './guessing';
import { listIdentities, presentIdentity } from './identities';
import { findKnownDevice, forgetDeviceOf, forgetDevices } from './known-devices';
import { findTotpSecret, hasSecondFactor } from './second-factor';
import {
  endAllSessions,
  endSession,
  findLiveSession,
  listLiveSessions,
  markSeen,
  presentSession,
} from './sessions';
import { passwordDigest, readLinkTicket, verifyChallenge } from './signed-tickets';
import { verifyToken } from './tokens';
import { requireCode } from './verify-code';

/** Checks a token's signature, its expiry, and that its session is still active. */
export function createAuthenticate({ db, clock, settings }: Deps): Authenticate {
  return async (token) => {
    const now = clock.now();
    const ids = token ? await verifyToken(token, settings.jwtSecrets, now) : null;
    const session = ids && (await findLiveSession(db.orm, ids.sessionId, ids.accountId, now));
    if (!session) {
      const holder = ids && { account: ids.accountId, session: ids.sessionId };
      throw new ApiError('unauthenticated', holder ? { holder } : {});
    }
    await markSeen(db.orm, ids.sessionId, session.lastSeenAt, now);
    return {
      ...ids,
      key: null,
      tag: null,
      email: session.email,
      position: session.position,
      isSubscribed: session.accessUntil !== null && session.accessUntil > now,
    };
  };
}

export function mountSessions({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(logIn, async ({ body, log, clientIp, context }) => {
    const { email, password, remember, devices } = body;
    const who = { clientIp, email: emailDigest(email, settings.jwtSecrets) };
    const account = await findAccountByEmail(db.orm, email);
    const guess = { email, passwordHash: account?.passwordHash, clientIp };
    const device = await findKnownDevice(db.orm, devices, account?.id);
    if (device) await countDeviceAttempt(deps, device.id, { log, ...who });
    else {
      await countNetworkAttempt(deps, { log, ...who });
      // Before the attempt is counted, so that robots caught here do not use up the account's attempts.
      await requireHuman(deps, { proof: body, action: 'login', about: email }, { log, ...who });
      await countAccountAttempt(deps, guess, { log, ...who });
    }
    // A known device does not wait behind strangers.
    const client = clientOf(clientIp, device ? `device ${device.id}` : undefined);
    if (!(await deps.passwords.matches(password, account?.passwordHash, client)) || !account) {
      if (!device) await recordWrongPassword(deps, guess);
      throw refused();
    }
    if (!device) await resetAccountAttempts(deps, guess);
    const userAgent = context.req.header('user-agent') ?? '';
    const link = body.link && (await readLinkTicket(body.link, account.id, settings.jwtSecrets, clock.now()));
    const signIn = { method: 'password', remember, userAgent, devices, log, clientIp } as const;
    const signedIn = await passFirstFactor(deps, account, { ...signIn, ...(link && { link }) });
    if (!signedIn) throw refused();
    return signedIn;

    function refused(): ApiError {
      audit(log, 'login_refused', who);
      return new ApiError('invalid_credentials');
    }
  });

  mount(logOut, async ({ caller, log, clientIp }) => {
    await endSession(db.orm, caller.accountId, caller.sessionId, clock.now());
    audit(log, 'logout', { account: caller.accountId, session: caller.sessionId, clientIp });
    return done('logout_successful');
  });

  mount(getSignIn, async ({ caller: { accountId, sessionId } }) => {
    const [identities, passkeys, totp, sessions] = await Promise.all([
      listIdentities(db.orm, accountId),
      listPasskeys(db.orm, accountId),
      findTotpSecret(db.orm, accountId),
      listLiveSessions(db.orm, accountId, clock.now()),
    ]);
    return {
      data: {
        googleAccounts: identities.map(presentIdentity),
        passkeys: passkeys.map(presentPasskey),
        secondFactorSince: totp?.confirmedAt?.toISOString() ?? null,
        sessions: sessions.map((row) => presentSession(row, sessionId)),
      },
    };
  });

  mount(endOtherSessions, async ({ caller, log, clientIp }) => {
    await endAllSessions(db.orm, caller.accountId, clock.now(), caller.sessionId);
    await forgetDevices(db.orm, caller.accountId, caller.sessionId);
    audit(log, 'sessions_ended', { account: caller.accountId, clientIp, reason: 'others' });
    return done('sessions_ended');
  });

  mount(endOneSession, async ({ caller, params, log, clientIp }) => {
    const ended = await endSession(db.orm, caller.accountId, params.id, clock.now());
    if (!ended) throw new ApiError('not_found');
    await forgetDeviceOf(db.orm, caller.accountId, params.id);
    audit(log, 'sessions_ended', { account: caller.accountId, session: params.id, clientIp, reason: 'one' });
    return done('session_ended');
  });
}

const PER_IP: RateLimit = { name: 'login-code-ip', points: 100, windowSeconds: 60 * 60 };
/** As long as a challenge is valid. */
const PER_CHALLENGE: RateLimit = { name: 'login-code', points: 5, windowSeconds: 5 * 60 };

export function mountChallenge({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(completeLogIn, async ({ body, log, clientIp, context }) => {
    const now = clock.now();
    await consumeAttempt(deps, PER_IP, clientIp, { log, clientIp });
    const challenge = await verifyChallenge(body.challenge, settings.jwtSecrets, now);
    const account = challenge && (await findAccount(db.orm, challenge.accountId));
    const isValid =
      account &&
      challenge.password === passwordDigest(account.passwordHash) &&
      (await hasSecondFactor(db.orm, account.id)) &&
      (await tryConsumeRateLimit(db.orm, PER_CHALLENGE, challenge.id, now));
    if (!isValid) throw expired();
    await requireCode(deps, account, body.code, { log, clientIp }, { challengeId: challenge.id });
    const userAgent = context.req.header('user-agent') ?? '';
    const { method, remember, link } = challenge;
    const { devices } = body;
    const signIn = { method, remember, link, userAgent, devices, log, clientIp };
    const signedIn = await completeSignIn(deps, account, signIn);
    if (!signedIn) throw expired();
    return signedIn;

    function expired(): ApiError {
      const who = { clientIp, ...(account && { account: account.id }) };
      audit(log, 'second_factor_refused', { ...who, reason: 'sign_in_expired' });
      return invalidField('challenge', 'sign_in_expired');
    }
  });
}
