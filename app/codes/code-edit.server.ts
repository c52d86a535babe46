import { z } from 'zod';
import { type Code, updateCode, Visibility } from '#contract/codes';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
import { getCode } from './codes.server';
import { CONTENT_LIMIT, isEmailAddress, normalizeLink } from './contents';

const FIELDS = ['intent', 'content', 'subject', 'body', 'visibility'];

const ContentForm = z.object({
  content: z
    .string('content_required')
    .trim()
    .min(1, 'content_required')
    .refine((text) => [...text].length <= CONTENT_LIMIT, 'content_too_long'),
  subject: z.string().max(200, 'subject_too_long').default(''),
  body: z.string().max(1000, 'body_too_long').default(''),
});

const VisibilityForm = z.object({ visibility: Visibility });

/** Changes the content or the visibility of a code, whichever form of its page was posted. */
export async function handleCodeEdit(asker: Asker, id: string | undefined, token: string) {
  const form = await readForm(asker, FIELDS);
  const { code } = await getCode(asker, id, token);
  const schema = form.get('intent') === 'visibility' ? VisibilityForm : contentFormFor(code);
  const checked = checkForm(asker, form, schema);
  if (!checked.ok) return invalid(checked.lastResult);
  return orRefuse(checked.reject, FIELDS, async () => {
    await callHost(asker, updateCode, { params: { id: code.id }, body: checked.value, token });
    return redirectWithNotice(`/user/qrcodes/${code.id}`, { type: 'success', key: 'qrcode_updated' });
  });
}

function contentFormFor({ type }: Code) {
  return ContentForm.superRefine(({ content }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['content'], message });
    if (type === 'link' && !normalizeLink(content)) refuse('link_invalid');
    if (type === 'email' && !isEmailAddress(content)) refuse('email_invalid');
  });
}
