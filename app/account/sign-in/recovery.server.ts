import { redirect } from '@remix-run/node';
import { z } from 'zod';
import { robotFields } from '#contract/form-tokens';
import { confirmEmail, forgotPassword, resetPassword } from '#contract/recovery';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, handleForm, invalid, readForm } from '~/http/form.server';
import { signOut } from '~/http/guards.server';
import { callHost, isUnavailable } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { readLinkToken } from '~/http/link-page.server';
import { log } from '~/http/log.server';
import type { Scope } from '~/http/scope.server';
import { signInCookie } from '~/http/session.server';

const text = z.string().default('');
const ForgotForm = z.object({ email: text, ...robotFields });
const ResetForm = z.object({
  password: text,
  confirmPassword: text,
  revokesKeys: z.boolean().default(false),
  ...robotFields,
});
const ConfirmForm = z.object({});

/** Requests the mail; the response is the same for every address. */
export async function handleForgotPassword(scope: Scope) {
  const checked = checkForm(scope, await readForm(scope, Object.keys(ForgotForm.shape)), ForgotForm);
  if (!checked.ok) return invalid(checked.lastResult);
  try {
    const { locale } = scope;
    await callHost(scope, forgotPassword, { body: { ...checked.value, locale } });
    return redirect('/forgot-password?sent=1', 303);
  } catch (thrown) {
    if (thrown instanceof HostError && (thrown.status === 422 || thrown.status === 429)) {
      return invalid(checked.reject(errorsOf(thrown, ['email'])), thrown.status);
    }
    if (!(thrown instanceof HostError) && !isUnavailable(thrown)) throw thrown;
    const err = thrown instanceof HostError ? thrown : undefined;
    log.warn({ err, requestId: scope.requestId }, 'could not request the password reset mail');
    return invalid(checked.reject({ formErrors: ['mail_failed'] }), 503);
  }
}

/** Sets the new password. This ends every session, so anyone signed in here is signed out. */
export async function handleResetPassword(scope: Scope) {
  const fields = ['password', 'confirmPassword'];
  const form = await readForm(scope, Object.keys(ResetForm.shape));
  return handleForm(scope, form, ResetForm, fields, async (entered) => {
    const { passkeys, keys } = await callHost(scope, resetPassword, {
      body: { ...entered, token: readLinkToken(scope) },
    });
    if (passkeys + keys === 0) return signOut('/login', { type: 'success', key: 'password_reset' });
    const left = keys === 0 ? 'passkeys' : passkeys === 0 ? 'keys' : 'both';
    const notice = { type: 'success', key: `password_reset_${left}`, persistent: true } as const;
    return signOut(`/login?next=/user/settings${left === 'both' ? '' : `/${left}`}`, notice);
  });
}

/** Makes the new address the account's; opening the page alone changes nothing. */
export async function handleConfirmEmail(scope: Scope) {
  const form = await readForm(scope, []);
  return handleForm(scope, form, ConfirmForm, [], async () => {
    // With the session, which the host then keeps; all other sessions end.
    const token = scope.user?.token;
    const { session } = await callHost(scope, confirmEmail, { body: { token: readLinkToken(scope) }, token });
    const to = token ? '/user/settings' : '/login';
    const cookies = session ? [await signInCookie(session.token, session.remember)] : [];
    return redirectWithFlash(to, { type: 'success', key: 'email_confirmed' }, cookies);
  });
}
