import {
  changePassword,
  changeTimeZone,
  deleteAccount,
  exportAccount,
  getProfile,
  updateProfile,
} from '#contract/accounts';
import { done } from '#contract/call';
import {
  EMAIL_CHANGE_PER_ACCOUNT,
  EMAIL_CHANGE_PER_MAILBOX,
  EXPORT_PER_ACCOUNT,
  emailKey,
  PROFILE_CHANGES_PER_ACCOUNT,
} from '#host/accounts/account-limits';
import { recordActivity } from '#host/accounts/activities';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import { requireGoodPassword } from '#host/accounts/passwords';
import { changeAccount, findProfile, getAccount, guessTimeZone } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import { type Caller, clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { requestEmailChange } from '#host/sign-in/email-change';
import { lockOwnAccount, requireCallerIsOwner, requireOwner } from '#host/sign-in/reauthentication';
import { setPassword } from '#host/sign-in/set-password';
import { streamAccountExport } from './account-export';
import { eraseAccount } from './erasure';

export function mountAccounts({ mount }: Router, deps: Deps): void {
  const { db, clock } = deps;

  mount(getProfile, async ({ caller }) => ({ data: await profileOf(caller) }));

  mount(updateProfile, async ({ caller, body, log, clientIp }) => {
    const now = clock.now();
    const account = await getAccount(db.orm, caller.accountId);
    const { firstName, lastName, publicName, email, locale } = body;
    const who = { log, account: account.id, clientIp };
    await consumeAttempt(deps, PROFILE_CHANGES_PER_ACCOUNT, account.id, who);
    const wantsOtherEmail = email.toLowerCase() !== account.email.toLowerCase();
    if (wantsOtherEmail) {
      const proof = {
        field: 'currentPassword',
        missing: 'current_password_required' as const,
        password: body.currentPassword,
        code: body.code,
      };
      await requireOwner(deps, account, { caller, log, clientIp }, proof);
      await consumeAttempt(deps, EMAIL_CHANGE_PER_ACCOUNT, account.id, who);
      await consumeAttempt(deps, EMAIL_CHANGE_PER_MAILBOX, emailKey(email), who);
    }
    await db.orm.transaction(async (transaction) => {
      const before = await lockOwnAccount(transaction, caller, now);
      await changeAccount(transaction, before.id, {
        firstName,
        lastName,
        ...(publicName !== undefined && { publicName }),
        ...(locale && { locale }),
      });
      const { publicName: nameBefore } = before;
      const hasChanged =
        firstName !== before.firstName ||
        lastName !== before.lastName ||
        (publicName ?? nameBefore) !== nameBefore;
      if (hasChanged) {
        await recordActivity(transaction, before.id, 'account_updated_profile', now);
      }
      if (!wantsOtherEmail) return;
      const owner = { ...before, locale: locale ?? before.locale };
      await requestEmailChange(transaction, deps, owner, email, now);
      await recordActivity(transaction, account.id, 'account_requested_email_change', now);
    });
    if (wantsOtherEmail) audit(log, 'email_change_asked', { account: account.id, clientIp });
    return {
      status: 'success' as const,
      message: wantsOtherEmail ? ('email_change_requested' as const) : ('profile_updated' as const),
      data: await profileOf(caller),
    };
  });

  mount(changeTimeZone, async ({ caller, body }) => {
    const { timeZone, onlyIfUnset } = body;
    if (onlyIfUnset) await guessTimeZone(db.orm, caller.accountId, timeZone);
    else await changeAccount(db.orm, caller.accountId, { timeZone });
    return done('time_zone_changed');
  });

  mount(changePassword, async ({ caller, body, log, clientIp }) => {
    const account = await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
    await requireGoodPassword({ ...deps, log }, 'newPassword', body.newPassword, account.email);
    const passwordHash = await deps.passwords.hash(body.newPassword, clientOf(clientIp, account.id));
    await db.orm.transaction(async (transaction) => {
      const owner = await lockOwnAccount(transaction, caller, clock.now());
      const update = { passwordHash, sessionId: caller.sessionId, revokesKeys: body.revokesKeys };
      await setPassword(transaction, deps, owner, update, clock.now());
    });
    audit(log, 'password_changed', { account: account.id, clientIp });
    if (body.revokesKeys) audit(log, 'keys_revoked', { account: account.id, clientIp, reason: 'all' });
    return done('password_changed');
  });

  mount(exportAccount, async ({ caller, log, clientIp }) => {
    const who = { log, account: caller.accountId, clientIp };
    await consumeAttempt(deps, EXPORT_PER_ACCOUNT, caller.accountId, who);
    const account = await getAccount(db.orm, caller.accountId);
    audit(log, 'account_exported', { account: account.id, clientIp });
    return new Response(await streamAccountExport({ ...deps, log }, account, caller.sessionId), {
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': 'attachment; filename="account.json"',
        'Cache-Control': 'no-store',
      },
    });
  });

  mount(deleteAccount, async ({ caller, body, log, clientIp }) => {
    const account = await getAccount(db.orm, caller.accountId);
    await requireOwner(
      deps,
      account,
      { caller, log, clientIp },
      { field: 'password', missing: 'password_required', ...body },
    );
    const now = clock.now();
    const isDue = async (orm: Orm) => {
      await lockOwnAccount(orm, caller, now);
      return true;
    };
    await eraseAccount(deps, account.id, { now, keepsLinks: body.keepsLinks, isDue });
    audit(log, 'account_deleted', { account: account.id, clientIp });
    return done('account_deleted');
  });

  async function profileOf(caller: Caller) {
    const profile = await findProfile(db.orm, caller.accountId, clock.now());
    if (!profile) throw new ApiError('unauthenticated');
    return profile;
  }
}
