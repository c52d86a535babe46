import { z } from 'zod';
import { lineField } from './account-fields';
import { call, dataOf, doneAs, Id, IsoDateTime } from './call';
import { DeviceTokens, TokenAnswer } from './sessions';

/** A passkey of the account, which signs in instead of the password (Web Authentication, level 3). */
export const Passkey = z.object({
  id: Id,
  name: z.string(),
  createdAt: IsoDateTime,
  lastUsedAt: IsoDateTime.nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

const CurrentPassword = z
  .string('password_required')
  .normalize('NFC')
  .max(128, 'password_too_long')
  .default('');
const Name = lineField('passkey_name', 60);

/** Options for the browser's own call, in the JSON form of the standard; they are good for five minutes, once. */
const Options = dataOf(z.looseObject({ challenge: z.string() }));

const base64url = z.string().regex(/^[\w-]*$/);

/** What the browser's call answers, in the JSON form of the standard; what is in it is judged by the host. */
const Credential = z.object({
  id: base64url.max(1400),
  rawId: base64url.max(1400),
  type: z.literal('public-key'),
});

const NewCredential = Credential.extend({
  response: z.object({
    clientDataJSON: base64url.max(4096),
    attestationObject: base64url.max(16_384),
    transports: z.array(z.string().max(40)).max(10).default([]),
  }),
});

const UsedCredential = Credential.extend({
  response: z.object({
    clientDataJSON: base64url.max(4096),
    authenticatorData: base64url.max(4096),
    signature: base64url.max(8192),
  }),
});

export const listPasskeys = call({
  name: 'listPasskeys',
  method: 'GET',
  path: '/api/account/passkeys',
  summary: 'Passkeys of the account, the oldest first',
  access: 'user',
  beyond: true,
  response: dataOf(z.array(Passkey)),
  errors: ['unauthenticated'],
});

/** `conflict` from 20 passkeys on. */
export const startPasskey = call({
  name: 'startPasskey',
  method: 'POST',
  path: '/api/account/passkeys/options',
  summary: 'Begin to add a passkey',
  access: 'user',
  beyond: true,
  body: z.object({ currentPassword: CurrentPassword }),
  response: Options,
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

/** Errors on `credential`: `passkey_refused`. An empty name becomes that of the device. */
export const addPasskey = call({
  name: 'addPasskey',
  method: 'POST',
  path: '/api/account/passkeys',
  summary: 'Add a passkey that the browser has made',
  access: 'user',
  beyond: true,
  body: z.object({ name: Name.default(''), credential: NewCredential }),
  response: dataOf(Passkey),
  status: 201,
  errors: ['unauthenticated', 'invalid', 'rate_limited'],
});

export const renamePasskey = call({
  name: 'renamePasskey',
  method: 'PATCH',
  path: '/api/account/passkeys/{id}',
  summary: 'Name a passkey',
  access: 'user',
  beyond: true,
  params: z.object({ id: Id }),
  body: z.object({ name: Name.min(1, 'passkey_name_required') }),
  response: doneAs('passkey_renamed'),
  errors: ['unauthenticated', 'invalid', 'not_found'],
});

/** `conflict` where nothing else would sign in to the account any more. */
export const removePasskey = call({
  name: 'removePasskey',
  method: 'DELETE',
  path: '/api/account/passkeys/{id}',
  summary: 'Sign in with this passkey no more',
  access: 'user',
  beyond: true,
  params: z.object({ id: Id }),
  body: z.object({ currentPassword: CurrentPassword }),
  response: doneAs('passkey_removed'),
  errors: ['unauthenticated', 'invalid', 'not_found', 'conflict', 'rate_limited'],
});

export const passkeyLogInOptions = call({
  name: 'passkeyLogInOptions',
  method: 'POST',
  path: '/api/login_passkey/options',
  summary: 'Begin to sign in with a passkey',
  access: 'public',
  beyond: true,
  response: Options,
  errors: ['rate_limited'],
});

/**
 * Signs in; the authenticator has verified its user, so no other factor is asked for. Errors on `credential`:
 * `passkey_refused`.
 */
export const passkeyLogIn = call({
  name: 'passkeyLogIn',
  method: 'POST',
  path: '/api/login_passkey',
  summary: 'Sign in with a passkey',
  access: 'public',
  beyond: true,
  body: z.object({
    credential: UsedCredential,
    remember: z.boolean().default(false),
    devices: DeviceTokens,
  }),
  response: TokenAnswer,
  errors: ['invalid', 'rate_limited'],
});
