import { z } from 'zod';
import { call } from './call';

/**
 * Server-sent events (WHATWG HTML, section 9.2), not JSON. A `ready` event is sent at once; a `visits` event
 * says that visits or engagements were written, `data: {"at": "<date and time>"}`, at most four times a
 * second. It contains no figures: the receiver requests them again. A comment is sent every 20 seconds. The
 * stream ends with the session or the subscription, and when the host stops. Five streams per account
 * (`rate_limited`), 500 per host (`unavailable`).
 */
export const streamStatistics = call({
  name: 'streamStatistics',
  method: 'GET',
  path: '/api/qrcodes/stats/stream',
  summary: 'Server-sent events that signal when figures of the account, or of one code, have changed',
  access: 'subscriber',
  beyond: true,
  query: z.object({ code: z.uuid('code_invalid').optional() }),
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'invalid', 'rate_limited', 'unavailable'],
});
