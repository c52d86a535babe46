import { z } from 'zod';
import { OptionalPasswordField } from './account-fields';
import { call, doneAs, Id, IsoDateTime } from './call';

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
  beyond: true,
  params: z.object({ id: Id }),
  body: z.object({
    currentPassword: OptionalPasswordField,
  }),
  response: doneAs('google_unlinked'),
  errors: ['unauthenticated', 'invalid', 'not_found', 'conflict', 'rate_limited'],
});
