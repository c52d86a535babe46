import { z } from 'zod';
import { CONTENT_LIMIT, CodeType, LOGO_BYTES_LIMIT, PresetFile } from '#contract/codes';
import { type CodeFields, checkWifi, contentLength, isEmailAddress, normalizeLink } from '~/codes/contents';

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
  'draft',
  'key',
  'intent',
];

/** Four times what a logo may have: a photograph is read to its end to be told its size, what is larger is a 413. */
const READ_BYTES_LIMIT = 4 * LOGO_BYTES_LIMIT;

export const CREATION_LIMITS = {
  maxTotalSize: READ_BYTES_LIMIT,
  maxParts: 40,
  maxFiles: 1,
  maxFileSize: READ_BYTES_LIMIT,
};

const text = (limit: number) => z.string().max(limit, 'text_too_long').default('');

export const CreationForm = z
  .object({
    type: CodeType.default('link'),
    content: text(2000),
    ssid: text(200),
    passphrase: text(200),
    security: z.enum(['WPA', 'WEP', 'nopass']).catch('WPA'),
    hidden: z.boolean().default(false),
    subject: z.string().max(200, 'subject_too_long').default(''),
    body: z.string().max(1000, 'body_too_long').default(''),
    logoPreset: z.union([PresetFile, z.literal('none').transform(() => undefined)]).optional(),
    removeLogo: z.boolean().default(false),
    useWhiteBackground: z.boolean().default(false),
    draft: z.uuid('draft_unknown').optional(),
    key: z.string().max(100).optional(),
    intent: z.enum(['preview', 'create']).catch('create'),
  })
  .superRefine((fields, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (fields.type === 'wifi') {
      for (const problem of checkWifi(fields)) refuse(fieldOfProblem(problem), problem);
      if (contentLength(fields) > CONTENT_LIMIT) refuse('ssid', 'content_too_long');
      return;
    }
    if (fields.content.trim() === '') refuse('content', 'content_required');
    else if (contentLength(fields) > CONTENT_LIMIT) refuse('content', 'content_too_long');
    else if (fields.type === 'link' && !normalizeLink(fields.content)) refuse('content', 'link_invalid');
    else if (fields.type === 'email' && !isEmailAddress(fields.content)) refuse('content', 'email_invalid');
  });

export type CreationValues = z.output<typeof CreationForm>;

function fieldOfProblem(problem: ReturnType<typeof checkWifi>[number]): string {
  return problem.startsWith('passphrase') ? 'passphrase' : 'ssid';
}

/** The e-mail input has a name of its own, so that no name stands twice in the form; what it holds is the content. */
export function withContent(form: FormData): FormData {
  const address = form.get('address');
  if (form.get('type') === 'email' && address) form.set('content', address);
  return form;
}

/** What is stored as the content of the code: the address completed, the Wi-Fi string composed. */
export function fieldsOf(values: CreationValues): CodeFields {
  return { ...values, content: values.content.trim() };
}
