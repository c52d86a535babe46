import { completeLogIn } from '#contract/sessions';
import { findAccount } from '#host/accounts/accounts.store';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import { hasSecondFactor } from '#host/factors/second-factor.store';
import { requireCode } from '#host/factors/verify-code';
import type { Deps } from '#host/http/deps';
import { type ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';
import { completeSignIn } from './first-factor';
import { passwordDigest, verifyChallenge } from './signed-tickets';

const PER_IP: RateLimit = { name: 'login-code-ip', points: 100, windowSeconds: 60 * 60 };
/** As long as a challenge is valid. */
const PER_CHALLENGE: RateLimit = { name: 'login-code', points: 5, windowSeconds: 5 * 60 };

export function mountChallenge({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;

  mount(completeLogIn, async ({ body, log, clientIp, context }) => {
    const now = clock.now();
    await consumeAttempt(deps, PER_IP, clientIp, { log, clientIp });
    const challenge = await verifyChallenge(body.challenge, settings.jwtSecrets, now);
    const account = challenge && (await findAccount(db.orm, challenge.accountId));
    const isValid =
      account &&
      challenge.password === passwordDigest(account.passwordHash) &&
      (await hasSecondFactor(db.orm, account.id)) &&
      (await tryConsumeRateLimit(db.orm, PER_CHALLENGE, challenge.id, now));
    if (!isValid) throw expired();
    await requireCode(deps, account, body.code, { log, clientIp }, { challengeId: challenge.id });
    const userAgent = context.req.header('user-agent') ?? '';
    const { method, remember, link } = challenge;
    const { devices } = body;
    const signIn = { method, remember, link, userAgent, devices, log, clientIp };
    const signedIn = await completeSignIn(deps, account, signIn);
    if (!signedIn) throw expired();
    return signedIn;

    function expired(): ApiError {
      const who = { clientIp, ...(account && { account: account.id }) };
      audit(log, 'second_factor_refused', { ...who, reason: 'sign_in_expired' });
      return invalidField('challenge', 'sign_in_expired');
    }
  });
}
