import { z } from 'zod';
import { changePassword as changePasswordCall } from '#contract/accounts';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import { signOutCookie } from '~/http/session.server';
import { withFormErrors } from '~/http/with-form-errors.server';

const FIELDS = ['currentPassword', 'newPassword', 'confirmPassword'];

const text = z.string().default('');
const PasswordForm = z.object({ currentPassword: text, newPassword: text, confirmPassword: text });

/** Sets another password and signs out: every session of the account has ended by then. */
export async function changePassword(requestContext: RequestContext, token: string, form: FormData) {
  const checked = checkForm(requestContext, form, PasswordForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, FIELDS, async () => {
    const { status, message } = await callHost(requestContext, changePasswordCall, {
      body: checked.value,
      token,
    });
    const notice = { type: status, key: message, persistent: true };
    return redirectWithFlash('/user/signed-out', notice, [await signOutCookie()]);
  });
}
