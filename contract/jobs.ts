import { z } from 'zod';
import { call, dataOf, FormKey, Id, IsoDateTime, pageOf } from './call';
import { CodeType, StrictCodeFilter } from './codes';
import { readTags } from './labels';
import { LogoChoice } from './logo-choice';
import { StyleInput } from './styles';

/** Most ids in one call; these are processed before it returns. */
export const BULK_IDS = 100;

export const BulkAct = z.enum([
  'tag',
  'untag',
  'make_public',
  'make_private',
  'archive',
  'unarchive',
  'style',
  'delete',
]);
export type BulkAct = z.infer<typeof BulkAct>;

/** Work on many codes, which continues until done or stopped, even if the request ends or the host restarts. */
export const Job = z.object({
  id: Id,
  kind: z.enum(['bulk', 'import']),
  /** Null for an import. */
  act: BulkAct.nullable(),
  /** For `tag` and `untag`. */
  tag: z.string().nullable(),
  /** The file that an import reads; null for other jobs. */
  importId: Id.nullable(),
  status: z.enum(['running', 'done', 'stopped']),
  /** Number of codes, counted when it began. */
  total: z.int(),
  /** Codes now in the requested state, including those that already were. */
  succeeded: z.int(),
  failed: z.int(),
  createdAt: IsoDateTime,
  endedAt: IsoDateTime.nullable(),
});
export type Job = z.infer<typeof Job>;

/** A code that could not be processed. */
export const JobProblem = z.object({
  /** As requested; null in an import. */
  codeId: Id.nullable(),
  /** The code, if it still exists. */
  code: z.object({ type: CodeType, name: z.string().nullable(), content: z.string() }).nullable(),
  /** Row in the imported file, as in its report; null for other jobs. */
  row: z.int().nullable(),
  /** A message code, such as `wifi_public`, `tags_too_many`, `account_tags_too_many`, `code_deleted` or `not_found`. */
  reason: z.string(),
});
export type JobProblem = z.infer<typeof JobProblem>;

const oneTag = z.string().transform((entered, context) => {
  const read = readTags([entered]);
  if ('tags' in read && read.tags.length === 1 && read.tags[0]) return read.tags[0];
  context.addIssue({ code: 'custom', message: 'problem' in read ? read.problem : 'tag_required' });
  return z.NEVER;
});

export const startBulkAct = call({
  name: 'startBulkAct',
  method: 'POST',
  path: '/api/jobs',
  summary:
    'Apply one action to many codes, by id or by filter; all actions except deletion need a subscription',
  access: 'user',
  body: z
    .object({
      act: BulkAct,
      /** For `tag` and `untag`. */
      tag: oneTag.optional(),
      /** For `style`: each code gets a copy. */
      style: StyleInput.optional(),
      /** For `style`, with a style or without one; absent leaves each code's logo as it is. */
      logo: LogoChoice.optional(),
      ids: z.array(Id).min(1, 'ids_required').max(BULK_IDS, 'ids_too_many').optional(),
      /** The list's filter, instead of `ids`. */
      filter: StrictCodeFilter.optional(),
      /** How many codes matched the filter when the user confirmed; if the number differs now, nothing is done. */
      expected: z.int().min(0).optional(),
      /** The same form with the same key starts it once. */
      key: FormKey.optional(),
    })
    .check((context) => {
      const { act, tag, style, logo, ids, filter } = context.value;
      const refuse = (field: string, message: string) =>
        context.issues.push({ code: 'custom', input: context.value, path: [field], message });
      if ((act === 'tag' || act === 'untag') && tag === undefined) refuse('tag', 'tag_required');
      if (act === 'style' && style === undefined && logo === undefined) refuse('style', 'style_required');
      if ((ids === undefined) === (filter === undefined)) refuse('ids', 'ids_required');
    }),
  response: dataOf(Job),
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'conflict', 'invalid', 'rate_limited'],
});

const params = z.object({ id: Id });

export const getJob = call({
  name: 'getJob',
  method: 'GET',
  path: '/api/jobs/{id}',
  summary:
    'Progress of a job; of an import also its codes, and how many mistakes and repeated rows its file has',
  access: 'user',
  params,
  response: dataOf(
    Job.extend({
      mistakes: z.int().min(0),
      duplicates: z.int().min(0),
      /** The codes that an ended import of at most 1,000 has made and that still exist, in the order of the file. */
      codeIds: z.array(Id),
    }),
  ),
  errors: ['unauthenticated', 'not_found'],
});

export const listJobProblems = call({
  name: 'listJobProblems',
  method: 'GET',
  path: '/api/jobs/{id}/problems',
  summary: 'One page of the codes that a job could not process, with the reason',
  access: 'user',
  params,
  query: z.object({
    page: z.coerce.number().int().min(1).max(100_000).catch(1),
    limit: z.coerce.number().int().min(1).max(100).catch(100),
  }),
  response: pageOf(JobProblem),
  errors: ['unauthenticated', 'not_found'],
});

export const stopJob = call({
  name: 'stopJob',
  method: 'POST',
  path: '/api/jobs/{id}/stop',
  summary: 'Stop a job; what it has already done is not undone',
  access: 'user',
  params,
  response: dataOf(Job),
  errors: ['unauthenticated', 'not_found'],
});

export const listJobs = call({
  name: 'listJobs',
  method: 'GET',
  path: '/api/jobs',
  summary: "The account's 20 newest jobs of the last 30 days",
  access: 'user',
  response: dataOf(z.array(Job)),
  errors: ['unauthenticated'],
});
