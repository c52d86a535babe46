import { endOneSession, endOtherSessions as endOthersCall } from '#contract/sessions';
import { redirectWithFlash } from '~/http/flash.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';

/** Signs out everywhere but here. */
export async function endOtherSessions(requestContext: RequestContext, token: string) {
  const { status, message } = await callHost(requestContext, endOthersCall, { token });
  return redirectWithFlash('/user/settings', { type: status, key: message });
}

/** Signs out one device; one that is signed out already counts as done. */
export async function endSession(requestContext: RequestContext, token: string, form: FormData) {
  try {
    await callHost(requestContext, endOneSession, { params: { id: String(form.get('id')) }, token });
  } catch (thrown) {
    if (!(thrown instanceof HostError && thrown.status === 404)) throw thrown;
  }
  return redirectWithFlash('/user/settings', { type: 'success', key: 'session_ended' });
}
