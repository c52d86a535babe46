import { redirect } from '@remix-run/node';
import { z } from 'zod';
import { completeLogIn } from '#contract/sessions';
import { readClaims } from '#runtime/session-cookies';
import { signedCookie } from '~/http/cookies.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { safePath } from '~/http/safe-path';
import type { Scope } from '~/http/scope.server';
import { readDevices, signInCookies } from '~/http/session.server';

const Entry = z.object({
  /** A path of this site. */
  to: z.string(),
  remember: z.boolean(),
  notice: z.enum(['login_successful', 'google_login_successful', 'onboarding_successful', 'qrcode_created']),
  /** True when `to` may be something other than a page of the router, such as a file. */
  isDocument: z.boolean().optional(),
});
type Entry = z.infer<typeof Entry>;

const Step = Entry.extend({ challenge: z.string() });

/**
 * A sign-in that waits for its second step. The host's challenge expires earlier than this cookie: a code
 * that comes too late gets an error, and the destination is kept.
 */
const cookie = signedCookie('sign-in', 60 * 60);

/**
 * Continues after the host's response to a first factor: signs in, or redirects to the page for the second
 * factor. Null for a response that signs nobody in.
 */
export async function enter(
  scope: Scope,
  { challenge, ...signedIn }: { token: string; device: string; challenge?: string | undefined },
  entry: Entry,
  cookies: string[] = [],
): Promise<Response | null> {
  if (challenge) {
    const headers = new Headers();
    const step = await cookie.serialize({ ...entry, challenge });
    for (const value of [step, ...cookies]) headers.append('Set-Cookie', value);
    return redirect('/login/code', { status: 303, headers });
  }
  if (!readClaims(signedIn.token)) return null;
  const { to, remember, notice, isDocument } = entry;
  const entered = await redirectWithFlash(to, { type: 'success', key: notice }, [
    ...(await signInCookies(scope.request, signedIn, remember)),
    ...cookies,
  ]);
  if (isDocument) entered.headers.set('X-Remix-Reload-Document', 'true');
  return entered;
}

/** Redirects to the login page unless a sign-in is waiting for a code. */
export async function requireSecondStep(scope: Scope) {
  const step = Step.safeParse(await cookie.parse(scope.request.headers.get('cookie'))).data;
  if (!step) throw redirect('/login', 303);
  return step;
}

const CodeForm = z.object({ code: z.string().default('') });

/** Checks the code, signs in and redirects to where the visitor was going. */
export async function handleSecondStep(scope: Scope) {
  const checked = checkForm(scope, await readForm(scope, ['code']), CodeForm);
  const { challenge, ...entry } = await requireSecondStep(scope);
  if (!checked.ok) return invalid(checked.lastResult);
  const forgotten = await cookie.serialize('', { maxAge: 0 });
  return withFormErrors(checked.reject, ['code'], async () => {
    try {
      const devices = await readDevices(scope.request);
      const body = { ...checked.value, challenge, devices };
      const response = await callHost(scope, completeLogIn, { body });
      const entered = await enter(scope, response, { ...entry, to: safePath(entry.to) }, [forgotten]);
      return entered ?? invalid(checked.reject({ formErrors: ['invalid_token'] }));
    } catch (thrown) {
      if (!(thrown instanceof HostError) || !thrown.errors.challenge) throw thrown;
      const login = entry.isDocument ? `/login?next=${encodeURIComponent(entry.to)}` : '/login';
      const notice = { type: 'warning', key: 'sign_in_expired', persistent: true } as const;
      return redirectWithFlash(login, notice, [forgotten]);
    }
  });
}
