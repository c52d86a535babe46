import type { Logger } from 'pino';
import { MINUTE_SECONDS, utcDay } from '#contract/time';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import { resealAll, seal, unseal } from '#host/accounts/sealed-secrets';
import { type AccountRow, lockAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { invalidField, type MessageCode } from '#host/http/errors';
import { type RateLimit, resetRateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';
import { queueMail } from '#host/mail/outbox';
import type { Client } from '#runtime/processes/process-pool';
import { hashRecoveryCode, isRecoveryCode } from './recovery-codes';
import {
  claimTimeStep,
  countRecoveryCodes,
  findRenewalProof,
  findTotpSecret,
  hasCompleted,
  listRecoverySalts,
  listTotpSecrets,
  replaceSealed,
  spendRecoveryCode,
  type TotpSecret,
} from './second-factor';
import { findTimeStep } from './totp';

const PER_ACCOUNT: RateLimit = { name: 'code-check', points: 10, windowSeconds: 15 * MINUTE_SECONDS };
/**
 * Three of a million codes are valid at any time, so guessing for a year at this limit succeeds with 3 %. It does not
 * apply to recovery codes: an owner locked out by somebody else's guesses has those, and they cannot be guessed.
 */
const PER_ACCOUNT_AND_DAY: RateLimit = {
  name: 'code-check-day',
  points: 30,
  windowSeconds: 24 * 60 * MINUTE_SECONDS,
};
/** Consecutive wrong codes after which the owner is warned that somebody has the password. */
const MISTAKES: RateLimit = { name: 'code-mistakes', points: 4, windowSeconds: 15 * MINUTE_SECONDS };

type Account = Pick<AccountRow, 'id' | 'email' | 'locale'>;
type Outside = Pick<Deps, 'db' | 'clock' | 'passwords' | 'random' | 'settings'>;

/** Without scripts a double click posts a form twice, and the browser shows only the second response. */
export const REPEAT_MS = 60_000;

/** A sign-in under way. Within `REPEAT_MS`, the code that completed it completes it again, but no other one. */
interface SignIn {
  challengeId: string;
}

/** A change of the account, in the transaction that uses up the code. */
interface Change {
  /** Locks the account before anything of it is changed; false if there is nothing left to do. */
  begin(orm: Orm): Promise<boolean>;
  act(orm: Orm, taken: { isRepeated: boolean; recoveryHash?: string }): Promise<void>;
  /** Whether it was done moments ago: then the code used for it is accepted again. */
  wasJustDone(orm: Orm): Promise<boolean>;
}

type Use = SignIn | Change;
type Outcome = { problem: MessageCode } | { isNew: boolean };

/**
 * Uses up a code of the authenticator app or a recovery code, and notifies the owner of the latter. Returns false if an
 * earlier post of the same form used it. Refuses the field `code` with `code_wrong` or `code_used`; throws
 * `rate_limited`.
 */
export async function requireCode(
  deps: Outside,
  account: Account,
  code: string,
  { log, clientIp }: { log: Logger; clientIp: string },
  use: Use,
): Promise<boolean> {
  const { db, clock } = deps;
  const who = { account: account.id, clientIp };
  await consumeAttempt(deps, PER_ACCOUNT, account.id, { log, ...who });
  if (!isRecoveryCode(code)) await consumeAttempt(deps, PER_ACCOUNT_AND_DAY, account.id, { log, ...who });
  const outcome = isRecoveryCode(code)
    ? await takeRecoveryCode(deps, account, code, use, clientOf(clientIp, account.id))
    : await takeAppCode(deps, account, code, use);
  if ('problem' in outcome) {
    audit(log, 'second_factor_refused', { ...who, reason: outcome.problem });
    if (!(await tryConsumeRateLimit(db.orm, MISTAKES, account.id, clock.now())))
      await warnOwner(deps, account);
    throw invalidField('code', outcome.problem);
  }
  if (isRecoveryCode(code) && outcome.isNew) audit(log, 'recovery_code_used', who);
  await clearCodeAttempts(db.orm, account.id);
  await resetRateLimit(db.orm, PER_ACCOUNT_AND_DAY, account.id);
  return outcome.isNew;
}

/** Resets the attempts of an owner who has just recovered the account with a new password. */
export async function clearCodeAttempts(orm: Orm, accountId: string): Promise<void> {
  await resetRateLimit(orm, PER_ACCOUNT, accountId);
  await resetRateLimit(orm, MISTAKES, accountId);
}

/** The unsealed secret; it is sealed again if it was sealed with an older key. */
async function openTotpSecret(
  { db, random, settings }: Pick<Deps, 'db' | 'random' | 'settings'>,
  row: TotpSecret,
): Promise<Uint8Array> {
  const { plain, isCurrent } = unseal(row.sealed, row.accountId, settings.jwtSecrets);
  if (!isCurrent) {
    const resealed = seal(plain, row.accountId, { secrets: settings.jwtSecrets, random });
    await replaceSealed(db.orm, row, resealed);
  }
  return plain;
}

async function takeAppCode(deps: Outside, { id }: Account, code: string, use: Use): Promise<Outcome> {
  const now = deps.clock.now();
  const row = await findTotpSecret(deps.db.orm, id);
  const step = row?.confirmedAt ? stepOf(code, await openTotpSecret(deps, row), row, now) : null;
  const { change, challengeId } = partsOf(use);
  return deps.db.orm.transaction(async (transaction) => {
    if (change && !(await change.begin(transaction))) return { isNew: false };
    if (step === null) return { problem: 'code_wrong' };
    const isNew = await claimTimeStep(transaction, id, { step, usedAt: now, challengeId });
    if (!isNew && !(await isAcceptedAgain(transaction, { accountId: id, step }, use, now)))
      return { problem: 'code_used' };
    await change?.act(transaction, { isRepeated: !isNew });
    return { isNew };
  });
}

function partsOf(use: Use): { change?: Change; challengeId: string | null } {
  return 'challengeId' in use ? { challengeId: use.challengeId } : { change: use, challengeId: null };
}

/** A code may expire between the two posts of a form, so the last accepted one is also recognised by its own time. */
function stepOf(code: string, secret: Uint8Array, { lastStep, lastUsedAt }: TotpSecret, now: Date) {
  const step = findTimeStep(secret, code, now);
  if (step !== null || lastUsedAt === null) return step;
  return findTimeStep(secret, code, lastUsedAt) === lastStep ? lastStep : null;
}

async function isAcceptedAgain(
  orm: Orm,
  { accountId, step }: { accountId: string; step: number },
  use: Use,
  now: Date,
): Promise<boolean> {
  const row = await findTotpSecret(orm, accountId);
  const { change, challengeId } = partsOf(use);
  if (row?.lastStep !== step || row.lastChallengeId !== challengeId) return false;
  if (change) return change.wasJustDone(orm);
  return row.lastUsedAt !== null && now.getTime() - row.lastUsedAt.getTime() <= REPEAT_MS;
}

async function takeRecoveryCode(
  { db, clock, passwords, settings }: Outside,
  { id, email: to, locale }: Account,
  code: string,
  use: Use,
  client: Client,
): Promise<Outcome> {
  const now = clock.now();
  const since = new Date(now.getTime() - REPEAT_MS);
  const hashes: string[] = [];
  for (const salt of await listRecoverySalts(db.orm, id, since))
    hashes.push(await hashRecoveryCode(passwords, code, salt, client));
  const { change, challengeId } = partsOf(use);
  return db.orm.transaction(async (transaction) => {
    if (change && !(await change.begin(transaction))) return { isNew: false };
    const spentHash = await spendRecoveryCode(transaction, id, hashes, { usedAt: now, challengeId });
    if (spentHash === null) return takeAgain(transaction, id, hashes, { use, since });
    const left = await countRecoveryCodes(transaction, id);
    const values = { left, actionUrl: `${settings.publicUrl}/user/settings/two-step` };
    await queueMail(transaction, { to, locale, template: 'account-mail.recovery_code_used', values }, now);
    await change?.act(transaction, { isRepeated: false, recoveryHash: spentHash });
    return { isNew: true };
  });
}

async function takeAgain(
  orm: Orm,
  accountId: string,
  hashes: string[],
  { use, since }: { use: Use; since: Date },
): Promise<Outcome> {
  if ('challengeId' in use) {
    const { challengeId } = use;
    const isAgain = await hasCompleted(orm, accountId, hashes, { challengeId, since });
    return isAgain ? { isNew: false } : { problem: 'code_wrong' };
  }
  const proof = await findRenewalProof(orm, accountId, hashes, since);
  if (!proof || !(await use.wasJustDone(orm))) return { problem: 'code_wrong' };
  await use.act(orm, { isRepeated: true, recoveryHash: proof });
  return { isNew: false };
}

/** At most once a day, and not if the account was erased in the meantime. */
async function warnOwner(
  { db, clock, settings }: Outside,
  { id, email: to, locale }: Account,
): Promise<void> {
  const now = clock.now();
  const values = { actionUrl: `${settings.publicUrl}/forgot-password` };
  const dedupeKey = `second-factor-refused:${id}:${utcDay(now)}`;
  const mail = { to, locale, template: 'account-mail.second_factor_refused' as const, values, dedupeKey };
  await db.orm.transaction(async (transaction) => {
    if (await lockAccount(transaction, id)) await queueMail(transaction, mail, now);
  });
}

const BATCH = 100;

/**
 * Seals again with the first secret what was sealed with another, so that a rotated secret can be removed from the list
 * an hour later without breaking any authenticator app.
 */
export async function resealSecrets(deps: Pick<Deps, 'db' | 'random' | 'settings' | 'log'>): Promise<void> {
  await resealAll<TotpSecret>(deps.log, {
    list: (last) => listTotpSecrets(deps.db.orm, last?.accountId ?? null, BATCH),
    ownerOf: ({ accountId }) => accountId,
    act: (row) => openTotpSecret(deps, row),
  });
}
