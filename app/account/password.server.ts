import { z } from 'zod';
import { changePassword as changePasswordCall } from '#contract/accounts';
import { checkForm, invalid } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
import { signOutCookie } from '~/http/session.server';

const FIELDS = ['currentPassword', 'newPassword', 'confirmPassword'];

const text = z.string().default('');
const PasswordForm = z.object({ currentPassword: text, newPassword: text, confirmPassword: text });

/** Sets another password and signs out: every session of the account has ended by then. */
export async function changePassword(asker: Asker, token: string, form: FormData) {
  const checked = checkForm(asker, form, PasswordForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return orRefuse(checked.reject, FIELDS, async () => {
    const { status, message } = await callHost(asker, changePasswordCall, { body: checked.value, token });
    const notice = { type: status, key: message, persistent: true };
    return redirectWithNotice('/user/signed-out', notice, [await signOutCookie()]);
  });
}
