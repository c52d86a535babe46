import { done } from '#contract/call';
import { endOneSession, endOtherSessions, listSessions, logIn, logOut } from '#contract/sessions';
import { requireHuman } from '#host/accounts/attempts';
import { audit, emailDigest } from '#host/accounts/audit';
import type { Authenticate } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { passFirstFactor } from './first-factor';
import {
  countKnownTry,
  countNetworkTry,
  countTryAbout,
  forgetTriesAbout,
  noteWrongPassword,
} from './guessing';
import { findKnownDevice, forgetDeviceOf, forgetDevices } from './known-devices.store';
import {
  endAllSessions,
  endSession,
  findCredentials,
  findLiveSession,
  listLiveSessions,
  markSeen,
  presentSession,
} from './sessions.store';
import { readLinkTicket } from './signed-tickets';
import { verifyToken } from './tokens';

/** Checks a token's signature, its time, and that its session still lives. */
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
      email: session.email,
      position: session.position,
      running: session.accessUntil !== null && session.accessUntil > now,
    };
  };
}

export function mountSessions({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(logIn, async ({ body, log, clientIp, context }) => {
    const { email, password, remember, devices } = body;
    const who = { clientIp, email: emailDigest(email, settings.jwtSecrets) };
    const account = await findCredentials(db.orm, email);
    const guess = { email, passwordHash: account?.passwordHash, clientIp };
    const device = await findKnownDevice(db.orm, devices, account?.id);
    if (device) await countKnownTry(deps, device.id, { log, ...who });
    else {
      await countNetworkTry(deps, { log, ...who });
      // Robots that are told apart here use up no tries of the account.
      await requireHuman(deps, { proof: body, action: 'login', about: email }, { log, ...who });
      await countTryAbout(deps, guess, { log, ...who });
    }
    if (!(await deps.passwords.matches(password, account?.passwordHash)) || !account) {
      if (!device) await noteWrongPassword(deps, guess);
      audit(log, 'login_refused', who);
      throw new ApiError('invalid_credentials');
    }
    if (!device) await forgetTriesAbout(deps, guess);
    const userAgent = context.req.header('user-agent') ?? '';
    const link = body.link && (await readLinkTicket(body.link, account.id, settings.jwtSecrets, clock.now()));
    const entry = { method: 'password', remember, userAgent, devices, log, clientIp } as const;
    return passFirstFactor(deps, account, { ...entry, ...(link && { link }) });
  });

  mount(logOut, async ({ caller, log, clientIp }) => {
    await endSession(db.orm, caller.accountId, caller.sessionId, clock.now());
    audit(log, 'logout', { account: caller.accountId, session: caller.sessionId, clientIp });
    return done('logout_successful');
  });

  mount(listSessions, async ({ caller }) => {
    const rows = await listLiveSessions(db.orm, caller.accountId, clock.now());
    return { data: rows.map((row) => presentSession(row, caller.sessionId)) };
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
