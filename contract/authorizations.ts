import { z } from 'zod';
import { KeyPermission, keyTag, Resource } from './api-keys';
import { call, dataOf } from './call';
import { OwnerProof } from './second-factor';

// Requests of programs for access to an account by OAuth 2.1, which their user answers on a page.

const which = {
  request: z.string().regex(/^[\w-]{20,100}$/),
  /** From the cookie of the browser that the program sent here: nobody else may answer. */
  proof: z.string().max(200),
};

export const Authorization = z.object({
  client: z.object({
    name: z.string(),
    /** Of the address at which the program describes itself; null if it only says what it is called. */
    host: z.string().nullable(),
  }),
  /** The host to which the answer goes; null for the device of the user. */
  answersTo: z.string().nullable(),
  resource: Resource,
  /** What it asks for. */
  permission: KeyPermission,
  /** False without a running subscription. */
  mayAllow: z.boolean(),
  /** Where the browser goes once the request is answered; null before. */
  returnTo: z.string().nullable(),
});

export const getAuthorization = call({
  name: 'getAuthorization',
  method: 'GET',
  path: '/api/authorization',
  summary: 'What a program asks for that wants access to an account',
  access: 'user',
  query: z.object(which),
  response: dataOf(Authorization),
  errors: ['unauthenticated', 'invalid', 'not_found'],
});

/**
 * Only allowing needs the owner. Asked again, it says where to go without doing anything; `conflict` if 50 programs have
 * access already.
 */
export const answerAuthorization = call({
  name: 'answerAuthorization',
  method: 'POST',
  path: '/api/authorization',
  summary: 'Allow a program access to the account, or refuse it',
  access: 'user',
  body: OwnerProof.extend({
    ...which,
    allow: z.boolean(),
    permission: KeyPermission.default('read'),
    tag: keyTag,
  }),
  response: dataOf(z.object({ returnTo: z.string() })),
  errors: ['unauthenticated', 'invalid', 'not_found', 'subscription_required', 'conflict', 'rate_limited'],
});
