import { z } from 'zod';
import { type Code, updateCode, Visibility } from '#contract/codes';
import { checkContent, TYPED_LIMITS } from '#contract/contents';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
import { getCode } from './codes.server';
import { opensOwnCode } from './own-codes.server';

const FIELDS = ['intent', 'content', 'subject', 'body', 'visibility'];

const text = (name: 'content' | 'subject' | 'body') =>
  z.string().max(TYPED_LIMITS[name], 'text_too_long').default('');

const ContentForm = z.object({ content: text('content'), subject: text('subject'), body: text('body') });

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

function contentFormFor({ type, content }: Code) {
  return ContentForm.superRefine((fields, context) => {
    for (const { field, code } of checkContent({ type, ...fields }, opensOwnCode)) {
      // What was kept before stays allowed, also where the rules have changed since.
      if (field === 'content' && fields.content === content) continue;
      context.addIssue({ code: 'custom', path: [field], message: code });
    }
  });
}
