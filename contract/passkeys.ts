import { z } from 'zod';
import { lineField } from './account-fields';
import { call, dataOf, doneAs, Id, IsoDateTime } from './call';
import { OwnerProof } from './second-factor';
import { DeviceTokens, TokenResponse } from './sessions';

/** A passkey of the account, which signs in instead of the password (Web Authentication, level 3). */
export const Passkey = z.object({
  id: Id,
  name: z.string(),
  createdAt: IsoDateTime,
  lastUsedAt: IsoDateTime.nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

const Name = lineField('passkey_name', 60);

/** Options for the browser's WebAuthn call, as JSON in the form of the standard; valid once, for five minutes. */
const Options = dataOf(z.looseObject({ challenge: z.string() }));

const base64url = z.string().regex(/^[\w-]*$/);

/** What that call returns, as JSON in the form of the standard; the host verifies the contents. */
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

/** `conflict` if there are 20 passkeys already. The name is checked before the browser creates a key. */
export const startPasskey = call({
  name: 'startPasskey',
  method: 'POST',
  path: '/api/account/passkeys/options',
  summary: 'Start adding a passkey',
  access: 'user',
  body: OwnerProof.extend({ name: Name.default('') }),
  response: Options,
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

/** Errors on `credential`: `passkey_refused`. `conflict` as above. An empty name becomes that of the device. */
export const addPasskey = call({
  name: 'addPasskey',
  method: 'POST',
  path: '/api/account/passkeys',
  summary: 'Add a passkey that the browser has created',
  access: 'user',
  body: z.object({ name: Name.default(''), credential: NewCredential }),
  response: dataOf(Passkey),
  status: 201,
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

export const renamePasskey = call({
  name: 'renamePasskey',
  method: 'PATCH',
  path: '/api/account/passkeys/{id}',
  summary: 'Rename a passkey',
  access: 'user',
  params: z.object({ id: Id }),
  body: z.object({ name: Name.min(1, 'passkey_name_required') }),
  response: doneAs('passkey_renamed'),
  errors: ['unauthenticated', 'invalid', 'not_found'],
});

/** `conflict` if it is the last way to sign in. */
export const removePasskey = call({
  name: 'removePasskey',
  method: 'DELETE',
  path: '/api/account/passkeys/{id}',
  summary: 'Remove a passkey',
  access: 'user',
  params: z.object({ id: Id }),
  body: OwnerProof,
  response: doneAs('passkey_removed'),
  errors: ['unauthenticated', 'invalid', 'not_found', 'conflict', 'rate_limited'],
});

/** For owners who do not know who added them. `conflict` if they are the only way to sign in. */
export const removePasskeys = call({
  name: 'removePasskeys',
  method: 'DELETE',
  path: '/api/account/passkeys',
  summary: 'Remove all passkeys',
  access: 'user',
  body: OwnerProof,
  response: doneAs('passkeys_removed'),
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

export const passkeyLogInOptions = call({
  name: 'passkeyLogInOptions',
  method: 'POST',
  path: '/api/login_passkey/options',
  summary: 'Start signing in with a passkey',
  access: 'public',
  response: Options,
  errors: ['rate_limited'],
});

/**
 * Signs in; the authenticator has verified the user, so no second factor is needed. Errors on `credential`:
 * `passkey_refused`.
 */
export const passkeyLogIn = call({
  name: 'passkeyLogIn',
  method: 'POST',
  path: '/api/login_passkey',
  summary: 'Sign in with a passkey',
  access: 'public',
  body: z.object({
    credential: UsedCredential,
    remember: z.boolean().default(false),
    devices: DeviceTokens,
  }),
  response: TokenResponse,
  errors: ['invalid', 'rate_limited'],
});
