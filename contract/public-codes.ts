import { z } from 'zod';
import { call, dataOf, Id, ListQuery, listOf } from './call';
import { CampaignSchema } from './campaign-schemas';
import { CODES_AT_ONCE, Code, CodeType, StrictCodeFilter, Visibility } from './codes';
import { type CodeFields, checkContent, fieldsOf } from './contents/contents';
import { typedShape } from './contents/shapes';
import { CodeName, CodeTags } from './labels';
import { LogoInput } from './logo-choice';
import { isStorable } from './storable';
import { strictly } from './strictly';
import { StyleInput } from './styles';

// Calls that only programs make, whose requests differ from those of the website.

export const listPublicCodes = call({
  name: 'listPublicCodes',
  method: 'GET',
  path: '/api/v1/codes',
  summary:
    'The codes that match a filter, newest first; codes that are made or deleted meanwhile shift nothing',
  access: 'user',
  key: 'read',
  query: StrictCodeFilter.extend(ListQuery.shape),
  response: listOf(Code),
  errors: ['unauthenticated', 'invalid'],
});

/** The `ETag` of the response is that of its state without its visits, for `If-Match` of a change. */
export const readPublicCode = call({
  name: 'readPublicCode',
  method: 'GET',
  path: '/api/v1/codes/{id}',
  summary: 'One code',
  access: 'user',
  key: 'read',
  params: z.object({ id: Id }),
  response: dataOf(Code),
  versions: ['ETag'],
  errors: ['unauthenticated', 'not_found', 'code_deleted'],
});

const entered = (max: number) => z.string().max(max).refine(isStorable, 'content_invalid').default('');

const option = (options: readonly [string, ...string[]]) =>
  z.enum(options, 'option_unknown').default(options[0]);

/** Checks the content even if other fields are refused, so that a program learns of every mistake at once. */
function checkFields({ value, issues }: z.core.ParsePayload<CodeFields>): void {
  const refused = new Set(issues.map(({ path }) => String(path?.[0])));
  if (!CodeType.safeParse(value?.type).success) return;
  const readable = Object.entries(fieldsOf(value)).filter(([name]) => !refused.has(name));
  for (const { field, code } of checkContent({
    content: '',
    subject: '',
    body: '',
    ...Object.fromEntries(readable),
    type: value.type,
  })) {
    if (!refused.has(field)) issues.push({ code: 'custom', input: value, path: [field], message: code });
  }
}

/** Null, as in a code that is read, is the same as absent. */
function orNull<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => value ?? undefined, schema.optional()).optional();
}

/** Which fields a code needs depends on its type; the others are ignored. */
export const NewCode = strictly(
  z
    .strictObject({
      type: CodeType.describe('What it holds, and so which of the fields count; the others are ignored.'),
      ...typedShape(entered, option),
      name: CodeName.nullish().describe('Its owner’s name for it.'),
      tags: CodeTags.nullable().default([]),
      visibility: Visibility.default('public').describe(
        'Visitors of a private code are told that it is private, and nothing else.',
      ),
      counted: z.boolean().default(true).describe('False to keep no trace of its visits.'),
      style: orNull(StyleInput).describe('Absent or null for dark squares on white.'),
      logo: orNull(LogoInput).describe('Absent or null for none.'),
      campaign: CampaignSchema.optional().describe('Only for links.'),
    })
    .check(z.core._check(checkFields, { when: () => true })),
);
export type NewCode = z.infer<typeof NewCode>;

export const createPublicCode = call({
  name: 'createPublicCode',
  method: 'POST',
  path: '/api/v1/codes',
  summary: 'Create a code',
  access: 'subscriber',
  key: 'change',
  body: NewCode,
  response: dataOf(Code),
  versions: ['ETag'],
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'invalid', 'rate_limited'],
});

/** Each is checked by the handler, in a turn of its own: all together would keep visitors waiting. */
const NewCodes = z
  .array(z.unknown(), 'codes_required')
  .min(1, 'codes_required')
  .max(CODES_AT_ONCE, 'codes_too_many')
  .meta({
    description: 'Each as for one code, at most 1,000.',
    // Only when the document is written: it takes longer than all other schemas here.
    get items() {
      return z.toJSONSchema(NewCode, { io: 'input', unrepresentable: 'any' });
    },
  });

export const createPublicCodes = call({
  name: 'createPublicCodes',
  method: 'POST',
  path: '/api/v1/codes/batch',
  summary:
    'Create up to 1,000 codes, all or none: a mistake in one refuses all, and up to 100 mistakes are reported at once, with pointers such as `/codes/12/content`; a batch is one call, and an account has 100 an hour, one at a time',
  access: 'subscriber',
  key: 'change',
  body: z.object({ codes: NewCodes }),
  maxBodyBytes: 4 * 1024 * 1024,
  response: dataOf(z.object({ codes: z.array(Code).describe('In the order in which they were sent.') })),
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'invalid', 'rate_limited'],
});
