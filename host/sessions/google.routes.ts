import { createHash } from 'node:crypto';
import { googleLogIn } from '#contract/sessions';
import { recordActivity } from '#host/accounts/activities';
import { takeAttempt } from '#host/accounts/attempts';
import { audit, emailMark } from '#host/accounts/audit';
import { createCarriedCode } from '#host/accounts/set-up-account';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { type Limit, tryPoint } from '#host/http/rate-limit';
import { queueMail } from '#host/mail/outbox';
import { createIdTokenVerifier, type GoogleIdentity } from './google-tokens';
import { findIdentityAccount, linkIdentity } from './identities.store';
import { signIn } from './sign-in';

const PER_ADDRESS: Limit = { name: 'google-address', points: 60, windowSeconds: 60 * 60 };
/** A token signs in once, for longer than it lives here. */
const PER_TOKEN: Limit = { name: 'google-token', points: 1, windowSeconds: 30 * 60 };

export function mountGoogle({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;
  const verify = createIdTokenVerifier(deps);

  mount(googleLogIn, async ({ body, log, address, context }) => {
    if (!settings.google.clientId) throw new ApiError('not_found');
    const now = clock.now();
    await takeAttempt(deps, PER_ADDRESS, address, { log, address });
    const identity = await verify(body.idToken, body.nonce);
    if (!identity || !(await isFirstUse(body.idToken, now))) {
      audit(log, 'google_login_refused', { address, reason: 'token' });
      throw invalidField('idToken', 'google_invalid_token');
    }
    const account = await findOrLink(identity, now);
    if (!account) {
      const email = emailMark(identity.email, settings.jwtSecrets);
      audit(log, 'google_login_refused', { address, email, reason: 'unknown_account' });
      throw invalidField('idToken', 'google_unknown_account');
    }
    const userAgent = context.req.header('user-agent') ?? '';
    const { remember, devices } = body;
    const signedIn = await signIn(deps, account, { remember, userAgent, devices });
    await recordActivity(db.orm, account.id, 'google_auth_login', now);
    audit(log, account.isNew ? 'google_linked' : 'google_login', { account: account.id, address });
    return { ...signedIn, created: account.created };
  });

  function isFirstUse(idToken: string, now: Date): Promise<boolean> {
    const key = createHash('sha256').update(idToken).digest('base64url');
    return tryPoint(db.orm, PER_TOKEN, key, now);
  }

  /**
   * The account of an identity; the first time, the account with the same address. That address was proven by a
   * mailed link before it could get a password, so nobody can lie in wait there. Where it has no password, the design
   * that the link carries becomes a code here.
   */
  async function findOrLink(identity: GoogleIdentity, now: Date) {
    return db.orm.transaction(async (transaction) => {
      const known = await findIdentityAccount(transaction, identity);
      const account = known ? { ...known, isNew: false } : await linkIdentity(transaction, identity, now);
      if (!account) return null;
      const { id, email: to, locale, isNew, passwordHash } = account;
      if (isNew) {
        const values = { actionUrl: `${settings.publicUrl}/user/settings` };
        await queueMail(transaction, { to, locale, template: 'account-mail.google_linked', values }, now);
      }
      if (passwordHash) return { ...account, created: null };
      const codeId = await createCarriedCode(transaction, deps, id, now);
      return { ...account, created: isNew ? ('account' as const) : codeId ? ('code' as const) : null };
    });
  }
}
