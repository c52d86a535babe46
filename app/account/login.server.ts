import { z } from 'zod';
import { logIn } from '#contract/sessions';
import { checkForm, errorsOf, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { redirectWithNotice } from '~/http/notices.server';
import { safePath } from '~/http/safe-path';
import type { Asker } from '~/http/scope.server';
import { readClaims, signInCookie } from '~/http/session.server';
import { CaptchaToken } from './robot-check.server';

const LoginForm = z.object({
  email: z.string('email_required').trim().max(254, 'email_invalid'),
  password: z.string('password_required').max(128, 'password_too_long'),
  remember: z.boolean().default(false),
  next: z.string().max(2000).optional(),
  captcha: CaptchaToken,
});

/** Signs in and goes where the visitor was going; any refusal shows the form again with the e-mail kept. */
export async function handleLogin(asker: Asker) {
  const form = await readForm(asker, Object.keys(LoginForm.shape));
  const checked = checkForm(asker, form, LoginForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const { next, ...credentials } = checked.value;
  try {
    const { token } = await callHost(asker, logIn, { body: credentials });
    if (!readClaims(token)) return invalid(checked.reject({ formErrors: ['invalid_token'] }));
    const entered = await redirectWithNotice(
      safePath(next, '/user/dashboard'),
      { type: 'success', key: 'login_successful' },
      [await signInCookie(token, credentials.remember)],
    );
    // It may be a code or a file, which only the browser itself can go to: the framework's router knows pages alone.
    if (next) entered.headers.set('X-Remix-Reload-Document', 'true');
    return entered;
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.status === 401) return invalid(checked.reject({ formErrors: ['login_failed'] }), 401);
    return invalid(checked.reject(errorsOf(thrown, ['email', 'password'])), thrown.status);
  }
}
