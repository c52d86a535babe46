import { z } from 'zod';
import { requiredLineField } from './account-fields';
import { call, Done, dataOf, FormKey, Id, IsoDateTime } from './call';
import { oneTag } from './labels';
import { OwnerProof } from './second-factor';
import { ORIGIN_LENGTH, ORIGINS_PER_KEY, readOrigin } from './urls';

export const KEYS_PER_ACCOUNT = 20;
export const GRANTS_PER_ACCOUNT = 50;

export const KeyPermission = z.enum(['read', 'change'], 'key_permission_required');

/** How long a renewed key still works with its old secret, in seconds. */
export const KEY_OVERLAPS = { none: 0, hour: 3_600, day: 86_400, week: 604_800 } as const;
export type KeyOverlap = keyof typeof KEY_OVERLAPS;

/** What tokens of a grant are for: the API, or the tools of assistants. */
export const Resource = z.enum(['api', 'mcp']);

/** Whether a client is named by an address that it was read from; others only say what they are called. */
export function isVerifiedClient(clientId: string): boolean {
  return clientId.startsWith('https://');
}

/** A key with which programs call the API; its secret is shown once and stored as a hash. */
export const ApiKey = z.object({
  id: Id,
  name: z.string(),
  /** Of its secret. */
  lastFour: z.string(),
  /** `change` includes `read`. */
  permission: KeyPermission,
  /** It finds and makes only codes with this tag; null for all. */
  tag: z.string().nullable(),
  /** Web pages of these origins may call with it; other pages may not. */
  origins: z.array(z.string()),
  createdAt: IsoDateTime,
  /** Null for a key without an end. */
  expiresAt: IsoDateTime.nullable(),
  /** Exact to a minute. */
  lastUsedAt: IsoDateTime.nullable(),
  /** The secret before the last renewal, while it still works. */
  earlier: z.object({ lastFour: z.string(), expiresAt: IsoDateTime }).nullable(),
  /**
   * The program that it was given to by OAuth, which has no secret that could be shown or renewed; null for a key. `host`
   * is null for a program on the device of the owner.
   */
  client: z.object({ host: z.string().nullable(), isVerified: z.boolean(), resource: Resource }).nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** Only this response contains the secret. */
const KeyWithSecret = dataOf(ApiKey.extend({ secret: z.string() }));

const params = z.object({ id: Id });

/** The only tag whose codes it finds; null for all. */
export const keyTag = oneTag('key_tag_invalid').default(null);

const origin = z
  .string('key_origin_invalid')
  .trim()
  .max(ORIGIN_LENGTH, { error: 'key_origin_invalid', abort: true })
  .transform((entered, context) => {
    const read = readOrigin(entered);
    if ('origin' in read) return read.origin;
    context.addIssue(read.refused);
    return z.NEVER;
  });

const name = requiredLineField('key_name', 60);
const origins = z
  .array(origin, 'key_origin_invalid')
  .max(ORIGINS_PER_KEY, 'key_origins_too_many')
  .transform((entered) => [...new Set(entered)]);

export const readKey = call({
  name: 'readKey',
  method: 'GET',
  path: '/api/v1/key',
  summary: 'What the key of the request may do',
  access: 'user',
  key: 'read',
  response: dataOf(
    z.object({
      permission: KeyPermission.describe('`change` includes `read`.'),
      tag: z.string().nullable().describe('It finds and makes only codes with this tag; null for all.'),
    }),
  ),
  errors: ['unauthenticated'],
});

export const listKeys = call({
  name: 'listKeys',
  method: 'GET',
  path: '/api/account/keys',
  summary: "The account's API keys and the programs connected by OAuth, newest first, without secrets",
  access: 'user',
  response: dataOf(z.array(ApiKey)),
  errors: ['unauthenticated'],
});

/** `conflict` if there are 20 keys already. */
export const makeKey = call({
  name: 'makeKey',
  method: 'POST',
  path: '/api/account/keys',
  summary: 'Make an API key; only this response contains its secret',
  access: 'user',
  body: OwnerProof.extend({
    name,
    permission: KeyPermission,
    tag: keyTag,
    origins: origins.default([]),
    /** Days until it ends; null for no end. */
    days: z
      .int('key_days_invalid')
      .min(1, 'key_days_invalid')
      .max(3650, 'key_days_invalid')
      .nullable()
      .default(365),
    /** The same form sent again gives the key that it made another secret. */
    key: FormKey.optional(),
  }),
  response: KeyWithSecret,
  status: 201,
  errors: ['unauthenticated', 'invalid', 'conflict', 'rate_limited'],
});

/** What a key may do stays as it was made; a connected program has nothing to change. */
export const changeKey = call({
  name: 'changeKey',
  method: 'PUT',
  path: '/api/account/keys/{id}',
  summary: 'Change the name of an API key and the web pages that may call with it',
  access: 'user',
  params,
  body: OwnerProof.extend({ name, origins }),
  response: dataOf(ApiKey),
  errors: ['unauthenticated', 'invalid', 'not_found', 'rate_limited'],
});

/**
 * A key that has an end gets a new one, as far from now as it was when the key was made. A secret from before an earlier
 * renewal ends at once.
 */
export const renewKey = call({
  name: 'renewKey',
  method: 'POST',
  path: '/api/account/keys/{id}/renew',
  summary: 'Give an API key a new secret; the present one goes on working for the chosen time',
  access: 'user',
  params,
  body: OwnerProof.extend({
    overlap: z.enum(Object.keys(KEY_OVERLAPS) as [KeyOverlap, ...KeyOverlap[]], 'key_overlap_required'),
    /** The same form sent again replaces only the new secret. */
    key: FormKey.optional(),
  }),
  response: KeyWithSecret,
  status: 201,
  errors: ['unauthenticated', 'invalid', 'not_found', 'rate_limited'],
});

export const revokeKey = call({
  name: 'revokeKey',
  method: 'DELETE',
  path: '/api/account/keys/{id}',
  summary: 'Revoke an API key, or end the connection of a program, at once',
  access: 'user',
  params,
  response: Done.extend({ message: z.enum(['key_revoked', 'grant_ended']) }),
  errors: ['unauthenticated', 'not_found'],
});
