import { z } from 'zod';
import { checkForm, errorsOf, invalid, readForm } from '~/http/form.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
import type { NoticeKey } from '~/i18n/text-keys';

const FIELDS = ['currentPassword'];
const RemovalForm = z.object({ currentPassword: z.string().default('') });

/** Removes a way to sign in, where the password is right and it is not the last one; then goes to a path. */
export async function removeSignIn(
  asker: Asker,
  to: string,
  remove: (body: { currentPassword: string }) => Promise<{ status: 'success'; message: NoticeKey }>,
) {
  const checked = checkForm(asker, await readForm(asker, FIELDS), RemovalForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return orRefuse(
    checked.reject,
    (refusal) => (refusal.status === 409 ? { formErrors: ['only_way_in'] } : errorsOf(refusal, FIELDS)),
    async () => {
      const { status, message } = await remove(checked.value);
      return redirectWithNotice(to, { type: status, key: message });
    },
  );
}
