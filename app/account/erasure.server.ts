import { z } from 'zod';
import { deleteAccount as deleteCall, exportAccount } from '#contract/accounts';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost, streamHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
import { signOutCookie } from '~/http/session.server';

const DeleteForm = z.object({ password: z.string().default('') });

/** Erases the account and signs out. */
export async function deleteAccount(asker: Asker, token: string) {
  const checked = checkForm(asker, await readForm(asker, ['password']), DeleteForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return orRefuse(checked.reject, ['password'], async () => {
    const { status, message } = await callHost(asker, deleteCall, { body: checked.value, token });
    const notice = { type: status, key: message, persistent: true };
    return redirectWithNotice('/user/signed-out', notice, [await signOutCookie()]);
  });
}

/** Everything kept about the account, as a file to keep; after too many downloads the settings page says so. */
export async function downloadAccount(asker: Asker, token: string): Promise<Response> {
  try {
    const file = await streamHost(asker, exportAccount, { token });
    return new Response(file.body, {
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': 'attachment; filename="account.json"',
        'Cache-Control': 'no-store',
      },
    });
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return redirectWithNotice('/user/settings', { type: 'warning', key: 'too_many_tries' });
  }
}
