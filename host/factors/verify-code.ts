import type { Logger } from 'pino';
import type { AccountRow } from '#host/accounts/accounts.store';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import type { MessageCode } from '#host/http/message-codes';
import { type RateLimit, resetRateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';
import { queueMail } from '#host/mail/outbox';
import { hashRecoveryCode, isRecoveryCode } from './recovery-codes';
import { seal, unseal } from './sealed-secrets';
import {
  claimTimeStep,
  countRecoveryCodes,
  findRecoverySalt,
  findTotpSecret,
  listTotpSecrets,
  replaceSealed,
  spendRecoveryCode,
  type TotpSecret,
} from './second-factor.store';
import { findTimeStep } from './totp';

const MINUTE = 60;
const PER_ACCOUNT: RateLimit = { name: 'code-check', points: 10, windowSeconds: 15 * MINUTE };
/**
 * Three of a million codes are right at a time, so guessing for a year at this limit succeeds with 3 %. It is not for
 * recovery codes: whoever was locked out by somebody else's guesses has those, and nobody guesses them.
 */
const PER_ACCOUNT_AND_DAY: RateLimit = {
  name: 'code-check-day',
  points: 30,
  windowSeconds: 24 * 60 * MINUTE,
};
/** Wrong codes in a row after which the owner is told that somebody has the password. */
const MISTAKES: RateLimit = { name: 'code-mistakes', points: 4, windowSeconds: 15 * MINUTE };

type Account = Pick<AccountRow, 'id' | 'email' | 'locale'>;
type Outside = Pick<Deps, 'db' | 'clock' | 'random' | 'settings'>;

/**
 * Takes a code of the authenticator app or a recovery code, each once, and tells the owner of the latter. Refuses the
 * field `code` with `code_wrong` or `code_used`; throws `rate_limited`.
 */
export async function requireCode(
  deps: Outside,
  account: Account,
  code: string,
  { log, clientIp }: { log: Logger; clientIp: string },
): Promise<void> {
  const { db, clock } = deps;
  const who = { account: account.id, clientIp };
  await consumeAttempt(deps, PER_ACCOUNT, account.id, { log, ...who });
  if (!isRecoveryCode(code)) await consumeAttempt(deps, PER_ACCOUNT_AND_DAY, account.id, { log, ...who });
  const problem = isRecoveryCode(code)
    ? await takeRecoveryCode(deps, account, code)
    : await takeAppCode(deps, account, code);
  if (problem) {
    audit(log, 'second_factor_refused', { ...who, reason: problem });
    if (!(await tryConsumeRateLimit(db.orm, MISTAKES, account.id, clock.now())))
      await warnOwner(deps, account);
    throw invalidField('code', problem);
  }
  if (isRecoveryCode(code)) audit(log, 'recovery_code_used', who);
  await clearCodeAttempts(db.orm, account.id);
  await resetRateLimit(db.orm, PER_ACCOUNT_AND_DAY, account.id);
}

/** Gives the owner new tries who has just taken the account back with a new password. */
export async function clearCodeAttempts(orm: Orm, accountId: string): Promise<void> {
  await resetRateLimit(orm, PER_ACCOUNT, accountId);
  await resetRateLimit(orm, MISTAKES, accountId);
}

/** The secret in clear; sealed anew where that was done with a secret that is about to go. */
async function openTotpSecret(
  { db, random, settings }: Pick<Deps, 'db' | 'random' | 'settings'>,
  row: TotpSecret,
): Promise<Uint8Array> {
  const { plain, isCurrent } = unseal(row.sealed, row.accountId, settings.jwtSecrets);
  if (!isCurrent) {
    const anew = seal(plain, row.accountId, { secrets: settings.jwtSecrets, random });
    await replaceSealed(db.orm, row, anew);
  }
  return plain;
}

async function takeAppCode(deps: Outside, { id }: Account, code: string): Promise<MessageCode | null> {
  const row = await findTotpSecret(deps.db.orm, id);
  if (!row?.confirmedAt) return 'code_wrong';
  const step = findTimeStep(await openTotpSecret(deps, row), code, deps.clock.now());
  if (step === null) return 'code_wrong';
  return (await claimTimeStep(deps.db.orm, id, step)) ? null : 'code_used';
}

async function takeRecoveryCode(
  { db, clock, settings }: Outside,
  { id, email: to, locale }: Account,
  code: string,
): Promise<MessageCode | null> {
  const salt = await findRecoverySalt(db.orm, id);
  const hash = salt && (await hashRecoveryCode(code, salt));
  const now = clock.now();
  return db.orm.transaction(async (transaction) => {
    if (!hash || !(await spendRecoveryCode(transaction, id, hash, now))) return 'code_wrong';
    const left = await countRecoveryCodes(transaction, id);
    const values = { left, actionUrl: `${settings.publicUrl}/user/settings/two-step` };
    await queueMail(transaction, { to, locale, template: 'account-mail.recovery_code_used', values }, now);
    return null;
  });
}

/** At most once a day. */
async function warnOwner(
  { db, clock, settings }: Outside,
  { id, email: to, locale }: Account,
): Promise<void> {
  const now = clock.now();
  const values = { actionUrl: `${settings.publicUrl}/forgot-password` };
  const dedupeKey = `second-factor-refused:${id}:${now.toISOString().slice(0, 10)}`;
  const mail = { to, locale, template: 'account-mail.second_factor_refused' as const, values, dedupeKey };
  await queueMail(db.orm, mail, now);
}

const BATCH = 100;

/**
 * Seals anew with the first secret what was sealed with another, so that a rotated secret can be taken off the list an
 * hour later without anybody's app becoming worthless.
 */
export async function resealSecrets(deps: Pick<Deps, 'db' | 'random' | 'settings' | 'log'>): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const rows = await listTotpSecrets(deps.db.orm, after, BATCH);
    for (const row of rows) {
      await openTotpSecret(deps, row).catch((error: unknown) =>
        deps.log.error({ err: error, account: row.accountId }, 'the secret of an app cannot be opened'),
      );
    }
    after = rows.at(-1)?.accountId ?? null;
    if (rows.length < BATCH) return;
  }
}
