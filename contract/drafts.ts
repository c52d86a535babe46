import { z } from 'zod';
import { call, Done, dataOf, Id } from './call';
import { campaignShape } from './campaign-schemas';
import { CodeType } from './codes';
import { typedShape } from './contents/shapes';
import { TYPED_NAME, TYPED_TAGS } from './labels';
import { CodeLogo, LOGO_FORM_BYTES_LIMIT, LogoFile, PresetFile } from './logo-choice';
import { isStorable } from './storable';
import { STYLE_FIELDS, type StyleField } from './style-fields';
import { ENTERED_STYLE_LIMIT } from './style-rules';

function entered(max: number) {
  return z.string().max(max).refine(isStorable, 'content_invalid').default('');
}

const lookText = z.string().max(ENTERED_STYLE_LIMIT).refine(isStorable, 'style_invalid').optional();

/** The look as posted; `readyMade` is the ready-made or saved one that was chosen, copied into the other fields. */
const DraftStyle = z.object(
  Object.fromEntries(['readyMade', ...STYLE_FIELDS].map((field) => [field, lookText])) as Record<
    'readyMade' | StyleField,
    typeof lookText
  >,
);

/** What a visitor typed, as typed: kept even when it is not yet valid. */
export const DraftFields = z.object({
  type: CodeType,
  ...typedShape(entered),
  useWhiteBackground: z.boolean().default(false),
  uncounted: z.boolean().default(false),
  name: entered(TYPED_NAME),
  /** Comma-separated. */
  tags: entered(TYPED_TAGS),
  ...campaignShape(entered),
  /** Absent if the form had no look. */
  style: DraftStyle.optional(),
});
export type DraftFields = z.infer<typeof DraftFields>;

export const Draft = z.object({
  id: Id,
  fields: DraftFields,
  logo: CodeLogo.nullable(),
  /** What prevents it from becoming a code: message codes by field; empty when it could become one now. */
  problems: z.record(z.string(), z.array(z.string())),
});
export type Draft = z.infer<typeof Draft>;

/** Random key of the browser that wrote the draft; without it the draft is not accessible. */
const visitor = z.string().min(20).max(100).refine(isStorable);

export const saveDraft = call({
  name: 'saveDraft',
  method: 'POST',
  path: '/api/drafts',
  summary: 'Save a design and its logo as a draft for 30 days; with `id`, replace that draft',
  access: 'public',
  form: z.object({
    id: Id.optional(),
    visitor,
    /** JSON of DraftFields. */
    fields: z
      .string()
      .max(16_384)
      .transform((text, context): unknown => {
        try {
          return JSON.parse(text);
        } catch {
          context.addIssue({ code: 'custom', message: 'fields_invalid' });
          return z.NEVER;
        }
      })
      .pipe(DraftFields),
    logo: LogoFile.optional(),
    logoPreset: PresetFile.optional(),
    /** Forget the logo kept so far. */
    removeLogo: z.stringbool().default(false),
  }),
  maxBodyBytes: LOGO_FORM_BYTES_LIMIT,
  response: dataOf(Draft),
  status: 201,
  errors: ['invalid', 'not_found', 'too_large', 'rate_limited', 'unavailable'],
});

const params = z.object({ id: Id });
const query = z.object({ visitor });

export const getDraft = call({
  name: 'getDraft',
  method: 'GET',
  path: '/api/drafts/{id}',
  summary: 'A draft',
  access: 'public',
  params,
  query,
  response: dataOf(Draft),
  errors: ['not_found'],
});

export const getDraftLogo = call({
  name: 'getDraftLogo',
  method: 'GET',
  path: '/api/drafts/{id}/logo',
  summary: 'PNG of the logo of a draft',
  access: 'public',
  params,
  query,
  errors: ['not_found'],
});

/** A design that could not become a code of the account; its fields say what has to be fixed. */
export const UnfinishedDesign = z.object({
  id: Id,
  type: CodeType,
  /** As typed; without one, its content or, for a Wi-Fi code, the network name. */
  name: z.string(),
  /** A message code; null when the design could become a code now. */
  reason: z.string().nullable(),
});
export type UnfinishedDesign = z.infer<typeof UnfinishedDesign>;

export const claimDraft = call({
  name: 'claimDraft',
  method: 'POST',
  path: '/api/drafts/{id}/claim',
  summary: 'Hand over an unfinished design of the account to this browser, where it can be completed',
  access: 'user',
  params,
  body: z.object({ visitor }),
  response: dataOf(Draft),
  errors: ['unauthenticated', 'not_found', 'invalid'],
});

export const discardDraft = call({
  name: 'discardDraft',
  method: 'DELETE',
  path: '/api/drafts/{id}',
  summary: 'Delete an unfinished design of the account',
  access: 'user',
  params,
  response: Done,
  errors: ['unauthenticated', 'not_found'],
});
