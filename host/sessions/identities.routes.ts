import { done } from '#contract/call';
import { unlinkIdentity as unlinkCall } from '#contract/identities';
import { findAccount } from '#host/accounts/accounts.store';
import { audit } from '#host/accounts/audit';
import { lockOwnAccount, requireOwner } from '#host/accounts/reauthentication';
import { listPasskeys } from '#host/factors/passkeys.store';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { queueMail } from '#host/mail/outbox';
import { findIdentity, hasOtherIdentity, unlinkIdentity } from './identities.store';

export function mountIdentities({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(unlinkCall, async ({ caller, params, body, log, clientIp }) => {
    const { accountId } = caller;
    const account = await findAccount(db.orm, accountId);
    const identity = account && (await findIdentity(db.orm, accountId, params.id));
    if (!identity) throw new ApiError('not_found');
    await requireOwner(
      deps,
      account,
      { caller, log, clientIp },
      { field: 'currentPassword', missing: 'password_required', password: body.currentPassword },
    );
    await db.orm.transaction(async (transaction) => {
      // The lock lets concurrent requests remove only one of the last two sign-in methods.
      const { email: to, locale, passwordHash } = await lockOwnAccount(transaction, caller, clock.now());
      const isLastSignInMethod =
        !passwordHash &&
        !(await hasOtherIdentity(transaction, accountId, params.id)) &&
        (await listPasskeys(transaction, accountId)).length === 0;
      if (isLastSignInMethod) throw new ApiError('conflict');
      if (!(await unlinkIdentity(transaction, accountId, params.id))) return;
      const values = { google: identity.email || 'Google', actionUrl: `${settings.publicUrl}/user/settings` };
      await queueMail(
        transaction,
        { to, locale, template: 'account-mail.google_unlinked', values },
        clock.now(),
      );
    });
    audit(log, 'google_unlinked', { account: accountId, clientIp });
    return done('google_unlinked');
  });
}
