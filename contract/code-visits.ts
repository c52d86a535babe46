import { z } from 'zod';
import { call, dataOf, Id, IsoDateTime } from './call';
import { ListedCode } from './codes';
import { Statistics } from './statistics';
import { TimeZone } from './time-zones';

/**
 * The state of a code, by visits of people: `active` was visited in the last 30 days, `quiet` before that; without any
 * visit a code is `new` for 7 days and `never` afterwards. `uncounted` is a code whose owner wants no visits counted, or
 * whose image holds the content itself and leads nowhere.
 */
export const CodeHealth = z.enum(['new', 'active', 'quiet', 'never', 'uncounted']);
export type CodeHealth = z.infer<typeof CodeHealth>;

export const CodeVisit = z.object({
  at: IsoDateTime,
  class: z.enum(['human', 'bot', 'preview', 'owner']),
  source: z.enum(['scan', 'click']),
  device: z.enum(['phone', 'tablet', 'desktop', 'other']),
  os: z.enum(['ios', 'android', 'windows', 'macos', 'linux', 'chromeos', 'other']),
  /** ISO 639: two letters, or three where no code has two; '' if the browser sent none. */
  language: z.string(),
  /** `paused` and `ended` got the message; who is led to the target of an end is `served`. */
  outcome: z.enum(['served', 'private', 'unknown', 'deleted', 'blocked', 'paused', 'ended']),
});
export type CodeVisit = z.infer<typeof CodeVisit>;

export const CodeVisits = z.object({
  health: CodeHealth,
  /** Scans and clicks by people since the code was created: the same number as in the list. */
  total: z.int(),
  scans: z.int(),
  clicks: z.int(),
  /** Visits by robots, link previews and the owner. */
  others: z.int(),
  /** UTC day of the first visit by a person. */
  firstDay: z.iso.date().nullable(),
  /** The last visit by a person. */
  lastAt: IsoDateTime.nullable(),
  recentVisits: ListedCode.shape.recentVisits,
  /** The last 20 by anyone, newest first; single visits are kept 90 days. */
  visits: z.array(CodeVisit),
  /** Figures of the last 30 days, as in the statistics; absent if no time zone was given. */
  recent: Statistics.pick({ period: true, figures: true }).optional(),
});
export type CodeVisits = z.infer<typeof CodeVisits>;

export const getCodeVisits = call({
  name: 'getCodeVisits',
  method: 'GET',
  path: '/api/qrcodes/{id}/visits',
  summary: 'Key figures of one code, and its latest visits',
  access: 'subscriber',
  key: 'read',
  publicPath: '/api/v1/codes/{id}/visits',
  params: z.object({ id: Id }),
  /** `timeZone` decides where the 30 days of `recent` begin. */
  query: z.object({ timeZone: TimeZone.optional() }),
  response: dataOf(CodeVisits),
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'invalid'],
});
