import type { Logger } from 'pino';
import type { z } from 'zod';
import type { OwnerProof } from '#contract/second-factor';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import { type AccountRow, getAccount, lockAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import { type Caller, clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField, type MessageCode } from '#host/http/errors';
import { type RateLimit, resetRateLimit } from '#host/http/rate-limit';
import { hasSecondFactor } from './second-factor';
import { findLiveSession, getSession } from './sessions';
import { requireCode } from './verify-code';

const PER_ACCOUNT: RateLimit = { name: 'password-check', points: 10, windowSeconds: 15 * 60 };
const PER_IP: RateLimit = { name: 'password-check-ip', points: 60, windowSeconds: 60 * 60 };
const RECENT_MS = 10 * 60_000;

/** Resets the count of password checks once the password has changed. */
export async function forgetPasswordChecks(orm: Orm, accountId: string): Promise<void> {
  await resetRateLimit(orm, PER_ACCOUNT, accountId);
}

interface RequestContext {
  caller: Caller;
  log: Logger;
  clientIp: string;
}

interface PasswordProof {
  /** The field to refuse, and the code to use if it is empty. */
  field: string;
  missing: MessageCode;
  password: string | undefined;
}

interface Proof extends PasswordProof {
  /** Of the second factor; empty if none was typed. */
  code: string;
}

/**
 * Makes sure that the request comes from the owner (OWASP ASVS 5.0, 7.5.1): as `requirePassword` does, and by a code if
 * the account has a second factor, which a change of the ways in would otherwise bypass. Refuses the field `code` with
 * `code_required`, `code_wrong` or `code_used`; within a minute the session may use one code for several changes.
 */
export async function requireOwner(
  deps: Pick<Deps, 'db' | 'clock' | 'passwords' | 'random' | 'settings'>,
  account: AccountRow,
  requestContext: RequestContext,
  { code, ...proof }: Proof,
): Promise<void> {
  await requirePassword(deps, account, requestContext, proof);
  if (!(await hasSecondFactor(deps.db.orm, account.id))) return;
  if (code === '') throw invalidField('code', 'code_required');
  await requireCode(deps, account, code, requestContext, { challengeId: requestContext.caller.sessionId });
}

/** The same for the account of the caller, which it returns, with what the form of a passkey, a key or a webhook sent. */
export async function requireCallerIsOwner(
  deps: Parameters<typeof requireOwner>[0],
  requestContext: RequestContext,
  { currentPassword: password, code }: z.output<typeof OwnerProof>,
): Promise<AccountRow> {
  const account = await getAccount(deps.db.orm, requestContext.caller.accountId);
  const proof = { field: 'currentPassword', missing: 'password_required', password, code } as const;
  await requireOwner(deps, account, requestContext, proof);
  return account;
}

/**
 * Makes sure that whoever sends the request knows the current password or, for an account without one, has signed in
 * within the last 10 minutes. Refuses with `missing`, `password_wrong` or `recent_sign_in_required`; throws
 * `rate_limited` after 10 wrong passwords in 15 minutes.
 */
export async function requirePassword(
  deps: Pick<Deps, 'db' | 'clock' | 'passwords'>,
  account: AccountRow,
  { caller, log, clientIp }: RequestContext,
  { field, missing, password }: PasswordProof,
): Promise<void> {
  const { db, clock } = deps;
  const now = clock.now();
  const who = { account: account.id, clientIp };
  await consumeAttempt(deps, PER_IP, clientIp, { log, ...who });
  if (!account.passwordHash) {
    const session = await getSession(db.orm, caller.sessionId);
    const isRecent = now.getTime() - session.createdAt.getTime() <= RECENT_MS;
    if (!isRecent) throw refused('recent_sign_in_required');
    return;
  }
  if (!password) throw invalidField(field, missing);
  await consumeAttempt(deps, PER_ACCOUNT, account.id, { log, ...who });
  const client = clientOf(clientIp, account.id);
  if (!(await deps.passwords.matches(password, account.passwordHash, client)))
    throw refused('password_wrong');
  await resetRateLimit(db.orm, PER_ACCOUNT, account.id);

  function refused(reason: MessageCode) {
    audit(log, 'reauthentication_refused', { ...who, reason });
    return invalidField(field, reason);
  }
}

/**
 * Locks the caller's account and returns its current row; call it first in the transaction of the change. Throws
 * `unauthenticated` if the account was erased or the session ended in the meantime; every new password ends it, so that
 * the old one no longer authorises anything.
 */
export async function lockOwnAccount(
  orm: Orm,
  { accountId, sessionId }: Pick<Caller, 'accountId' | 'sessionId'>,
  now: Date,
): Promise<AccountRow> {
  const account = await lockAccount(orm, accountId);
  const session = account && (await findLiveSession(orm, sessionId, accountId, now));
  if (!session) throw new ApiError('unauthenticated');
  return account;
}
