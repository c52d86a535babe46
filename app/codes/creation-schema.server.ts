import { z } from 'zod';
import { CodeType, LOGO_BYTES_LIMIT, PresetFile } from '#contract/codes';
import { checkContent, TYPED_LIMITS } from '#contract/contents';
import { checkLabels, LABEL_FIELDS } from './label-fields.server';
import { checkLook, LOOK_FIELDS, LOOK_SHAPE } from './look/look.server';
import { opensOwnCode } from './own-codes.server';

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
  'key',
  'intent',
  'mend',
];

/** Four times what a logo may have: a photograph is read to its end to be told its size, what is larger is a 413. */
const READ_BYTES_LIMIT = 4 * LOGO_BYTES_LIMIT;

export const CREATION_LIMITS = {
  maxTotalSize: READ_BYTES_LIMIT,
  maxParts: 60,
  maxFiles: 1,
  maxFileSize: READ_BYTES_LIMIT,
};

const text = (name: keyof typeof TYPED_LIMITS) =>
  z.string().max(TYPED_LIMITS[name], 'text_too_long').default('');

/** The form as typed: nothing is judged but what could not be kept. */
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
  key: z.string().max(100).optional(),
  intent: z.enum(['preview', 'create', 'look']).catch('create'),
});

export const CreationForm = TypedForm.superRefine((fields, context) => {
  for (const { field, code } of [
    ...checkContent(fields, opensOwnCode),
    ...checkLabels(fields),
    ...checkLook(fields),
  ]) {
    context.addIssue({ code: 'custom', path: [field], message: code });
  }
});

export type CreationValues = z.output<typeof CreationForm>;

/** The e-mail input has a name of its own, so that no name stands twice in the form; what it holds is the content. */
export function withContent(form: FormData): FormData {
  const address = form.get('address');
  if (form.get('type') === 'email' && address) form.set('content', address);
  return form;
}
