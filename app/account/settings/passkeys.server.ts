import { data } from '@remix-run/node';
import { z } from 'zod';
import {
  addPasskey,
  passkeyLogIn,
  passkeyLogInOptions,
  removePasskey,
  removePasskeys,
  renamePasskey,
  startPasskey,
} from '#contract/passkeys';
import { getSignIn } from '#contract/sign-in';
import { enter } from '~/account/sign-in/entry.server';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, orConflict, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError, isNotFound } from '~/http/host-error.server';
import { safePath } from '~/http/safe-path';
import type { Scope, UserScope } from '~/http/scope.server';
import { readDevices } from '~/http/session.server';
import { removeSignIn } from './sign-in-removal.server';

const PAGE = '/user/settings/passkeys';
const text = z.string().default('');
const PasskeysForm = z.object({
  intent: z.enum(['start', 'add', 'rename']),
  currentPassword: text,
  code: text,
  name: text,
  id: text,
  credential: text,
});

/** The passkeys of the account, and whether changing them needs a code. */
export async function findPasskeys(scope: UserScope) {
  const { passkeys, secondFactorSince } = (await callHost(scope, getSignIn)).data;
  return { passkeys, hasSecondFactor: secondFactorSince !== null };
}

export type Passkey = Awaited<ReturnType<typeof findPasskeys>>['passkeys'][number];

/** Handles the posted form. Adding a passkey takes two posts, with the browser's own dialog in between. */
export async function handlePasskeys(scope: UserScope) {
  const form = await readForm(scope, Object.keys(PasskeysForm.shape));
  if (!PasskeysForm.shape.intent.safeParse(form.get('intent')).success) throw data(null, { status: 400 });
  const fields = ['currentPassword', 'code', 'name'];
  return handleForm(scope, form, PasskeysForm, orConflict('passkeys_full', fields), async (entered) => {
    const { intent, id, credential, ...asked } = entered;
    if (intent === 'add') return add(scope, asked.name, credential);
    if (intent === 'rename') return rename(scope, id, asked.name);
    const { data: options } = await callHost(scope, startPasskey, { body: asked });
    return data({ options, name: asked.name });
  });
}

/** One that was removed elsewhere has no form on the page any more that could show an error. */
async function rename(scope: UserScope, id: string, name: string): Promise<Response> {
  try {
    const { status, message } = await callHost(scope, renamePasskey, { params: { id }, body: { name } });
    return await redirectWithFlash(PAGE, { type: status, key: message });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return redirectWithFlash(PAGE, { type: 'warning', key: 'passkey_gone' });
  }
}

async function add(scope: UserScope, name: string, text: string): Promise<Response> {
  const credential = readCredential(text, addPasskey.body.shape.credential);
  try {
    if (!credential) return refuse();
    await callHost(scope, addPasskey, { body: { name: name.slice(0, 60), credential } });
    return redirectWithFlash(PAGE, { type: 'success', key: 'passkey_added' });
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return refuse();
  }
}

function refuse(): Promise<Response> {
  return redirectWithFlash(PAGE, { type: 'error', key: 'passkey_failed', persistent: true });
}

/** The credential that a script wrote into a hidden field; null if it is invalid. */
function readCredential<S extends z.ZodType>(text: unknown, schema: S): z.input<S> | null {
  try {
    const json: unknown = JSON.parse(String(text));
    return schema.safeParse(json).success ? (json as z.input<S>) : null;
  } catch {
    return null;
  }
}

/** The last part of the path of the page that removes all passkeys, in place of the id of one. */
export const ALL_PASSKEYS = 'all';

export async function handleRemoval(scope: UserScope, id: string) {
  return removeSignIn(scope, PAGE, (body) =>
    id === ALL_PASSKEYS
      ? callHost(scope, removePasskeys, { body })
      : callHost(scope, removePasskey, { params: { id }, body }),
  );
}

/** Sends a script the options for the browser, and signs in with the resulting credential. */
export async function handlePasskeyLogIn(scope: Scope): Promise<Response> {
  const form = await readForm(scope, ['credential', 'next', 'remember']);
  const next = safePath(form.get('next'), '');
  try {
    if (!form.get('credential')) {
      const { data: options } = await callHost(scope, passkeyLogInOptions);
      return Response.json({ options });
    }
    const credential = readCredential(form.get('credential'), passkeyLogIn.body.shape.credential);
    const remember = form.get('remember') === 'on';
    const devices = await readDevices(scope.request);
    const response =
      credential && (await callHost(scope, passkeyLogIn, { body: { credential, remember, devices } }));
    const entry = { to: next || '/user/dashboard', remember, notice: 'login_successful' as const };
    return (response && (await enter(scope, response, entry))) || (await refuseLogIn(next));
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    return form.get('credential') ? refuseLogIn(next) : new Response(null, { status: thrown.status });
  }
}

function refuseLogIn(next: string): Promise<Response> {
  const login = next ? `/login?next=${encodeURIComponent(next)}` : '/login';
  return redirectWithFlash(login, { type: 'error', key: 'passkey_failed', persistent: true });
}
