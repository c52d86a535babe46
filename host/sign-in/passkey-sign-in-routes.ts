import { passkeyLogIn, passkeyLogInOptions } from '#contract/passkeys';
import { consumeAttempt } from '#host/accounts/attempts';
import { audit } from '#host/accounts/audit';
import { findCredential, movePasskeyCounter } from '#host/accounts/passkeys';
import { findAccount } from '#host/accounts/store';
import type { Deps } from '#host/http/deps';
import { invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import type { RateLimit } from '#host/http/rate-limit';
import { completeSignIn } from './first-factor';
import { loadWebAuthn, makeChallenge, relyingPartyOf, verifyChallenged } from './webauthn';

const PER_IP: RateLimit = { name: 'passkey-ip', points: 100, windowSeconds: 60 * 60 };

export function mountPasskeyLogIn({ mount }: Router, deps: Deps): void {
  const { db, clock, settings } = deps;
  const { id: rpID, origin } = relyingPartyOf(settings.publicUrl);

  mount(passkeyLogInOptions, async ({ log, clientIp }) => {
    await consumeAttempt(deps, PER_IP, clientIp, { log, clientIp });
    const { generateAuthenticationOptions } = await loadWebAuthn();
    const options = await generateAuthenticationOptions({
      rpID,
      challenge: makeChallenge(deps, 'login'),
      timeout: 5 * 60_000,
      userVerification: 'required',
    });
    return { data: { ...options } };
  });

  mount(passkeyLogIn, async ({ body, log, clientIp, context }) => {
    await consumeAttempt(deps, PER_IP, clientIp, { log, clientIp });
    const { credential } = body;
    const passkey = await findCredential(db.orm, credential.id);
    const account = passkey && (await findAccount(db.orm, passkey.accountId));
    if (!account) throw refused('unknown');
    const who = { account: account.id };
    const { verifyAuthenticationResponse } = await loadWebAuthn();
    const verified = await verifyChallenged({ ...deps, log }, 'login', (expectedChallenge) =>
      verifyAuthenticationResponse({
        response: { ...credential, clientExtensionResults: {} },
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        credential: {
          id: passkey.credentialId,
          publicKey: Uint8Array.from(passkey.publicKey),
          counter: passkey.counter,
        },
        requireUserVerification: true,
      }),
    );
    if (!verified?.verified) throw refused('not_verified', who);
    const { newCounter } = verified.authenticationInfo;
    if (!(await movePasskeyCounter(db.orm, passkey, newCounter, clock.now()))) throw refused('counter', who);
    const userAgent = context.req.header('user-agent') ?? '';
    const { remember, devices } = body;
    const signIn = { method: 'passkey', remember, userAgent, devices, log, clientIp } as const;
    const signedIn = await completeSignIn(deps, account, signIn);
    if (!signedIn) throw refused('unknown', who);
    return signedIn;

    function refused(reason: string, subject: { account?: string } = {}) {
      audit(log, 'passkey_refused', { ...subject, clientIp, reason });
      return invalidField('credential', 'passkey_refused');
    }
  });
}
