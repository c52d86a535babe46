import { done } from '#contract/call';
import { endOneSession, endOtherSessions, listSessions, logIn, logOut } from '#contract/sessions';
import { recordActivity } from '#host/accounts/activities';
import { requireNoRobot, takeAttempt } from '#host/accounts/attempts';
import { audit, emailMark } from '#host/accounts/audit';
import { emailKey } from '#host/accounts/limits';
import { isPassword } from '#host/accounts/passwords';
import { addressKey } from '#host/http/address-key';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Authenticate, Router } from '#host/http/mount';
import { clearPoints, type Limit } from '#host/http/rate-limit';
import { openSession } from './open-session';
import {
  endAllSessions,
  endSession,
  findCredentials,
  findLiveSession,
  listLiveSessions,
  markSeen,
  presentSession,
} from './sessions.store';
import { verifyToken } from './tokens';

const PER_ACCOUNT_AND_ADDRESS: Limit = { name: 'login', points: 10, windowSeconds: 15 * 60 };
/** Far above what one address can use up, so that a stranger's tries do not keep the owner out (OWASP ASVS 5.0, 6.1.1). */
const PER_ACCOUNT: Limit = { name: 'login-account', points: 100, windowSeconds: 60 * 60 };
const PER_ADDRESS: Limit = { name: 'login-address', points: 100, windowSeconds: 60 * 60 };

/** Checks a token's signature, its time, and that its session still lives. */
export function createAuthenticate({ db, clock, settings }: Deps): Authenticate {
  return async (token) => {
    const now = clock.now();
    const ids = token ? await verifyToken(token, settings.jwtSecrets, now) : null;
    const session = ids && (await findLiveSession(db.orm, ids.sessionId, ids.accountId, now));
    if (!session) throw new ApiError('unauthenticated');
    await markSeen(db.orm, ids.sessionId, session.lastSeenAt, now);
    return {
      ...ids,
      email: session.email,
      running: session.accessUntil !== null && session.accessUntil > now,
    };
  };
}

export function mountSessions({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(logIn, async ({ body, log, address, context }) => {
    const now = clock.now();
    const key = emailKey(body.email);
    const pair = `${key}:${addressKey(address)}`;
    const who = { address, email: emailMark(body.email, settings.jwtSecrets) };
    await takeAttempt(deps, PER_ADDRESS, address, { log, ...who });
    // Before the limits of the account: robots that are told apart here lock nobody out.
    await requireNoRobot(deps, { proof: body, action: 'login', about: body.email }, { log, ...who });
    await takeAttempt(deps, PER_ACCOUNT_AND_ADDRESS, pair, { log, ...who });
    await takeAttempt(deps, PER_ACCOUNT, key, { log, ...who });
    const account = await findCredentials(db.orm, body.email);
    if (!(await isPassword(body.password, account?.passwordHash)) || !account) {
      audit(log, 'login_refused', who);
      throw new ApiError('invalid_credentials');
    }
    await clearPoints(db.orm, PER_ACCOUNT_AND_ADDRESS, pair);
    await clearPoints(db.orm, PER_ACCOUNT, key);
    const userAgent = context.req.header('user-agent') ?? '';
    const token = await openSession(deps, account, { remember: body.remember, userAgent });
    await recordActivity(db.orm, account.id, 'auth_login', now);
    audit(log, 'login', { account: account.id, address });
    return { token };
  });

  mount(logOut, async ({ caller, log, address }) => {
    await endSession(db.orm, caller.accountId, caller.sessionId, clock.now());
    audit(log, 'logout', { account: caller.accountId, session: caller.sessionId, address });
    return done('logout_successful');
  });

  mount(listSessions, async ({ caller }) => {
    const rows = await listLiveSessions(db.orm, caller.accountId, clock.now());
    return { data: rows.map((row) => presentSession(row, caller.sessionId)) };
  });

  mount(endOtherSessions, async ({ caller, log, address }) => {
    await endAllSessions(db.orm, caller.accountId, clock.now(), caller.sessionId);
    audit(log, 'sessions_ended', { account: caller.accountId, address, reason: 'others' });
    return done('sessions_ended');
  });

  mount(endOneSession, async ({ caller, params, log, address }) => {
    const ended = await endSession(db.orm, caller.accountId, params.id, clock.now());
    if (!ended) throw new ApiError('not_found');
    audit(log, 'sessions_ended', { account: caller.accountId, session: params.id, address, reason: 'one' });
    return done('session_ended');
  });
}
