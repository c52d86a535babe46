import { data } from '@remix-run/node';
import { z } from 'zod';
import { addPasskey, listPasskeys, removePasskey, renamePasskey, startPasskey } from '#contract/passkeys';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';
import { withFormErrors } from '~/http/with-form-errors.server';
import { readCredential } from './passkey-json.server';
import { removeSignIn } from './sign-in-removal.server';

const PAGE = '/user/settings/passkeys';
const text = z.string().default('');
const PasskeysForm = z.object({
  intent: z.enum(['start', 'add', 'rename']),
  currentPassword: text,
  name: text,
  id: text,
  credential: text,
});

export async function findPasskeys(requestContext: RequestContext, token: string) {
  return (await callHost(requestContext, listPasskeys, { token })).data;
}

/** Does what the posted form of the page asks for. Adding takes two posts, with the browser's own dialog between them. */
export async function handlePasskeys(requestContext: RequestContext, token: string) {
  const form = await readForm(requestContext, Object.keys(PasskeysForm.shape));
  if (!PasskeysForm.shape.intent.safeParse(form.get('intent')).success) throw data(null, { status: 400 });
  const checked = checkForm(requestContext, form, PasskeysForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const { intent, currentPassword, name, id, credential } = checked.value;
  if (intent === 'add') return add(requestContext, token, name, credential);
  return withFormErrors(
    checked.reject,
    (refusal) =>
      refusal.status === 409
        ? { formErrors: ['passkeys_full'] }
        : errorsOf(refusal, ['currentPassword', 'name']),
    async () => {
      if (intent === 'start') {
        const { data: options } = await callHost(requestContext, startPasskey, {
          body: { currentPassword },
          token,
        });
        return data({ options, name });
      }
      const { status, message } = await callHost(requestContext, renamePasskey, {
        params: { id },
        body: { name },
        token,
      });
      return redirectWithFlash(PAGE, { type: status, key: message });
    },
  );
}

async function add(
  requestContext: RequestContext,
  token: string,
  name: string,
  text: string,
): Promise<Response> {
  const credential = readCredential(text, addPasskey.body.shape.credential);
  try {
    if (!credential) return refuse();
    await callHost(requestContext, addPasskey, { body: { name: name.slice(0, 60), credential }, token });
    return redirectWithFlash(PAGE, { type: 'success', key: 'passkey_added' });
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return refuse();
  }
}

function refuse(): Promise<Response> {
  return redirectWithFlash(PAGE, { type: 'error', key: 'passkey_failed', persistent: true });
}

export async function handleRemoval(requestContext: RequestContext, token: string, id: string) {
  return removeSignIn(requestContext, PAGE, (body) =>
    callHost(requestContext, removePasskey, { params: { id }, body, token }),
  );
}
