import { z } from 'zod';
import { MailTokenField } from './account-fields';
import { call, dataOf, Id, IsoDateTime } from './call';
import { PlanSlug } from './plans';

/**
 * A declaration that was made without proof of who made it: neither signed in as the owner nor with the reference of the
 * order. It takes effect at `effectiveAt` unless the owner undoes it; its own date is the one that counts for the law.
 */
export const WaitingDeclaration = z.object({
  id: Id,
  kind: z.enum(['cancel', 'withdraw', 'money_back']),
  receivedAt: IsoDateTime,
  effectiveAt: IsoDateTime,
});
export type WaitingDeclaration = z.infer<typeof WaitingDeclaration>;

/** `done` has taken effect; `over` changed nothing, because the contract had ended before. */
const State = z.enum(['waiting', 'undone', 'done', 'over']);
const Decision = z.enum(['confirm', 'undo']);
const decided = dataOf(z.object({ state: State }));

/** Errors on `token`: `token_unknown`. Looking decides nothing: mail programs open links on their own. */
export const readDeclaration = call({
  name: 'readDeclaration',
  method: 'POST',
  path: '/api/contract/declaration',
  summary: 'The declaration that a mailed link is about',
  access: 'public',
  beyond: true,
  body: z.object({ token: MailTokenField }),
  response: dataOf(WaitingDeclaration.omit({ id: true }).extend({ plan: PlanSlug.nullable(), state: State })),
  errors: ['invalid', 'rate_limited'],
});

/** Answers where the declaration stands then: one that was decided before stays so. */
export const decideDeclaration = call({
  name: 'decideDeclaration',
  method: 'POST',
  path: '/api/contract/declaration/decision',
  summary: 'Have a declaration take effect at once, or undo it, by the mailed link',
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
  summary: 'The same, signed in as the owner of the contract',
  access: 'user',
  beyond: true,
  params: z.object({ id: Id }),
  body: z.object({ decision: Decision }),
  response: decided,
  errors: ['unauthenticated', 'invalid', 'not_found'],
});
