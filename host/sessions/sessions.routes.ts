import { randomUUID } from 'node:crypto';
import { done } from '#contract/call';
import { logIn, logOut } from '#contract/sessions';
import { recordActivity } from '#host/accounts/activities';
import { isPassword } from '#host/accounts/passwords';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Authenticate, Router } from '#host/http/mount';
import { clearPoints, type Limit, takePoint } from '#host/http/rate-limit';
import { createSession, endSession, findCredentials, findLiveSession } from './sessions.store';
import { signToken, verifyToken } from './tokens';

const HOUR_MS = 3_600_000;
const SESSION_MS = 12 * HOUR_MS;
const REMEMBERED_SESSION_MS = 30 * 24 * HOUR_MS;

const PER_ACCOUNT: Limit = { name: 'login-account', points: 10, windowSeconds: 15 * 60 };
const PER_ADDRESS: Limit = { name: 'login-address', points: 100, windowSeconds: 60 * 60 };

/** Checks a token's signature, its time, and that its session still lives. */
export function createAuthenticate({ db, clock, settings }: Deps): Authenticate {
  return async (token) => {
    const now = clock.now();
    const ids = token ? await verifyToken(token, settings.jwtSecrets, now) : null;
    const session = ids && (await findLiveSession(db.orm, ids.sessionId, ids.accountId, now));
    if (!session) throw new ApiError('unauthenticated');
    return {
      ...ids,
      email: session.email,
      running: session.accessUntil !== null && session.accessUntil > now,
    };
  };
}

export function mountSessions({ mount }: Router, { db, clock, settings }: Deps): void {
  mount(logIn, async ({ body, log, address, context }) => {
    const now = clock.now();
    const email = body.email.toLowerCase();
    await takePoint(db.orm, PER_ADDRESS, address, now);
    await takePoint(db.orm, PER_ACCOUNT, email, now);
    const account = await findCredentials(db.orm, email);
    if (!(await isPassword(body.password, account?.passwordHash)) || !account) {
      log.info({ event: 'login_failed' }, 'sign-in refused');
      throw new ApiError('invalid_credentials');
    }
    await clearPoints(db.orm, PER_ACCOUNT, email);
    const session = {
      id: randomUUID(),
      accountId: account.id,
      remember: body.remember,
      userAgent: (context.req.header('user-agent') ?? '').slice(0, 300),
      createdAt: now,
      expiresAt: new Date(now.getTime() + (body.remember ? REMEMBERED_SESSION_MS : SESSION_MS)),
    };
    await createSession(db.orm, session);
    await recordActivity(db.orm, account.id, 'auth_login', now);
    log.info({ event: 'login', account: account.id }, 'signed in');
    const content = {
      ...account,
      accountId: account.id,
      sessionId: session.id,
      expiresAt: session.expiresAt,
    };
    return { token: await signToken(content, settings.jwtSecrets, now) };
  });

  mount(logOut, async ({ caller, log }) => {
    await endSession(db.orm, caller.sessionId, clock.now());
    log.info({ event: 'logout', account: caller.accountId }, 'signed out');
    return done('logout_successful');
  });
}
