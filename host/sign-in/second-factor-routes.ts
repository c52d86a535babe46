import { done } from '#contract/call';
import {
  confirmSecondFactor,
  endSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from '#contract/second-factor';
import { notifyOwner } from '#host/accounts/activities';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import { seal, unseal } from '#host/accounts/sealed-secrets';
import { getAccount } from '#host/accounts/store';
import { type Caller, clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import type { RateLimit } from '#host/http/rate-limit';
import { lockOwnAccount, requirePassword } from './reauthentication';
import { makeRecoveryCodes } from './recovery-codes';
import {
  confirmTotpSecret,
  countRecoveryCodes,
  dropSecondFactor,
  findRenewalTime,
  findTotpSecret,
  hasSecondFactor,
  keepTotpSecret,
  replaceRecoveryCodes,
  type TotpSecret,
} from './second-factor';
import { base32, findTimeStep, otpauthUri, SECRET_BYTES } from './totp';
import { REPEAT_MS, requireCode } from './verify-code';

/** How long a secret waits for its first code. */
const SETUP_MS = 60 * 60_000;
const SETUP_TRIES: RateLimit = { name: 'second-factor-setup', points: 20, windowSeconds: 15 * 60 };

const PAGE = '/user/settings/two-step';

const currentPassword = (password: string) =>
  ({ field: 'currentPassword', missing: 'password_required', password }) as const;

export function mountSecondFactor({ mount }: Router, deps: Deps): void {
  const { db, clock, random, settings } = deps;

  mount(getSecondFactor, async ({ caller }) => {
    const row = await findTotpSecret(db.orm, caller.accountId);
    if (row?.confirmedAt) {
      const recoveryCodesLeft = await countRecoveryCodes(db.orm, caller.accountId);
      const since = row.confirmedAt.toISOString();
      return { data: { state: 'on' as const, since, recoveryCodesLeft, setup: null } };
    }
    const setup = row && isWaiting(row, caller) ? presentSetup(row, caller) : null;
    const state = setup ? ('pending' as const) : ('off' as const);
    return { data: { state, since: null, recoveryCodesLeft: 0, setup } };
  });

  mount(startSecondFactor, async ({ caller, body, log, clientIp }) => {
    const account = await getAccount(db.orm, caller.accountId);
    await requirePassword(deps, account, { caller, log, clientIp }, currentPassword(body.currentPassword));
    const { accountId, sessionId } = caller;
    const sealed = seal(random(SECRET_BYTES), accountId, { secrets: settings.jwtSecrets, random });
    const secret = { accountId, sealed, sessionId, createdAt: clock.now() };
    await db.orm.transaction(async (transaction) => {
      await lockOwnAccount(transaction, caller, clock.now());
      if (!(await keepTotpSecret(transaction, secret))) throw new ApiError('conflict');
    });
    return { data: presentSetup(secret, caller) };
  });

  mount(confirmSecondFactor, async ({ caller, body, log, clientIp }) => {
    const who = { log, account: caller.accountId, clientIp };
    await consumeAttempt(deps, SETUP_TRIES, caller.accountId, who);
    const account = await getAccount(db.orm, caller.accountId);
    const now = clock.now();
    const row = await findTotpSecret(db.orm, caller.accountId);
    if (!row || !(isWaiting(row, caller) || isJustConfirmed(row, caller))) throw new ApiError('conflict');
    const { plain } = unseal(row.sealed, row.accountId, settings.jwtSecrets);
    const step = findTimeStep(plain, body.code, now);
    if (step === null || (row.confirmedAt && row.lastStep !== step)) throw invalidField('code', 'code_wrong');
    const { codes, ...kept } = await makeRecoveryCodes(deps, clientOf(clientIp, account.id));
    await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, now);
      if (await confirmTotpSecret(transaction, row, step, now)) {
        await notifyOwner(transaction, deps, owner, { change: 'second_factor_on', path: PAGE }, now);
        audit(log, 'second_factor_on', { account: account.id, clientIp });
      } else if (!(await hasSecondFactor(transaction, account.id))) throw new ApiError('conflict');
      await replaceRecoveryCodes(transaction, account.id, kept, now);
    });
    return { data: { recoveryCodes: codes } };
  });

  mount(endSecondFactor, async ({ caller, body, log, clientIp }) => {
    const account = await getAccount(db.orm, caller.accountId);
    await requirePassword(deps, account, { caller, log, clientIp }, currentPassword(body.currentPassword));
    if (!(await hasSecondFactor(db.orm, account.id))) return done('second_factor_off');
    const now = clock.now();
    // The code is used up in the same transaction, so a concurrent repeated post finds both done or neither.
    const isNew = await requireCode(
      deps,
      account,
      body.code,
      { log, clientIp },
      {
        begin: async (transaction) => {
          await lockOwnAccount(transaction, caller, now);
          return hasSecondFactor(transaction, account.id);
        },
        act: async (transaction) => {
          await dropSecondFactor(transaction, account.id);
          await notifyOwner(transaction, deps, account, { change: 'second_factor_off', path: PAGE }, now);
        },
        wasJustDone: async () => false,
      },
    );
    if (isNew) audit(log, 'second_factor_off', { account: account.id, clientIp });
    return done('second_factor_off');
  });

  mount(renewRecoveryCodes, async ({ caller, body, log, clientIp }) => {
    const account = await getAccount(db.orm, caller.accountId);
    await requirePassword(deps, account, { caller, log, clientIp }, currentPassword(body.currentPassword));
    if (!(await hasSecondFactor(db.orm, account.id))) throw new ApiError('conflict');
    // Generated first, so that one transaction uses up the code and the old set: a repeated post finds both or neither.
    const { codes, ...kept } = await makeRecoveryCodes(deps, clientOf(clientIp, account.id));
    const now = clock.now();
    const isNew = await requireCode(
      deps,
      account,
      body.code,
      { log, clientIp },
      {
        begin: async (transaction) => {
          await lockOwnAccount(transaction, caller, now);
          return true;
        },
        act: async (transaction, { isRepeated, recoveryHash }) => {
          await replaceRecoveryCodes(transaction, account.id, { ...kept, proof: recoveryHash }, now);
          if (!isRepeated)
            await notifyOwner(
              transaction,
              deps,
              account,
              { change: 'recovery_codes_renewed', path: PAGE },
              now,
            );
        },
        wasJustDone: async (transaction) => {
          const renewedAt = await findRenewalTime(transaction, account.id);
          return renewedAt !== null && now.getTime() - renewedAt.getTime() <= REPEAT_MS;
        },
      },
    );
    if (isNew) audit(log, 'recovery_codes_renewed', { account: account.id, clientIp });
    return { data: { recoveryCodes: codes } };
  });

  function isWaiting(row: TotpSecret, { sessionId }: Caller): boolean {
    const isYoung = clock.now().getTime() - row.createdAt.getTime() <= SETUP_MS;
    return !row.confirmedAt && row.sessionId === sessionId && isYoung;
  }

  function isJustConfirmed(row: TotpSecret, { sessionId }: Caller): boolean {
    if (!row.confirmedAt || row.sessionId !== sessionId) return false;
    return clock.now().getTime() - row.confirmedAt.getTime() <= REPEAT_MS;
  }

  function presentSetup(row: Pick<TotpSecret, 'accountId' | 'sealed'>, { email }: Caller) {
    const secret = base32(unseal(row.sealed, row.accountId, settings.jwtSecrets).plain);
    return { secret, uri: otpauthUri(secret, { appName: settings.appName, email }) };
  }
}
