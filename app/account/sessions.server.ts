import { endOneSession, endOtherSessions as endOthersCall } from '#contract/sessions';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { redirectWithNotice } from '~/http/notices.server';
import type { Asker } from '~/http/scope.server';

/** Signs out everywhere but here. */
export async function endOtherSessions(asker: Asker, token: string) {
  const { status, message } = await callHost(asker, endOthersCall, { token });
  return redirectWithNotice('/user/settings', { type: status, key: message });
}

/** Signs out one device; one that is signed out already counts as done. */
export async function endSession(asker: Asker, token: string, form: FormData) {
  try {
    await callHost(asker, endOneSession, { params: { id: String(form.get('id')) }, token });
  } catch (thrown) {
    if (!(thrown instanceof HostError && thrown.status === 404)) throw thrown;
  }
  return redirectWithNotice('/user/settings', { type: 'success', key: 'session_ended' });
}
