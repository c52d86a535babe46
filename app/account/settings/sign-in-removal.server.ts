import { z } from 'zod';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, invalid, readForm, withFormErrors } from '~/http/form.server';
import type { Scope } from '~/http/scope.server';
import type { NoticeKey } from '~/i18n/text-keys';

const FIELDS = ['currentPassword', 'code'];
const text = z.string().default('');
const RemovalForm = z.object({ currentPassword: text, code: text });

/** Removes a way to sign in if it is the owner who asks and it is not the last one, then redirects. */
export async function removeSignIn(
  scope: Scope,
  to: string,
  remove: (body: z.infer<typeof RemovalForm>) => Promise<{ status: 'success'; message: NoticeKey }>,
) {
  const checked = checkForm(scope, await readForm(scope, FIELDS), RemovalForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(
    checked.reject,
    (refusal) => (refusal.status === 409 ? { formErrors: ['only_way_in'] } : errorsOf(refusal, FIELDS)),
    async () => {
      const { status, message } = await remove(checked.value);
      return redirectWithFlash(to, { type: status, key: message });
    },
  );
}
