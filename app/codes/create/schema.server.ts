import { z } from 'zod';
import { CodeType, PresetFile } from '#contract/codes';
import { checkContent, TYPED_LIMITS } from '#contract/contents';
import { opensOwnCode } from '~/codes/contents/own-codes.server';
import { checkLook, LOOK_FIELDS, LOOK_SHAPE } from '~/codes/look/look.server';
import { withFields } from '~/http/form.server';
import { checkLabels, LABEL_FIELDS, reportProblems } from './field-checks.server';

/** Fields of the creation form; everything else that is posted is dropped. */
export const CREATION_FIELDS = [
  'type',
  'content',
  'address',
  'ssid',
  'passphrase',
  'security',
  'hidden',
  'subject',
  'body',
  'logo',
  'logoPreset',
  'removeLogo',
  'useWhiteBackground',
  'name',
  'tags',
  ...LOOK_FIELDS,
  'draft',
  'draftLogo',
  'key',
  'intent',
  'mend',
];

export const CREATION_LIMITS = {
  maxParts: 60,
  maxFiles: 1,
};

const text = (name: keyof typeof TYPED_LIMITS) =>
  z.string().max(TYPED_LIMITS[name], 'text_too_long').default('');

/** The form as typed: only values that could not be stored are rejected. */
export const TypedForm = z.object({
  type: CodeType.default('link'),
  content: text('content'),
  ssid: text('ssid'),
  passphrase: text('passphrase'),
  security: z.enum(['WPA', 'WEP', 'nopass']).catch('WPA'),
  hidden: z.boolean().default(false),
  subject: text('subject'),
  body: text('body'),
  logoPreset: z.union([PresetFile, z.literal('none').transform(() => undefined)]).optional(),
  removeLogo: z.boolean().default(false),
  useWhiteBackground: z.boolean().default(false),
  ...LABEL_FIELDS,
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
  ]),
);

export type CreationValues = z.output<typeof CreationForm>;

/** A posted design. */
export interface Design {
  value: CreationValues;
  logo: File | null;
}

/**
 * The form with the e-mail address as its content. Its input has its own name, so that no name occurs twice in the
 * form.
 */
export function withContent(form: FormData): FormData {
  const address = form.get('address');
  const isEmail = form.get('type') === 'email' && typeof address === 'string' && address !== '';
  return isEmail ? withFields(form, { content: address }) : form;
}
