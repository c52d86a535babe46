import { z } from 'zod';
import { call, Done, dataOf, FormKey, Id, IsoDateTime, Pagination } from './call';
import { CodeBlock } from './code-blocks';
import { CODE_TYPES, FIELDS } from './contents/contents';
import { CodeName, CodeTags, tagsText } from './labels';
import { CodeLogo, LOGO_FORM_BYTES_LIMIT, LogoChoice, LogoFile, PresetFile } from './logo-choice';
import { isStorable } from './storable';
import { StyleInput, StyleSchema } from './styles';

export const CodeType = z.enum(CODE_TYPES, 'type_unavailable');
export type CodeType = z.infer<typeof CodeType>;
export const Visibility = z.enum(['private', 'public']);

// `checkContent` decides what is valid, in the host as in the website.
const content = z
  .string()
  .max(FIELDS.content.units, 'content_too_long')
  .trim()
  .min(1, 'content_required')
  .refine(isStorable, 'content_invalid');

const subject = z
  .string()
  .max(FIELDS.subject.units, 'subject_too_long')
  .refine(isStorable, 'content_invalid');
const body = z.string().max(FIELDS.body.units, 'body_too_long').refine(isStorable, 'content_invalid');

/** `parameters` of a creation: JSON text in the form. */
const Parameters = z.object({
  width: z.literal(300).default(300),
  errorCorrectionLevel: z.literal('H').default('H'),
  useWhiteBackground: z.boolean().default(false),
  /** Of types that have them. */
  subject: subject.default(''),
  body: body.default(''),
  /** Its look. */
  style: StyleInput.optional(),
});

const parametersText = z
  .string()
  .max(8192, 'parameters_invalid')
  .default('{}')
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'parameters_invalid' });
      return z.NEVER;
    }
  })
  .pipe(Parameters)
  .meta({
    description:
      'JSON text; width and errorCorrectionLevel have only one value, subject and body are for e-mail codes.',
    contentMediaType: 'application/json',
    contentSchema: z.toJSONSchema(Parameters, { io: 'input' }),
  });

/** What creating and drafting have in common (multipart form). */
const design = {
  type: CodeType,
  parameters: parametersText,
  logo: LogoFile.optional(),
  logoPreset: PresetFile.optional(),
};

export const Code = z.object({
  id: Id,
  /** The owner's name for it; null if it has none, and its content is shown instead. */
  name: z.string().nullable(),
  tags: z.array(z.string()),
  visibility: Visibility,
  type: CodeType,
  content: z.string(),
  subject: z.string(),
  body: z.string(),
  /** The address to copy and share: a visit of it counts as a click. */
  link: z.url(),
  /** The address only the image contains: a visit of it counts as a scan. */
  scanLink: z.string(),
  /** The address a link's destination can call to report an engagement; null for codes that are not links. */
  beacon: z.url().nullable(),
  /** False when the image holds the content itself and can be neither changed nor counted. */
  dynamic: z.boolean(),
  useWhiteBackground: z.boolean(),
  logo: CodeLogo.nullable(),
  /** How it looks; null for the default look. */
  style: StyleSchema.nullable(),
  createdAt: IsoDateTime,
  updatedAt: IsoDateTime,
  /** When it was archived; its addresses work as before. */
  archivedAt: IsoDateTime.nullable(),
  /** Null when it is not blocked. */
  blocked: CodeBlock.nullable(),
  visits: z.object({ total: z.int(), lastAt: IsoDateTime.nullable() }),
});
export type Code = z.infer<typeof Code>;

export const CHANGED_FIELDS = [
  'content',
  'visibility',
  'subject',
  'body',
  'name',
  'tags',
  'archived',
  'style',
  'logo',
] as const;

/**
 * Values by field: `tags` comma-separated, `archived` `true` or `false`, `style` JSON, empty for the default look, `logo`
 * JSON as in a change of it, with the name of an uploaded file, empty for none.
 */
export const CodeChange = z.object({
  at: IsoDateTime,
  field: z.enum(CHANGED_FIELDS),
  before: z.string(),
  after: z.string(),
});

const params = z.object({ id: Id });

/** Filter for the codes of an account. */
const filterFields = {
  /** Text in the name, the content, a tag or the short address, ignoring case and accents. */
  search: z.string().trim().max(255, 'text_too_long').refine(isStorable, 'text_invalid'),
  /** A tag as its owner may type it. */
  tag: z.string().max(100, 'tag_too_long').refine(isStorable, 'tag_invalid'),
  type: CodeType.optional(),
  visibility: Visibility.optional(),
  /** `never_visited`: codes in use whose visits are counted and that no person has visited. */
  show: z.enum(['in_use', 'archived', 'never_visited', 'all']),
};

/** For lists: values that cannot be read are ignored. */
export const CodeFilter = z.object({
  search: filterFields.search.catch('').default(''),
  tag: filterFields.tag.catch('').default(''),
  type: filterFields.type.catch(undefined),
  visibility: filterFields.visibility.catch(undefined),
  show: filterFields.show.catch('in_use').default('in_use'),
});
export type CodeFilter = z.infer<typeof CodeFilter>;

/** The same for actions: values that cannot be read are refused, as ignoring them would affect all codes. */
export const StrictCodeFilter = z.object({
  ...filterFields,
  search: filterFields.search.default(''),
  tag: filterFields.tag.default(''),
  show: filterFields.show.default('in_use'),
});

/** Most visits or latest visit first, names alphabetically; ties are broken by the newest code. */
export const CodeOrder = z.enum(['newest', 'name', 'visits', 'last_visit']);
export type CodeOrder = z.infer<typeof CodeOrder>;

/** Days of `recentVisits`. */
export const RECENT_DAYS = 12;

export const ListedCode = Code.extend({
  /** Visits by people on each of the last 12 UTC days, today last; empty for a code without counting. */
  recentVisits: z.array(z.int()),
  /** Visits by people on the last 30 UTC days, including today. */
  visits30: z.int(),
});
export type ListedCode = z.infer<typeof ListedCode>;

export const listCodes = call({
  name: 'listCodes',
  method: 'GET',
  path: '/api/qrcodes',
  summary: "One page of the account's codes, or of those that match a filter, newest first by default",
  access: 'user',
  query: CodeFilter.extend({
    order: CodeOrder.catch('newest').default('newest'),
    page: z.coerce.number().int().min(1).max(1_000_000).catch(1),
    limit: z.coerce.number().int().min(1).max(100).catch(10),
  }),
  response: z.object({
    data: z.array(ListedCode),
    /** `visits30`: of all codes of the account, including deleted ones. */
    meta: Pagination.extend({ visits30: z.int() }),
  }),
  errors: ['unauthenticated'],
});

/** Most codes in one response. */
export const CODES_AT_ONCE = 1_000;

/** In one response, as pages of a list that changes meanwhile would miss codes. */
export const selectCodes = call({
  name: 'selectCodes',
  method: 'POST',
  safe: true,
  path: '/api/qrcodes/selection',
  summary:
    'All codes that match a search or have the given ids; of more than 1,000 matches none, or the part asked for',
  access: 'user',
  body: CodeFilter.extend({
    order: CodeOrder.catch('newest').default('newest'),
    /** Instead of a search; returned in this order, without deleted codes and those of other accounts. */
    ids: z.array(Id).max(CODES_AT_ONCE).optional(),
    /** Which part of the matches, from 1. */
    part: z.int().min(1).max(10_000).optional(),
    /** Codes of a part. */
    partSize: z.int().min(1).max(CODES_AT_ONCE).default(CODES_AT_ONCE),
    /** Asks for `visited`. */
    countsVisited: z.boolean().default(false),
  }),
  response: z.object({
    data: z.array(Code),
    /** `visited`: how many of all matches were visited by people within the last 30 days. */
    meta: z.object({ total: z.int().min(0), visited: z.int().optional() }),
  }),
  errors: ['unauthenticated', 'invalid'],
});

export const createCode = call({
  name: 'createCode',
  method: 'POST',
  path: '/api/qrcodes',
  summary: 'Create a code; sending the same form again with the same `key` creates no second one',
  access: 'subscriber',
  form: z.object({
    ...design,
    data: content,
    isPublic: z.stringbool().default(true),
    name: CodeName.optional(),
    tags: tagsText.optional(),
    /** Draft whose logo is used if no file is sent. */
    draft: Id.optional(),
    visitor: z.string().max(100).refine(isStorable).optional(),
    /** Refuse `logo` with `draft_unknown` if the draft or its logo is gone and no other logo is sent. */
    needsDraftLogo: z.stringbool().default(false),
    /** */
    key: FormKey.optional(),
  }),
  maxBodyBytes: LOGO_FORM_BYTES_LIMIT,
  response: dataOf(Code),
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'invalid', 'too_large', 'rate_limited', 'unavailable'],
});

export const getCode = call({
  name: 'getCode',
  method: 'GET',
  path: '/api/qrcodes/{id}',
  summary: 'One code with its change history',
  access: 'user',
  params,
  response: dataOf(z.object({ code: Code, changes: z.array(CodeChange) })),
  errors: ['unauthenticated', 'not_found', 'code_deleted'],
});

export const updateCode = call({
  name: 'updateCode',
  method: 'PATCH',
  path: '/api/qrcodes/{id}',
  summary:
    'Change the target or visibility of a dynamic code; name, tag, restyle or archive any code, or change its logo',
  access: 'subscriber',
  params,
  body: z.object({
    content: content.optional(),
    subject: subject.optional(),
    body: body.optional(),
    visibility: Visibility.optional(),
    /** An empty one removes the name. */
    name: CodeName.optional(),
    /** The complete list of its tags. */
    tags: CodeTags.optional(),
    archived: z.boolean().optional(),
    /** Null gives it the default look; its address stays. */
    style: StyleInput.nullable().optional(),
    /** Absent leaves its logo as it is. */
    logo: LogoChoice.optional(),
  }),
  response: dataOf(Code),
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'code_deleted', 'invalid'],
});

export const deleteCode = call({
  name: 'deleteCode',
  method: 'DELETE',
  path: '/api/qrcodes/{id}',
  summary: 'Delete a code for good; its address is never reused',
  access: 'user',
  params,
  response: Done,
  errors: ['unauthenticated', 'not_found'],
});

export const getCodeDeletion = call({
  name: 'getCodeDeletion',
  method: 'GET',
  path: '/api/qrcodes/{id}/deletion',
  summary: "When one of the account's codes was deleted",
  access: 'user',
  params,
  response: dataOf(z.object({ deletedAt: IsoDateTime })),
  errors: ['unauthenticated', 'not_found'],
});
