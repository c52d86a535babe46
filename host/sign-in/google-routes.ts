import { createHash } from 'node:crypto';
import { done } from '#contract/call';
import { googleLogIn } from '#contract/sessions';
import { unlinkIdentity as unlinkCall } from '#contract/sign-in';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit, emailDigest } from '#host/accounts/audit';
import { listPasskeys } from '#host/accounts/passkeys';
import { findAccountByEmail } from '#host/accounts/store';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField, type MessageCode } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';
import { queueMail } from '#host/mail/outbox';
import { passFirstFactor } from './first-factor';
import { createIdTokenVerifier } from './google-tokens';
import { findIdentity, findIdentityAccount, hasOtherIdentity, unlinkIdentity } from './identities';
import { lockOwnAccount, requireCallerIsOwner } from './reauthentication';
import { createCodeFromOnboardingDraft } from './set-up-account';
import { signLinkTicket } from './signed-tickets';

const PER_IP: RateLimit = { name: 'google-ip', points: 60, windowSeconds: 60 * 60 };
/** A token signs in once; uses are remembered for longer than it is accepted. */
const PER_TOKEN: RateLimit = { name: 'google-token', points: 1, windowSeconds: 30 * 60 };

export function mountGoogle({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;
  const verify = createIdTokenVerifier(deps);

  mount(googleLogIn, async ({ body, log, clientIp, context }) => {
    if (!settings.google.clientId) throw new ApiError('not_found');
    const now = clock.now();
    await consumeAttempt(deps, PER_IP, clientIp, { log, clientIp });
    const identity = await verify(body.idToken, body.nonce);
    if (!identity || !(await isFirstUse(body.idToken, now))) {
      audit(log, 'google_login_refused', { clientIp, reason: 'token' });
      throw invalidField('idToken', 'google_invalid_token');
    }
    const userAgent = context.req.header('user-agent') ?? '';
    const { remember, devices } = body;
    const signIn = { method: 'google', remember, userAgent, devices, log, clientIp } as const;
    const linkedAccount = await findIdentityAccount(db.orm, identity);
    if (linkedAccount) {
      const created = linkedAccount.passwordHash ? null : await createCode(linkedAccount.id, now);
      const signedIn = await passFirstFactor(deps, linkedAccount, signIn);
      if (!signedIn) throw refused('google_unknown_account');
      return { ...signedIn, created };
    }
    const account = await findAccountByEmail(db.orm, identity.email);
    if (!account) throw refused('google_unknown_account');
    if (identity.isAuthoritative) {
      const link = { issuer: identity.issuer, subject: identity.subject, email: identity.email };
      const signedIn = await passFirstFactor(deps, account, { ...signIn, link });
      if (!signedIn) throw refused('google_unknown_account');
      if (account.passwordHash) return { ...signedIn, created: null };
      await createCode(account.id, now);
      return { ...signedIn, created: 'account' as const };
    }
    // Without a password only the mailed link proves that the visitor has access to this mailbox today.
    if (!account.passwordHash) throw refused('google_set_up_first');
    audit(log, 'google_login_refused', { account: account.id, clientIp, reason: 'password_needed' });
    return {
      token: '',
      device: '',
      created: null,
      link: await signLinkTicket(account.id, identity, settings.jwtSecrets, now),
    };

    function refused(reason: MessageCode): ApiError {
      const email = emailDigest(identity?.email ?? '', settings.jwtSecrets);
      audit(log, 'google_login_refused', { clientIp, email, reason });
      return invalidField('idToken', reason);
    }
  });

  /** Hashes the signed part only: a signature can be encoded in several ways (RFC 4648 §3.3, §3.5). */
  function isFirstUse(idToken: string, now: Date): Promise<boolean> {
    const signed = idToken.slice(0, idToken.lastIndexOf('.'));
    const key = createHash('sha256').update(signed).digest('base64url');
    return tryConsumeRateLimit(db.orm, PER_TOKEN, key, now);
  }

  /** An account without a password gets the code that its mailed link would create. */
  async function createCode(accountId: string, now: Date): Promise<'code' | null> {
    const codeId = await db.orm.transaction((orm) =>
      createCodeFromOnboardingDraft(orm, deps, accountId, now),
    );
    return codeId ? 'code' : null;
  }
}

export function mountIdentities({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(unlinkCall, async ({ caller, params, body, log, clientIp }) => {
    const { accountId } = caller;
    const identity = await findIdentity(db.orm, accountId, params.id);
    if (!identity) throw new ApiError('not_found');
    await requireCallerIsOwner(deps, { caller, log, clientIp }, body);
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
