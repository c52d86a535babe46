import { createHash } from 'node:crypto';
import { googleLogIn } from '#contract/sessions';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit, emailDigest } from '#host/accounts/audit';
import { createCodeFromOnboardingDraft } from '#host/accounts/set-up-account';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { MessageCode } from '#host/http/message-codes';
import type { Router } from '#host/http/mount';
import { type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';
import { passFirstFactor } from './first-factor';
import { createIdTokenVerifier } from './google-tokens';
import { findAccountToLink, findIdentityAccount } from './identities.store';
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
    const account = await findAccountToLink(db.orm, identity.email);
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
