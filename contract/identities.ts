import { z } from 'zod';
import { call, dataOf, doneAs, Id, IsoDateTime } from './call';

/** A Google account that signs in here. */
export const Identity = z.object({
  id: Id,
  /** Its address when it was linked; empty where that was not kept. */
  email: z.string(),
  createdAt: IsoDateTime,
});
export type Identity = z.infer<typeof Identity>;

export const listIdentities = call({
  name: 'listIdentities',
  method: 'GET',
  path: '/api/account/identities',
  summary: 'Google accounts that sign in to the account',
  access: 'user',
  beyond: true,
  response: dataOf(z.array(Identity)),
  errors: ['unauthenticated'],
});

/** `conflict` where nothing else would sign in to the account any more: no password, no passkey and no other identity. */
export const unlinkIdentity = call({
  name: 'unlinkIdentity',
  method: 'DELETE',
  path: '/api/account/identities/{id}',
  summary: 'Sign in with this Google account no more',
  access: 'user',
  beyond: true,
  params: z.object({ id: Id }),
  body: z.object({
    currentPassword: z.string('password_required').normalize('NFC').max(128, 'password_too_long').default(''),
  }),
  response: doneAs('google_unlinked'),
  errors: ['unauthenticated', 'invalid', 'not_found', 'conflict', 'rate_limited'],
});
