import { z } from 'zod';
import { call, dataOf, FormKey, Id, IsoDateTime, listOf, listQuery, pageLimit, pageOf } from './call';
import { CampaignSchema } from './campaign-schemas';
import { CodeType, StrictCodeFilter } from './codes';
import { FIELDS } from './contents/contents';
import { readTags, TAG_LIMIT } from './labels';
import { LogoInput } from './logo-choice';
import { isStorable } from './storable';
import { StyleInput } from './styles';

/** Most ids in one call; these are processed before it returns. */
export const BULK_IDS = 100;

export const BulkAct = z.enum([
  'tag',
  'untag',
  'make_public',
  'make_private',
  'count',
  'uncount',
  'archive',
  'unarchive',
  'style',
  'retarget',
  'delete',
]);
export type BulkAct = z.infer<typeof BulkAct>;

const TARGET_CHARS = FIELDS.content.units;
const address = (required: string) =>
  z.string().max(TARGET_CHARS, 'content_too_long').refine(isStorable, 'content_invalid').min(1, required);

/**
 * One address for all link codes, a text that is replaced in theirs wherever it occurs, exactly as written, or the
 * campaign parameters of all, in place of theirs.
 */
export const Retarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('set'), target: address('content_required') }),
  z.object({
    kind: z.literal('replace'),
    find: address('find_required'),
    replacement: z.string().max(TARGET_CHARS, 'content_too_long').refine(isStorable, 'content_invalid'),
  }),
  z.object({ kind: z.literal('campaign'), campaign: CampaignSchema }),
]);
export type Retarget = z.infer<typeof Retarget>;

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

const oneTag = z
  .string()
  .meta({ maxLength: TAG_LIMIT })
  .transform((entered, context) => {
    const read = readTags([entered]);
    if ('tags' in read && read.tags.length === 1 && read.tags[0]) return read.tags[0];
    context.addIssue({ code: 'custom', message: 'problem' in read ? read.problem : 'tag_required' });
    return z.NEVER;
  });

const selected = {
  ids: z.array(Id).min(1, 'ids_required').max(BULK_IDS, 'ids_too_many').optional(),
  /** The list's filter, instead of `ids`. */
  filter: StrictCodeFilter.optional(),
};

/** Most codes of each kind that a preview lists. */
export const PREVIEWED_CODES = 50;

const named = { id: Id, type: CodeType, name: z.string().nullable(), content: z.string() };

export const previewRetarget = call({
  name: 'previewRetarget',
  method: 'POST',
  path: '/api/jobs/retarget-preview',
  safe: true,
  summary:
    'How the addresses of codes, or what is added to them, would change, and which codes would be left out',
  access: 'subscriber',
  body: z.object({ retarget: Retarget, ...selected }).check((context) => {
    const { ids, filter } = context.value;
    if ((ids === undefined) === (filter === undefined))
      context.issues.push({ code: 'custom', input: context.value, path: ['ids'], message: 'ids_required' });
  }),
  response: dataOf(
    z.object({
      changed: z.int(),
      /** The first 50, with their addresses before and after; with campaign parameters if those change. */
      changes: z.array(z.object({ ...named, before: z.string(), after: z.string() })),
      left: z.int(),
      /** The first 50; `reason` is a message code, such as `not_link`, `retarget_unchanged` or `link_blocked`. */
      leftOut: z.array(z.object({ ...named, reason: z.string() })),
    }),
  ),
  errors: ['unauthenticated', 'subscription_required', 'invalid', 'rate_limited'],
});

export const startBulkAct = call({
  name: 'startBulkAct',
  method: 'POST',
  path: '/api/jobs',
  summary:
    'Apply one action to many codes, by id or by filter; all actions except deletion need a subscription',
  access: 'user',
  key: 'change',
  publicPath: '/api/v1/jobs',
  body: z
    .object({
      act: BulkAct,
      /** For `tag` and `untag`. */
      tag: oneTag.optional(),
      /** For `style`: each code gets a copy. */
      style: StyleInput.optional(),
      /** For `style`, with a style or without one; absent leaves each code's logo as it is. */
      logo: LogoInput.optional(),
      /** For `retarget`; only codes whose address changes are part of the job. */
      retarget: Retarget.optional(),
      ...selected,
      /** How many codes were to be done when the user confirmed; if the number differs now, nothing is done. */
      expected: z.int().min(0).optional(),
      /** The same form with the same key starts it once. */
      key: FormKey.optional(),
    })
    .check((context) => {
      const { act, tag, style, logo, retarget, ids, filter, expected } = context.value;
      const refuse = (field: string, message: string) =>
        context.issues.push({ code: 'custom', input: context.value, path: [field], message });
      if ((act === 'tag' || act === 'untag') && tag === undefined) refuse('tag', 'tag_required');
      if (act === 'style' && style === undefined && logo === undefined) refuse('style', 'style_required');
      if (act === 'retarget' && retarget === undefined) refuse('retarget', 'content_required');
      if ((ids === undefined) === (filter === undefined)) refuse('ids', 'ids_required');
      const isUnlimited = act === 'delete' && filter !== undefined && matchesAllInUse(filter);
      if (isUnlimited && expected === undefined) refuse('filter', 'filter_required');
    }),
  response: dataOf(Job),
  trial: Job.pick({ total: true }),
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'count_differs', 'invalid', 'rate_limited'],
});

const params = z.object({ id: Id });

export const getJob = call({
  name: 'getJob',
  method: 'GET',
  path: '/api/jobs/{id}',
  summary:
    'Progress of a job; of an import also its codes, and how many mistakes and repeated rows its file has',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/jobs/{id}',
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
  key: 'read',
  publicPath: '/api/v1/jobs/{id}/problems',
  params,
  query: z.object({
    page: z.coerce.number().int().min(1).max(100_000).catch(1),
    limit: pageLimit('limit_invalid').catch(100),
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
  key: 'change',
  publicPath: '/api/v1/jobs/{id}/stop',
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
  key: 'read',
  response: dataOf(z.array(Job)),
  errors: ['unauthenticated'],
});

/** When a job was started, to go on with those before it: until the year 5138, as PostgreSQL does not read every time. */
const JobCursor = z.string().transform((text, context) => {
  const [, time, id] = /^([1-9]\d{0,13})\.([0-9a-f-]{36})$/.exec(text) ?? [];
  const read = Id.safeParse(id);
  if (read.success) return { createdAt: new Date(Number(time)), id: read.data };
  context.addIssue({ code: 'custom', message: 'cursor_invalid' });
  return z.NEVER;
});

export function jobCursorOf({ createdAt, id }: { createdAt: Date; id: string }): string {
  return `${createdAt.getTime()}.${id}`;
}

export const listPublicJobs = call({
  name: 'listPublicJobs',
  method: 'GET',
  path: '/api/v1/jobs',
  summary: "The account's jobs of the last 30 days, newest first",
  access: 'user',
  key: 'read',
  query: listQuery(JobCursor),
  response: listOf(Job),
  errors: ['unauthenticated', 'invalid'],
});

/** Whether a filter leaves nothing out but archived codes. */
function matchesAllInUse({ search, tag, campaign, show, ...others }: z.infer<typeof StrictCodeFilter>) {
  const isNarrowed =
    `${search}${tag}${campaign}` !== '' || Object.values(others).some((value) => value !== undefined);
  return !isNarrowed && show === 'in_use';
}
