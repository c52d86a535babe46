import { z } from 'zod';
import { requiredLineField } from './account-fields';
import { call, dataOf, doneAs, FormKey, Id, IsoDateTime } from './call';
import { CodeType } from './codes';
import { Day, Definition, Statistics, StatisticsFilter } from './statistics';

/** Links of an account that have not ended. */
export const SHARED_REPORTS_PER_ACCOUNT = 20;
/** Days until a link ends by itself. */
export const SHARED_DAYS = [7, 30, 90, 365] as const;
export const LONGEST_SHARED_DAYS = 366;

/** A link with which anybody reads a report until it ends. */
export const SharedReport = z.object({
  id: Id,
  /** For its owner only. */
  name: z.string(),
  /** What its address contains; null if it was kept with a secret that the host has no longer. The link still works. */
  token: z.string().nullable(),
  /** A number of days moves on with every day; `from` and `to` stay. */
  filter: z.object({
    period: z.int().nullable(),
    from: Day.nullable(),
    to: Day.nullable(),
    tag: z.string().nullable(),
    campaign: z.string().optional(),
    code: Id.nullable(),
    timeZone: z.string(),
  }),
  /** The code that it is about; null if it is about several, or if that code was deleted. */
  code: z.object({ type: CodeType, name: z.string().nullable(), content: z.string() }).nullable(),
  createdAt: IsoDateTime,
  endsAt: IsoDateTime,
});
export type SharedReport = z.infer<typeof SharedReport>;

export const listSharedReports = call({
  name: 'listSharedReports',
  method: 'GET',
  path: '/api/reports',
  summary: "The links to the account's reports that have not ended, newest first",
  access: 'user',
  response: dataOf(z.array(SharedReport)),
  errors: ['unauthenticated'],
});

/** `conflict` if there are 20 links already. */
export const shareReport = call({
  name: 'shareReport',
  method: 'POST',
  path: '/api/reports',
  summary: 'Make a link with which anybody reads the report of a filter until it ends',
  access: 'subscriber',
  body: z
    .object({
      name: requiredLineField('report_name', 60),
      filter: StatisticsFilter,
      /** Days until it ends, or the last day on which it works. */
      days: z.literal([...SHARED_DAYS], 'report_end_invalid').optional(),
      until: z.iso.date('report_end_invalid').optional(),
      /** The same form sent again makes one link. */
      key: FormKey.optional(),
    })
    .refine(({ days, until }) => (days === undefined) !== (until === undefined), {
      path: ['until'],
      message: 'report_end_invalid',
    }),
  response: dataOf(SharedReport),
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'invalid', 'conflict'],
});

export const endSharedReport = call({
  name: 'endSharedReport',
  method: 'DELETE',
  path: '/api/reports/{id}',
  summary: 'End a link to a report at once',
  access: 'user',
  params: z.object({ id: Id }),
  response: doneAs('report_ended'),
  errors: ['unauthenticated', 'not_found'],
});

/** A code as strangers may see it: neither its content nor a name that contains an address. */
const PublicCode = z.object({ type: CodeType, name: z.string().nullable() });

/** Figures without what only the owner may see. */
export const SharedStatistics = Statistics.omit({ tags: true, code: true, mostActive: true }).extend({
  code: PublicCode.nullable(),
  mostActive: z.object({
    definition: Definition,
    codes: z.array(PublicCode.extend({ visits: z.int() })),
  }),
});
export type SharedStatistics = z.infer<typeof SharedStatistics>;

/**
 * `invalid` with `report_link_unknown`, or with `report_link_ended` if the link has ended or what it shows is gone;
 * `subscription_required` while its owner has no paid time.
 */
export const readSharedReport = call({
  name: 'readSharedReport',
  method: 'POST',
  path: '/api/reports/read',
  safe: true,
  summary: 'The figures of a shared report, by the token of its link',
  access: 'public',
  body: z.object({
    token: z.string('report_link_unknown').max(200, 'report_link_unknown'),
    /** To be drawn as a file, which takes longer and is limited more. */
    isFile: z.boolean().default(false),
  }),
  response: dataOf(z.object({ owner: z.string(), endsAt: IsoDateTime, statistics: SharedStatistics })),
  errors: ['subscription_required', 'invalid', 'rate_limited'],
});
