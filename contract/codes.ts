import { z } from 'zod';
import { call, Done, dataOf, FormKey, Id, IsoDateTime, pageOf } from './call';
import { CodeName, CodeTags, tagsText } from './code-labels';
import { TYPED_LIMITS } from './contents';
import { isStorable } from './storable';
import { StyleInput, StyleSchema } from './styles';

export const LOGO_BYTES_LIMIT = 2 * 1024 * 1024;
/** Of a form with a logo: one that is somewhat too large is still read, so that its field can be refused. */
export const LOGO_FORM_BYTES_LIMIT = 1.5 * LOGO_BYTES_LIMIT;

export const CodeType = z.enum(['link', 'text', 'email', 'wifi'], 'type_unavailable');
export type CodeType = z.infer<typeof CodeType>;
export const Visibility = z.enum(['private', 'public']);

// What makes a content valid says `checkContent`, which the host asks as the website does.
const content = z
  .string()
  .max(TYPED_LIMITS.content, 'content_too_long')
  .trim()
  .min(1, 'content_required')
  .refine(isStorable, 'content_invalid');

const subject = z
  .string()
  .max(TYPED_LIMITS.subject, 'subject_too_long')
  .refine(isStorable, 'content_invalid');
const body = z.string().max(TYPED_LIMITS.body, 'body_too_long').refine(isStorable, 'content_invalid');

/** `parameters` of a creation: a JSON text inside the form (specification §3). */
const Parameters = z.object({
  width: z.literal(300).default(300),
  errorCorrectionLevel: z.literal('H').default('H'),
  useWhiteBackground: z.boolean().default(false),
  /** E-mail codes only; beyond the specification. */
  subject: subject.default(''),
  body: body.default(''),
  /** Its look; beyond the specification. */
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
  .pipe(Parameters);

const logo = z
  .custom<File>((value) => value instanceof Blob, 'logo_not_image')
  .refine((file) => file.size <= LOGO_BYTES_LIMIT, 'logo_too_large')
  .meta({ type: 'string', format: 'binary' });

/** Name of a preset file such as `heart.svg`; anything that could leave the folder is refused here. */
export const PresetFile = z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}\.svg$/, 'preset_unknown');

/** What creating and drafting have in common (multipart form, specification §3). */
const design = {
  type: CodeType,
  parameters: parametersText,
  logo: logo.optional(),
  logoPreset: PresetFile.optional(),
};

export const CodeLogo = z.union([
  z.object({ kind: z.literal('preset'), name: z.string() }),
  z.object({ kind: z.literal('upload'), name: z.string() }),
]);

export const Code = z.object({
  id: Id,
  /** What its owner calls it; its content stands in for a name it does not have. */
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
  /** The address a link's destination can call to report an engagement; null for codes that are no links. */
  beacon: z.url().nullable(),
  /** False when the image holds the content itself and can be neither changed nor counted. */
  dynamic: z.boolean(),
  useWhiteBackground: z.boolean(),
  logo: CodeLogo.nullable(),
  /** How it looks; null for the default look. */
  style: StyleSchema.nullable(),
  createdAt: IsoDateTime,
  updatedAt: IsoDateTime,
  /** When it was put out of the list; it answers every visit as before. */
  archivedAt: IsoDateTime.nullable(),
  visits: z.object({ total: z.int(), lastAt: IsoDateTime.nullable() }),
});
export type Code = z.infer<typeof Code>;

/**
 * Of `tags` the texts are the tags with commas between them, of `archived` they are `true` and `false`, of `style` they
 * are JSON of the looks, empty for the default look.
 */
export const CodeChange = z.object({
  at: IsoDateTime,
  field: z.enum(['content', 'visibility', 'subject', 'body', 'name', 'tags', 'archived', 'style']),
  before: z.string(),
  after: z.string(),
});

const params = z.object({ id: Id });

/** Which codes of an account. Beyond the specification. */
const asked = {
  /** A text in the name, the content, a tag or the short address, whatever its case and accents. */
  search: z.string().trim().max(255, 'text_too_long').refine(isStorable, 'text_invalid'),
  /** A tag as its owner may type it. */
  tag: z.string().max(100, 'tag_too_long').refine(isStorable, 'tag_invalid'),
  type: CodeType.optional(),
  visibility: Visibility.optional(),
  /** `never_visited`: codes in use that no person visited, among those whose visits are counted. */
  show: z.enum(['in_use', 'archived', 'never_visited', 'all']),
};

/** Of a list: whatever cannot be read asks for nothing. */
export const CodeFilter = z.object({
  search: asked.search.catch('').default(''),
  tag: asked.tag.catch('').default(''),
  type: asked.type.catch(undefined),
  visibility: asked.visibility.catch(undefined),
  show: asked.show.catch('in_use').default('in_use'),
});
export type CodeFilter = z.infer<typeof CodeFilter>;

/** The same, of codes that something is done to: what cannot be read is refused, or it would be done to all codes. */
export const StrictCodeFilter = z.object({
  ...asked,
  search: asked.search.default(''),
  tag: asked.tag.default(''),
  show: asked.show.default('in_use'),
});

/** Most visits and the last visit come first, names in the order of the alphabet; among equals the newest code. */
export const CodeOrder = z.enum(['newest', 'name', 'visits', 'last_visit']);
export type CodeOrder = z.infer<typeof CodeOrder>;

/** Days of `recentVisits`. */
export const RECENT_DAYS = 12;

export const ListedCode = Code.extend({
  /** Visits by people on each of the last 12 UTC days, today last; empty for a code that is not counted. */
  recentVisits: z.array(z.int()),
});
export type ListedCode = z.infer<typeof ListedCode>;

export const listCodes = call({
  name: 'listCodes',
  method: 'GET',
  path: '/api/qrcodes',
  summary: "One page of the account's codes, newest first, or those of a search in the order asked for",
  access: 'user',
  query: CodeFilter.extend({
    order: CodeOrder.catch('newest').default('newest'),
    page: z.coerce.number().int().min(1).max(1_000_000).catch(1),
    limit: z.coerce.number().int().min(1).max(100).catch(10),
  }),
  response: pageOf(ListedCode),
  errors: ['unauthenticated'],
});

export const listTags = call({
  name: 'listTags',
  method: 'GET',
  path: '/api/tags',
  summary: "The account's tags in the order of the alphabet, with how many codes have each",
  access: 'user',
  beyond: true,
  response: dataOf(
    z.array(
      z.object({
        /** As it was typed first. */
        tag: z.string(),
        /** Codes in use that have it. */
        codes: z.int(),
        archived: z.int(),
      }),
    ),
  ),
  errors: ['unauthenticated'],
});

export const createCode = call({
  name: 'createCode',
  method: 'POST',
  path: '/api/qrcodes',
  summary: 'Create a code; the same `key` creates it once',
  access: 'subscriber',
  form: z.object({
    ...design,
    data: content,
    isPublic: z.stringbool().default(true),
    /** This and the tags: beyond the specification. */
    name: CodeName.optional(),
    tags: tagsText.optional(),
    /** Draft whose kept logo is used when no file is sent; beyond the specification. */
    draft: Id.optional(),
    visitor: z.string().max(100).refine(isStorable).optional(),
    /** Beyond the specification. */
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
  summary: 'One code with the history of its changes',
  access: 'user',
  beyond: true,
  params,
  response: dataOf(z.object({ code: Code, changes: z.array(CodeChange) })),
  errors: ['unauthenticated', 'not_found', 'code_deleted'],
});

export const updateCode = call({
  name: 'updateCode',
  method: 'PATCH',
  path: '/api/qrcodes/{id}',
  summary: 'Change where a dynamic code leads or who may see it; name, tag, restyle or archive any code',
  access: 'subscriber',
  beyond: true,
  params,
  body: z.object({
    content: content.optional(),
    subject: subject.optional(),
    body: body.optional(),
    visibility: Visibility.optional(),
    /** An empty one takes the name away. */
    name: CodeName.optional(),
    /** All the tags it is to have. */
    tags: CodeTags.optional(),
    archived: z.boolean().optional(),
    /** Null gives it the default look; its address stays. */
    style: StyleInput.nullable().optional(),
  }),
  response: dataOf(Code),
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'code_deleted', 'invalid'],
});

export const deleteCode = call({
  name: 'deleteCode',
  method: 'DELETE',
  path: '/api/qrcodes/{id}',
  summary: 'Delete a code for good, once; its address is never given out again',
  access: 'user',
  params,
  response: Done,
  errors: ['unauthenticated', 'not_found'],
});

export const getCodeDeletion = call({
  name: 'getCodeDeletion',
  method: 'GET',
  path: '/api/qrcodes/{id}/deletion',
  summary: 'When a code of the account was deleted',
  access: 'user',
  beyond: true,
  params,
  response: dataOf(z.object({ deletedAt: IsoDateTime })),
  errors: ['unauthenticated', 'not_found'],
});

export const getCodeLogo = call({
  name: 'getCodeLogo',
  method: 'GET',
  path: '/api/qrcodes/{id}/logo',
  summary: 'PNG of the logo of a code, at most 512 pixels',
  access: 'user',
  beyond: true,
  params,
  errors: ['unauthenticated', 'not_found', 'code_deleted'],
});
