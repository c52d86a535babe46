import { z } from 'zod';
import { call, doneAs, Id, IsoDateTime } from './call';
import { DESTINATION_PROBLEMS } from './destination-problems';

/** What the last look at an address saw that a code may lead to. */
export const DestinationCheck = z.object({
  address: z.string(),
  /** Null before the first look. */
  checkedAt: IsoDateTime.nullable(),
  /** Null if it answered, or was not asked because its own rules or ours forbid it. */
  problem: z.enum(DESTINATION_PROBLEMS).nullable(),
  status: z.int().nullable(),
  movedTo: z.string().nullable(),
  /** Whether a second look has confirmed the problem; until then nobody is told. */
  isConfirmed: z.boolean(),
  /** Whether it is about to be asked. */
  isDue: z.boolean(),
});

/** The watch asks within seconds, at its usual pace; once a minute for a code, and 60 times an hour for an account. */
export const checkDestinations = call({
  name: 'checkDestinations',
  method: 'POST',
  path: '/api/qrcodes/{id}/checks',
  summary: 'Have the destinations of a code asked now rather than at their time of the day',
  access: 'subscriber',
  params: z.object({ id: Id }),
  response: doneAs('code_check_requested'),
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'code_deleted', 'rate_limited'],
});
