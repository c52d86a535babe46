import { z } from 'zod';
import { MailTokenField } from './account-fields';
import { call, dataOf, Id, IsoDateTime } from './call';
import { PlanSlug } from './plans';

/**
 * A declaration made without proof of identity: neither signed in as the owner nor with the order's reference. It takes
 * effect at `effectiveAt` unless the owner undoes it; its own date is the one that counts legally.
 */
export const WaitingDeclaration = z.object({
  id: Id,
  kind: z.enum(['cancel', 'withdraw', 'money_back']),
  receivedAt: IsoDateTime,
  effectiveAt: IsoDateTime,
});
export type WaitingDeclaration = z.infer<typeof WaitingDeclaration>;

/** `done` has taken effect; `over` changed nothing, because the contract had already ended. */
const State = z.enum(['waiting', 'undone', 'done', 'over']);
const Decision = z.enum(['confirm', 'undo']);
const decided = dataOf(z.object({ state: State }));

/** Errors on `token`: `token_unknown`. Reading has no effect, as mail programs open links on their own. */
export const readDeclaration = call({
  name: 'readDeclaration',
  method: 'POST',
  path: '/api/contract/declaration',
  summary: 'The declaration that a mailed link refers to',
  access: 'public',
  beyond: true,
  body: z.object({ token: MailTokenField }),
  response: dataOf(WaitingDeclaration.omit({ id: true }).extend({ plan: PlanSlug.nullable(), state: State })),
  errors: ['invalid', 'rate_limited'],
});

/** Returns the resulting state: an earlier decision is final. */
export const decideDeclaration = call({
  name: 'decideDeclaration',
  method: 'POST',
  path: '/api/contract/declaration/decision',
  summary: 'Confirm a declaration with the mailed link, so that it takes effect at once, or undo it',
  access: 'public',
  beyond: true,
  body: z.object({ token: MailTokenField, decision: Decision }),
  response: decided,
  errors: ['invalid', 'rate_limited'],
});

export const decideOwnDeclaration = call({
  name: 'decideOwnDeclaration',
  method: 'POST',
  path: '/api/account/declarations/{id}',
  summary: 'Confirm or undo a declaration, signed in as the owner of the contract',
  access: 'user',
  beyond: true,
  params: z.object({ id: Id }),
  body: z.object({ decision: Decision }),
  response: decided,
  errors: ['unauthenticated', 'invalid', 'not_found'],
});
