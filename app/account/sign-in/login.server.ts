import { z } from 'zod';
import { robotFields } from '#contract/form-tokens';
import { logIn } from '#contract/sessions';
import { errorsOf, type FormErrors, handleForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { HostError } from '~/http/host-error.server';
import { safePath } from '~/http/safe-path';
import type { Scope } from '~/http/scope.server';
import { readDevices } from '~/http/session.server';
import { enter } from './entry.server';
import { forgottenGoogleLink, readGoogleLink, startGoogle } from './google.server';

const LoginForm = z.object({
  email: z.string('email_required').trim().max(254, 'email_invalid'),
  password: z.string('password_required').max(128, 'password_too_long'),
  remember: z.boolean().default(false),
  next: z.string().max(2000).optional(),
  ...robotFields,
});

/** Signs in and continues to where the visitor was going; any refusal shows the form again with the e-mail kept. */
export async function handleLogin(scope: Scope) {
  const form = await readForm(scope, [...Object.keys(LoginForm.shape), 'intent']);
  if (form.get('intent') === 'google') return startGoogle(form.get('next'), form.has('remember'));
  return handleForm(scope, form, LoginForm, refusalOf, async ({ next, ...credentials }, reject) => {
    const devices = await readDevices(scope.request);
    const link = await readGoogleLink(scope);
    const response = await callHost(scope, logIn, { body: { ...credentials, link, devices } });
    const entry = {
      to: safePath(next, '/user/dashboard'),
      remember: credentials.remember,
      notice: 'login_successful' as const,
      // It may be a code or a file, which needs a full page load: the client-side router only knows pages.
      isDocument: Boolean(next),
    };
    const forgotten = link ? [await forgottenGoogleLink()] : [];
    return (
      (await enter(scope, response, entry, forgotten)) ?? invalid(reject({ formErrors: ['invalid_token'] }))
    );
  });
}

/** Wrong credentials are an error of the whole form, which does not reveal which of the two is wrong. */
function refusalOf(refusal: HostError): FormErrors {
  const { status, retryAfterSeconds } = refusal;
  if (status === 401) return { formErrors: ['login_failed'] };
  if (status === 429 && retryAfterSeconds) return { formErrors: [`login_wait:${retryAfterSeconds}`] };
  return errorsOf(refusal, ['email', 'password']);
}

/** Whether the browser seems to refuse cookies: this page redirected to itself and no cookie came back. */
export function mayRefuseCookies(scope: Scope): boolean {
  const from = scope.request.headers.get('referer') ?? '';
  const isReturn = URL.canParse(from) && new URL(from).pathname === '/login';
  return isReturn && !scope.request.headers.has('cookie') && scope.url.searchParams.has('next');
}
