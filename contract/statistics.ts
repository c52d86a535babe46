import { z } from 'zod';
import { call, dataOf, Id, IsoDateTime } from './call';
import { TYPED_PARAMETER } from './campaign';
import { CodeType } from './codes';
import { isStorable } from './storable';
import { DAY_MS } from './time';
import { TimeZone } from './time-zones';

export const PERIODS = [7, 30, 90, 365] as const;
/** Days of the longest range between two dates. */
export const LONGEST_RANGE = 366;

export const Day = z.iso.date('date_invalid');
/** Nothing was counted before this date. */
const CountedDay = Day.refine((day) => day >= '2020-01-01', 'date_invalid');

const filterFields = {
  from: CountedDay.optional().describe('The first day, with `to`; at most 366 days.'),
  to: CountedDay.optional().describe('The last day.'),
  code: z.uuid('code_invalid').nullable().default(null).describe('The id of one code; null for all.'),
  tag: z
    .string()
    .max(100, 'tag_invalid')
    .refine(isStorable, 'tag_invalid')
    .nullable()
    .default(null)
    .describe(
      'A tag, as its owner may type it: counts only codes that have it now. Ignored if a code is given.',
    ),
  campaign: z
    .string()
    .trim()
    .max(TYPED_PARAMETER, 'campaign_invalid')
    .refine(isStorable, 'campaign_invalid')
    .optional()
    .describe(
      'A `utm_campaign`, ignoring case and accents: counts only codes that lead to an address with it now. Ignored if a code is given.',
    ),
  timeZone: TimeZone.default('UTC').describe('Where days begin, such as Europe/Paris.'),
};

/** What to count: a number of days up to today, or the days from one date to another, both included. */
export const StatisticsFilter = z
  .object({
    ...filterFields,
    period: z
      .literal([...PERIODS], 'period_invalid')
      .optional()
      .describe('Days up to today; not with `from` and `to`.'),
  })
  .check(checkRange);

/** The same as a query string. */
export const StatisticsQuery = z
  .object({
    ...filterFields,
    period: z
      .enum(PERIODS.map(String), 'period_invalid')
      .transform((days) => PERIODS.find((period) => String(period) === days))
      .optional(),
  })
  .check(checkRange);

/** Names the definition of a figure; the website has a text for each. */
export const Definition = z.enum([
  'visits',
  'scans',
  'clicks',
  'total_codes',
  'most_active',
  'average_per_code',
  'active_codes',
  'recently_created',
  'unique_visitors',
  'visitors_by_code',
  'distinct_engagements',
  'engaged_by_code',
  'engagements',
  'conversion_rate',
  'actions_per_visitor',
  'trend',
  'visitors_by_day',
  'visitors_by_code_and_day',
  'distribution',
  'hours',
  'weekdays',
  'devices',
  'systems',
  'languages',
  'countries',
  'campaigns',
  'campaign_sources',
  'campaign_mediums',
]);
export type Definition = z.infer<typeof Definition>;

/** A number and the name of its definition; null if it cannot be measured. */
const figure = z.object({ definition: Definition, value: z.number().nullable() });

/** Visits that no other figure includes; the website explains them together. */
const apart = z.object({ definition: z.enum(['bots', 'previews', 'owner']), value: z.number().nullable() });

/** A figure of the time before. */
const earlier = z.object({
  value: z.int(),
  /** Whether chance alone explains the difference (a quasi-Poisson test on daily counts, at a level of 5 %). */
  isChance: z.boolean(),
});

const facets = z.object({
  definition: Definition,
  /** Most visits first; an empty `value` means unknown. */
  values: z.array(z.object({ value: z.string(), visits: z.int() })),
});

const counts = {
  scans: z.int(),
  clicks: z.int(),
  bots: z.int(),
  previews: z.int(),
  owner: z.int(),
};

export const Statistics = z.object({
  period: z.object({
    from: Day,
    to: Day,
    timeZone: z.string(),
    startsAt: IsoDateTime,
    endsAt: IsoDateTime,
    /**
     * Visits are counted by whole UTC hours. If the zone's offset is not a whole number of hours, this many minutes of
     * each day count for the day before, and of each hour for the hour before; 0 in most zones.
     */
    lateMinutes: z.int().min(0).max(59),
  }),
  asOf: IsoDateTime.describe('The figures include visits up to this time.'),
  behindSeconds: z
    .int()
    .min(0)
    .describe('How long ago that was: more than 0 if the figures come from a replica that lags behind.'),
  /** Null for all codes of the account. */
  code: z
    .object({ id: Id, type: CodeType, name: z.string().nullable(), content: z.string(), since: IsoDateTime })
    .nullable(),
  tag: z.string().nullable().describe('As first typed; null if no tag was given.'),
  campaign: z.string().nullable().describe('As given; null if none was.'),
  tags: z.array(z.string()).describe('Every tag of the account, alphabetically, to choose from.'),
  uncounted: z.int().describe('How many of the codes that the figures are about are not counted now.'),
  figures: z.object({
    visits: figure,
    scans: figure,
    clicks: figure,
    total_codes: figure,
    average_per_code: figure,
    active_codes: figure,
    recently_created: figure,
    unique_visitors: figure,
    distinct_engagements: figure,
    engagements: figure,
    conversion_rate: figure,
    actions_per_visitor: figure,
    bots: apart,
    previews: apart,
    owner: apart,
  }),
  /**
   * The same number of days before, on the last one up to the hour reached on a day that is not over. Null if the code, or
   * the account's first one, is younger.
   */
  before: z.object({ from: Day, to: Day, visits: earlier, scans: earlier, clicks: earlier }).nullable(),
  /** Codes with the most visits by people, most first; empty if a code was given. */
  mostActive: z.object({
    definition: Definition,
    codes: z.array(
      z.object({
        id: Id,
        type: CodeType,
        name: z.string().nullable(),
        content: z.string(),
        visits: z.int(),
      }),
    ),
  }),
  trend: z.object({
    definition: Definition,
    days: z
      .array(z.object({ day: Day, hours: z.number(), ...counts }))
      .describe('Every day of the period in its time zone; `hours` is 23 or 25 when clocks change.'),
  }),
  /** Every UTC day of the period. */
  visitorsByDay: z.object({
    definition: Definition,
    days: z.array(z.object({ day: Day, visitors: z.int() })),
  }),
  /**
   * Codes that exist now, and visits by people on the UTC days of the period. For all codes, visits to codes deleted
   * since are included, so that a type may have visits but no code.
   */
  distribution: z.object({
    definition: Definition,
    types: z.array(z.object({ type: CodeType, codes: z.int(), visits: z.int() })),
  }),
  hours: z
    .object({ definition: Definition, visits: z.array(z.int()).length(24) })
    .describe('Visits by people in each hour of the day, 0 to 23, in the time zone.'),
  weekdays: z
    .object({ definition: Definition, visits: z.array(z.array(z.int()).length(24)).length(7) })
    .describe('The same for each day of the week, from Monday.'),
  devices: facets,
  systems: facets,
  languages: facets,
  countries: facets.extend({
    asOf: IsoDateTime.nullable().describe(
      'When the data by which addresses are assigned to countries was compiled; null if there is none.',
    ),
  }),
  /**
   * Visits by people on the UTC days of the period that were led to an address with campaign parameters, by `utm_campaign`,
   * `utm_source` and `utm_medium` as they were at that time; the first 1,000 of each. An empty `value`: without this one.
   */
  campaigns: facets,
  campaignSources: facets,
  campaignMediums: facets,
});
export type Statistics = z.infer<typeof Statistics>;

export const getStatistics = call({
  name: 'getStatistics',
  method: 'POST',
  path: '/api/qrcodes/stats',
  safe: true,
  summary: 'Figures for a period, of one code, of the codes with a tag, or of all; each names its definition',
  access: 'subscriber',
  key: 'read',
  publicPath: '/api/v1/statistics',
  body: StatisticsFilter,
  response: dataOf(Statistics),
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'invalid', 'malformed'],
});

/** How many filters can be compared at once. */
export const COMPARED = { fewest: 2, most: 4 } as const;

export const compareStatistics = call({
  name: 'compareStatistics',
  method: 'POST',
  path: '/api/qrcodes/stats/compare',
  safe: true,
  summary: 'The figures of two to four filters, in their order',
  access: 'subscriber',
  body: z.object({
    columns: z.array(StatisticsFilter).min(COMPARED.fewest, 'invalid').max(COMPARED.most, 'invalid'),
  }),
  response: dataOf(z.object({ columns: z.array(Statistics) })),
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'invalid', 'malformed'],
});

function checkRange(
  context: z.core.ParsePayload<{
    period?: number | undefined;
    from?: string | undefined;
    to?: string | undefined;
  }>,
): void {
  const { period, from, to } = context.value;
  const refuse = (field: string, message: string) =>
    context.issues.push({ code: 'custom', input: context.value, path: [field], message });
  if (period !== undefined && (from ?? to) !== undefined) refuse('period', 'period_ambiguous');
  if ((from === undefined) !== (to === undefined)) refuse(from ? 'to' : 'from', 'range_incomplete');
  if (from === undefined || to === undefined) return;
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) refuse('from', 'range_reversed');
  if (days > LONGEST_RANGE) refuse('from', 'range_too_long');
}

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
  query: z.object({ code: z.uuid('code_invalid').optional() }),
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'invalid', 'rate_limited', 'unavailable'],
});

/** Most codes in one response. */
export const SEARCH_PAGE_SIZE = 20;

const FoundCode = z.object({ id: Id, type: CodeType, name: z.string().nullable(), content: z.string() });
export type FoundCode = z.infer<typeof FoundCode>;

/**
 * Finds the same codes as a search of the list, archived ones included, newest first. `next` is `before` for the next
 * request, and null at the end.
 */
export const searchCodes = call({
  name: 'searchCodes',
  method: 'GET',
  path: '/api/qrcodes/stats/codes',
  summary: "The account's codes whose name, content or tags contain a text, newest first, 20 per request",
  access: 'user',
  query: z.object({
    text: z
      .string()
      .trim()
      .min(1, 'text_required')
      .max(255, 'text_too_long')
      .refine((text) => !text.includes('\u0000'), 'text_invalid'),
    before: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  }),
  response: dataOf(z.object({ codes: z.array(FoundCode), next: z.int().nullable() })),
  errors: ['unauthenticated', 'invalid'],
});
