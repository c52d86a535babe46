import { z } from 'zod';
import { Id, IsoDateTime } from './call';
import { Code } from './codes';
import type { WebhookEvent } from './webhook-events';

interface Message {
  /** When it is sent. */
  when: string;
  schema: z.ZodObject;
}

const messageOf = (type: WebhookEvent | 'test', when: string, data: z.ZodRawShape): Message => ({
  when,
  schema: z.object({
    type: z.literal(type),
    timestamp: IsoDateTime.describe('When it happened.'),
    data: z.object(data),
  }),
});
const ofCode = (type: WebhookEvent, when: string, details: z.ZodRawShape = {}) =>
  messageOf(type, when, { code: Code, ...details });

/** The bodies of messages to webhooks; new fields may come at any time. */
export const WEBHOOK_MESSAGES: Record<WebhookEvent | 'test', Message> = {
  'code.created': ofCode('code.created', 'A code was made, or a deleted one was brought back.'),
  'code.updated': ofCode('code.updated', 'A code was changed by its owner, by a program or as planned.', {
    changed: z.array(z.string()).describe('Names of fields.'),
  }),
  'code.deleted': ofCode('code.deleted', 'A code was deleted; code is as it was.'),
  'code.first_visit': ofCode('code.first_visit', 'The first counted visit of a code, within seconds.'),
  'code.milestone': ofCode('code.milestone', 'A code has 10, 100, 1,000 … counted visits.', {
    milestone: z.int().describe('The number.'),
  }),
  'code.destination_failed': ofCode(
    'code.destination_failed',
    'The destination of a code failed twice, an hour apart.',
  ),
  'visits.hourly': ofCode(
    'visits.hourly',
    'Two minutes after each full hour, for each code that was visited in it; after an outage, two minutes after its end. Visits that are counted later still are only in the figures.',
    {
      hour: IsoDateTime.describe('When it began.'),
      visits: z.int().describe('By people: scans and clicks.'),
      scans: z.int(),
      clicks: z.int(),
    },
  ),
  test: messageOf('test', 'You asked for it. It tells of no code.', { webhook: z.object({ id: Id }) }),
};
