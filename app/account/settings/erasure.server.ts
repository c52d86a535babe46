import { z } from 'zod';
import { deleteAccount as deleteCall, exportAccount } from '#contract/accounts';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { signOut } from '~/http/guards.server';
import { callHost, streamHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';

const FIELDS = ['password', 'code', 'keepsLinks'];
const text = z.string().default('');
const DeleteForm = z.object({
  password: text,
  code: text,
  keepsLinks: z.boolean().default(false),
});

/** Erases the account and signs out. */
export async function deleteAccount(scope: UserScope) {
  const form = await readForm(scope, FIELDS);
  return handleForm(scope, form, DeleteForm, FIELDS, async (entered) => {
    const { status, message } = await callHost(scope, deleteCall, { body: entered });
    const notice = { type: status, key: message, persistent: true };
    return signOut('/user/signed-out', notice);
  });
}

/** Downloads everything stored about the account; after too many downloads, the settings page says so. */
export async function downloadAccount(scope: UserScope): Promise<Response> {
  try {
    const file = await streamHost(scope, exportAccount, {});
    return new Response(file.body, {
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': 'attachment; filename="account.json"',
        'Cache-Control': 'no-store',
      },
    });
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return redirectWithFlash('/user/settings', { type: 'warning', key: 'too_many_tries' });
  }
}
