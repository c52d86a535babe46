import { z } from 'zod';
import { CAMPAIGN_INPUTS } from '#contract/campaign';
import { CodeType } from '#contract/codes';
import {
  CODE_TYPES,
  checkContent,
  DEFAULT_TYPE,
  FIELDS,
  type FieldName,
  inputOf,
} from '#contract/contents/contents';
import { typedShape } from '#contract/contents/shapes';
import { PresetFile } from '#contract/logo-choice';
import { opensOwnCode } from '~/codes/contents/own-codes.server';
import { checkLook, LOOK_FIELDS, LOOK_SHAPE } from '~/codes/look/look.server';
import { withFields } from '~/http/form.server';
import { CAMPAIGN_SHAPE, checkCampaign } from './campaign.server';
import { checkLabels, LABEL_FIELDS, reportProblems } from './field-checks.server';

const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** Fields of the creation form; everything else that is posted is dropped. */
export const CREATION_FIELDS = [
  'type',
  ...new Set(CODE_TYPES.flatMap((type) => FIELD_NAMES.flatMap((field) => [field, inputOf(type, field)]))),
  'logo',
  'logoPreset',
  'removeLogo',
  'useWhiteBackground',
  'name',
  'tags',
  'uncounted',
  ...CAMPAIGN_INPUTS,
  ...LOOK_FIELDS,
  'draft',
  'draftLogo',
  'key',
  'intent',
  'fix',
];

export const CREATION_LIMITS = {
  maxParts: 120,
  maxFiles: 1,
};

const text = (units: number) => z.string().max(units, 'text_too_long').default('');

/** The form as typed: only values that could not be stored are rejected. */
export const TypedForm = z.object({
  type: CodeType.default(DEFAULT_TYPE),
  ...typedShape(text),
  /** A preset's file or one of the account's own logos. */
  logoPreset: z
    .union([PresetFile, z.uuid(), z.literal('none').transform(() => undefined)], 'preset_unknown')
    .optional(),
  removeLogo: z.boolean().default(false),
  useWhiteBackground: z.boolean().default(false),
  ...LABEL_FIELDS,
  uncounted: z.boolean().default(false),
  ...CAMPAIGN_SHAPE,
  ...LOOK_SHAPE,
  draft: z.uuid('draft_unknown').optional(),
  /** Whether the page showed a logo stored in the draft. */
  draftLogo: z.boolean().default(false),
  key: z.string().max(100).optional(),
  intent: z.enum(['preview', 'create', 'look']).catch('create'),
});

export const CreationForm = TypedForm.superRefine(
  reportProblems((fields) => [
    ...checkContent(fields, opensOwnCode),
    ...checkLabels(fields),
    ...checkLook(fields),
    ...checkCampaign(fields),
  ]),
);

export type CreationValues = z.output<typeof CreationForm>;

/** A posted design. */
export interface Design {
  value: CreationValues;
  logo: File | null;
}

/**
 * The form with each input of the chosen type as its field. Some inputs have names of their own, so that no name occurs
 * twice in the form.
 */
export function withContent(form: FormData): FormData {
  const type = CODE_TYPES.find((one) => one === form.get('type')) ?? DEFAULT_TYPE;
  const entered = FIELD_NAMES.flatMap((field) => {
    const value = form.get(inputOf(type, field));
    return typeof value === 'string' && value !== '' ? [[field, value]] : [];
  });
  return withFields(form, Object.fromEntries(entered));
}
