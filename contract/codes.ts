import { z } from 'zod';
import { Cursor, call, Done, dataOf, FormKey, Id, IsoDateTime, listOf, Pagination } from './call';
import { TYPED_PARAMETER } from './campaign';
import { CampaignSchema } from './campaign-schemas';
import { CodeBlock } from './code-blocks';
import { CodeChange } from './code-changes';
import { CODE_TYPES, FIELDS, STORED_UNITS } from './contents/contents';
import { DestinationCheck } from './destination-checks';
import { DESTINATION_PROBLEMS } from './destination-problems';
import { CodeName, CodeTags, tagsText } from './labels';
import { CodeLogo, LOGO_FORM_BYTES_LIMIT, LogoFile, LogoInput, PresetFile } from './logo-choice';
import { RoutingChange, RoutingState, RoutingView } from './routing-schemas';
import { isStorable } from './storable';
import { StyleInput, StyleSchema } from './styles';

export const CodeType = z.enum(CODE_TYPES, 'type_unavailable');
export type CodeType = z.infer<typeof CodeType>;
export const Visibility = z.enum(['private', 'public']);

// `checkContent` decides what is valid, in the host as in the website.
const content = z
  .string()
  .max(STORED_UNITS, 'content_too_long')
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
  campaign: CampaignSchema.optional(),
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

/** What is wrong with an address that a code leads to: seen twice, and still so at the last look. */
export const DestinationFailure = z.object({
  /** The one that fails: that of the content, of a rule, a schedule or the end. */
  address: z.string(),
  problem: z.enum(DESTINATION_PROBLEMS),
  status: z.int().nullable().describe('Of the response, if that is the problem.'),
  movedTo: z.string().nullable().describe('Where it has moved to, if that is the problem.'),
  since: IsoDateTime,
  checkedAt: IsoDateTime,
});
export type DestinationFailure = z.infer<typeof DestinationFailure>;

export const Code = z.object({
  id: Id,
  name: z
    .string()
    .nullable()
    .describe('The owner’s name for it; null if it has none, and its content is shown instead.'),
  tags: z.array(z.string()),
  visibility: Visibility.describe(
    'Visitors of a private code are told that it is private, and nothing else.',
  ),
  type: CodeType.describe('What it holds; it never changes.'),
  content: z
    .string()
    .describe('Of types with several texts (contact, event, place, app) a JSON object of them.'),
  subject: z.string().describe('Of an e-mail; otherwise empty.'),
  body: z.string().describe('Of an e-mail; otherwise empty.'),
  campaign: z
    .record(z.string(), z.string())
    .nullable()
    .describe(
      'Parameters of the address that it leads to, by name, as typed: with `{name}`, `{tag}` and `{id}`. Null if it has none.',
    ),
  finalAddress: z
    .string()
    .nullable()
    .describe('Where its content and these parameters lead; null for codes that are not links.'),
  link: z.url().describe('The address to copy and share: a visit of it counts as a click.'),
  scanLink: z.string().describe('The address only the image contains: a visit of it counts as a scan.'),
  beacon: z
    .url()
    .nullable()
    .describe(
      'The address a link’s destination can call to report an engagement; null for codes that are not links.',
    ),
  counted: z.boolean().describe('False when visits of it leave no trace: nothing about them is kept.'),
  watched: z.boolean().describe('False when its owner does not want its destination to be checked.'),
  destination: DestinationFailure.nullable().describe('Null unless its destination is known to fail.'),
  dynamic: z
    .boolean()
    .describe('False when the image holds the content itself and can be neither changed nor counted.'),
  useWhiteBackground: z.boolean().describe('Whether a white circle is behind its logo.'),
  logo: CodeLogo.nullable().describe('Null if it has none.'),
  style: StyleSchema.nullable().describe('How it looks; null for the default look.'),
  createdAt: IsoDateTime.describe('When it was made.'),
  updatedAt: IsoDateTime.describe('When anything of it was last changed.'),
  archivedAt: IsoDateTime.nullable().describe('When it was archived; its addresses work as before.'),
  blocked: CodeBlock.nullable().describe('Null when it is not blocked.'),
  routing: RoutingState.nullable().describe('Null if it always leads to its content, or shows it.'),
  visits: z.object({
    total: z.int().describe('Scans and clicks by people since it was made.'),
    lastAt: IsoDateTime.nullable().describe('Of the latest; null if there was none.'),
  }),
});
export type Code = z.infer<typeof Code>;

const params = z.object({ id: Id });

/** Filter for the codes of an account. */
const filterFields = {
  search: z
    .string()
    .trim()
    .max(255, 'text_too_long')
    .refine(isStorable, 'text_invalid')
    .describe('Text in the name, the content, a tag or the short address, ignoring case and accents.'),
  tag: z
    .string()
    .max(100, 'tag_too_long')
    .refine(isStorable, 'tag_invalid')
    .describe('A tag as its owner may type it.'),
  campaign: z
    .string()
    .trim()
    .max(TYPED_PARAMETER, 'text_too_long')
    .refine(isStorable, 'text_invalid')
    .describe(
      'The `utm_campaign` of the address that a link code leads to, added or its own, ignoring case and accents.',
    ),
  type: CodeType.optional().describe('What the codes hold.'),
  visibility: Visibility.optional(),
  /**
   * `never_visited`: codes in use whose visits are counted and that no person has visited; `uncounted`: those in use
   * whose owner wants no visits counted; `failing`: those with a destination that is known to fail.
   */
  show: z.enum(['in_use', 'archived', 'never_visited', 'uncounted', 'failing', 'all']),
  import: Id.optional().describe('Made by this import.'),
};

/** For lists: values that cannot be read are ignored. */
export const CodeFilter = z.object({
  search: filterFields.search.catch('').default(''),
  tag: filterFields.tag.catch('').default(''),
  campaign: filterFields.campaign.catch('').default(''),
  type: filterFields.type.catch(undefined),
  visibility: filterFields.visibility.catch(undefined),
  show: filterFields.show.catch('in_use').default('in_use'),
  import: filterFields.import.catch(undefined),
});
export type CodeFilter = z.infer<typeof CodeFilter>;

/**
 * The same for actions: names and values that cannot be read are refused, as ignoring them would affect all codes.
 */
export const StrictCodeFilter = z.strictObject({
  ...filterFields,
  search: filterFields.search.default(''),
  tag: filterFields.tag.default(''),
  campaign: filterFields.campaign.default(''),
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
    'All codes that match a search or have the given ids; more than 1,000 matches are refused unless a part is asked for',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/codes/selection',
  body: StrictCodeFilter.extend({
    order: CodeOrder.default('newest'),
    ids: z
      .array(Id)
      .max(CODES_AT_ONCE)
      .optional()
      .describe(
        'Instead of a search; returned in this order, without deleted codes and those of other accounts.',
      ),
    part: z.int().min(1).max(10_000).optional().describe('Which part of the matches, from 1.'),
    cursor: Cursor.optional().describe('As it came in `nextCursor`, instead of `part`.'),
    partSize: z.int().min(1).max(CODES_AT_ONCE).default(CODES_AT_ONCE).describe('Codes of a part.'),
    countsVisited: z.boolean().default(false).describe('Asks for `visited`.'),
  }),
  response: listOf(Code).extend({
    /** `visited`: how many of all matches were visited by people within the last 30 days. */
    meta: z.object({ total: z.int().min(0), visited: z.int().optional() }),
  }),
  errors: ['unauthenticated', 'invalid', 'too_many'],
});

export const createCode = call({
  name: 'createCode',
  method: 'POST',
  path: '/api/qrcodes',
  summary: 'Create a code; sending the same form again with the same `key` creates no second one',
  access: 'subscriber',
  form: z.object({
    type: CodeType,
    parameters: parametersText,
    logo: LogoFile.optional(),
    /** File name of a preset, or the id of one of the account's own logos. */
    logoPreset: z.union([PresetFile, Id], 'preset_unknown').optional(),
    data: content,
    isPublic: z.stringbool().default(true),
    /** False for a code whose visits leave no trace. */
    counted: z.stringbool().default(true),
    name: CodeName.optional(),
    tags: tagsText.optional(),
    /** Draft whose logo is used if no file is sent. */
    draft: Id.optional(),
    visitor: z.string().max(100).refine(isStorable).optional(),
    /** Refuse `logo` with `draft_unknown` if the draft or its logo is gone and no other logo is sent. */
    needsDraftLogo: z.stringbool().default(false),
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
  key: 'read',
  params,
  response: dataOf(
    z.object({
      code: Code,
      routing: RoutingView.nullable(),
      changes: z.array(CodeChange),
      /** Of every address that it leads to now, if these are checked. */
      checks: z.array(DestinationCheck),
    }),
  ),
  errors: ['unauthenticated', 'not_found', 'code_deleted'],
});

const changeErrors = [...getCode.errors, 'subscription_required', 'invalid', 'rate_limited'] as const;

export const updateCode = call({
  name: 'updateCode',
  method: 'PATCH',
  path: '/api/qrcodes/{id}',
  summary:
    'Change the target, campaign parameters, visibility, counting or checking of a dynamic code, pause or end it; name, tag, restyle or archive any code, or change its logo',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/codes/{id}',
  params,
  body: z.object({
    content: content.optional(),
    subject: subject.optional(),
    body: body.optional(),
    visibility: Visibility.optional(),
    name: CodeName.optional().describe('An empty one removes the name.'),
    tags: CodeTags.optional().describe('The complete list of its tags.'),
    archived: z.boolean().optional(),
    counted: z.boolean().optional().describe('False: from now on nothing about its visits is kept.'),
    watched: z.boolean().optional().describe('False: its destination is not checked any more.'),
    style: StyleInput.nullable().optional().describe('Null gives it the default look; its address stays.'),
    logo: LogoInput.optional().describe('Absent leaves its logo as it is.'),
    campaign: CampaignSchema.optional().describe('Replaces all parameters of a link code.'),
    routing: RoutingChange.optional().describe(
      'Rules and a schedule are for types that redirect, a pause and an end for all dynamic ones.',
    ),
  }),
  maxBodyBytes: 256 * 1024,
  response: dataOf(Code),
  versions: ['ETag', 'If-Match'],
  errors: changeErrors,
});

export const copyCode = call({
  name: 'copyCode',
  method: 'POST',
  path: '/api/qrcodes/{id}/copies',
  summary:
    'Create a code like this one, with its content, look, logo, tags, visibility and counting, and an address of its own',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/codes/{id}/copies',
  params,
  body: z.object({
    /** Instead of the name of the original. */
    name: CodeName.optional(),
    key: FormKey.optional().describe('Of a form, which makes one code; programs send `Idempotency-Key`.'),
  }),
  response: dataOf(Code),
  versions: ['ETag'],
  status: 201,
  errors: changeErrors,
});

export const deleteCode = call({
  name: 'deleteCode',
  method: 'DELETE',
  path: '/api/qrcodes/{id}',
  summary: 'Delete a code; only the operator can bring it back, for 30 days; its address is never reused',
  access: 'user',
  key: 'change',
  publicPath: '/api/v1/codes/{id}',
  params,
  response: Done,
  versions: ['If-Match'],
  errors: ['unauthenticated', 'not_found'],
});

export const getCodeDeletion = call({
  name: 'getCodeDeletion',
  method: 'GET',
  path: '/api/qrcodes/{id}/deletion',
  summary: "When one of the account's codes was deleted",
  access: 'user',
  key: 'read',
  params,
  response: dataOf(
    z.object({
      deletedAt: IsoDateTime,
      /** Until when the operator can bring it back; null when its contents are erased. */
      restorableUntil: IsoDateTime.nullable(),
    }),
  ),
  errors: ['unauthenticated', 'not_found'],
});
