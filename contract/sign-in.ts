import { z } from 'zod';
import { call, dataOf, IsoDateTime } from './call';
import { Identity } from './identities';
import { Passkey } from './passkeys';
import { Session } from './sessions';

/** Everything that the settings page shows about signing in, so that it needs one call. */
export const getSignIn = call({
  name: 'getSignIn',
  method: 'GET',
  path: '/api/account/sign-in',
  summary: 'Ways to sign in to the account besides its password, and its sessions',
  access: 'user',
  beyond: true,
  response: dataOf(
    z.object({
      /** Oldest first, like the passkeys. */
      googleAccounts: z.array(Identity),
      passkeys: z.array(Passkey),
      /** Since when signing in needs a code from an authenticator app; null if it does not. */
      secondFactorSince: IsoDateTime.nullable(),
      /** Most recently used first. */
      sessions: z.array(Session),
    }),
  ),
  errors: ['unauthenticated'],
});
