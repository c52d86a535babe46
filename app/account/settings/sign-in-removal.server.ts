import { z } from 'zod';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, orConflict, readForm } from '~/http/form.server';
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
  const form = await readForm(scope, FIELDS);
  return handleForm(scope, form, RemovalForm, orConflict('only_way_in', FIELDS), async (entered) => {
    const { status, message } = await remove(entered);
    return redirectWithFlash(to, { type: status, key: message });
  });
}
