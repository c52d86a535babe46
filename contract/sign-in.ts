import { z } from 'zod';
import { call, dataOf, doneAs, Id, IsoDateTime } from './call';
import { Passkey } from './passkeys';
import { OwnerProof } from './second-factor';
import { Session } from './sessions';

/** A Google account that signs in here. */
export const Identity = z.object({
  id: Id,
  /** Its address when it was linked; empty if that was not stored. */
  email: z.string(),
  createdAt: IsoDateTime,
});
export type Identity = z.infer<typeof Identity>;

/** `conflict` if it is the last way to sign in: no password, no passkey and no other identity. */
export const unlinkIdentity = call({
  name: 'unlinkIdentity',
  method: 'DELETE',
  path: '/api/account/identities/{id}',
  summary: 'Unlink a Google account, which can then no longer sign in',
  access: 'user',
  params: z.object({ id: Id }),
  body: OwnerProof,
  response: doneAs('google_unlinked'),
  errors: ['unauthenticated', 'invalid', 'not_found', 'conflict', 'rate_limited'],
});

/** Everything that the settings page shows about signing in, so that it needs one call. */
export const getSignIn = call({
  name: 'getSignIn',
  method: 'GET',
  path: '/api/account/sign-in',
  summary: 'Ways to sign in to the account besides its password, and its sessions',
  access: 'user',
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
