import { passkeyLogIn, passkeyLogInOptions } from '#contract/passkeys';
import { redirectWithFlash } from '~/http/flash.server';
import { readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { readDevices } from '~/http/known-device.server';
import { safePath } from '~/http/safe-path';
import type { RequestContext } from '~/http/scope.server';
import { enter } from './entry.server';
import { readCredential } from './passkey-json.server';

/** Answers a script the options for the browser, and signs in with what the browser made of them. */
export async function handlePasskeyLogIn(requestContext: RequestContext): Promise<Response> {
  const form = await readForm(requestContext, ['credential', 'next', 'remember']);
  const next = safePath(form.get('next'), '');
  try {
    if (!form.get('credential')) {
      const { data: options } = await callHost(requestContext, passkeyLogInOptions, {});
      return Response.json({ options });
    }
    const credential = readCredential(form.get('credential'), passkeyLogIn.body.shape.credential);
    const remember = form.get('remember') === 'on';
    const devices = await readDevices(requestContext.request);
    const answer =
      credential &&
      (await callHost(requestContext, passkeyLogIn, { body: { credential, remember, devices } }));
    const entry = { to: next || '/user/dashboard', remember, notice: 'login_successful' as const };
    return (answer && (await enter(requestContext, answer, entry))) || (await refuse(next));
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return form.get('credential') ? refuse(next) : new Response(null, { status: thrown.status });
  }
}

function refuse(next: string): Promise<Response> {
  const login = next ? `/login?next=${encodeURIComponent(next)}` : '/login';
  return redirectWithFlash(login, { type: 'error', key: 'passkey_failed', persistent: true });
}
