import { data } from '@remix-run/node';
import { z } from 'zod';
import { type ApiKey, changeKey, listKeys, makeKey, renewKey, revokeKey } from '#contract/api-keys';
import { getSignIn } from '#contract/sign-in';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, orConflict, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { isNotFound } from '~/http/host-error.server';
import { newFormKey, type UserScope } from '~/http/scope.server';

const PAGE = '/user/settings/keys';

const text = z.string().default('');
const proof = { currentPassword: text, code: text, key: z.string().optional() };
const ENDS = { d30: 30, d90: 90, d365: 365, none: null } as const;
const KeyForm = z.object({
  ...proof,
  name: text,
  permission: z.enum(['read', 'change'], 'key_permission_required'),
  tag: text,
  origins: text.transform((entered) => entered.split(/[\s,]+/).filter(Boolean)),
  days: z.enum(Object.keys(ENDS) as [keyof typeof ENDS], 'key_days_invalid'),
});
const EditForm = KeyForm.pick({ name: true, origins: true, currentPassword: true, code: true });
const RenewalForm = z.object({
  ...proof,
  overlap: z.enum(renewKey.body.shape.overlap.options, 'key_overlap_required'),
});

/** A key as listed; `isOver` if it has ended. */
export type ListedKey = ApiKey & { isOver: boolean };

/** The keys of the account, newest first. */
export async function getKeys(scope: UserScope) {
  const { data: keys } = await callHost(scope, listKeys);
  const now = Date.now();
  return {
    keys: keys.map(
      (key): ListedKey => ({ ...key, isOver: key.expiresAt !== null && Date.parse(key.expiresAt) <= now }),
    ),
    locale: scope.locale,
  };
}

/** The key that a page is about, or a 404 page. */
export async function getKey(scope: UserScope, id: string | undefined) {
  const { keys, locale } = await getKeys(scope);
  const key = keys.find((one) => one.id === id);
  if (!key) throw data(null, { status: 404 });
  return { key, locale };
}

/** The same for a page that changes or renews it, which is not for a connected program. */
export async function getOwnKey(scope: UserScope, id: string | undefined) {
  const found = await getKey(scope, id);
  if (found.key.client) throw data(null, { status: 404 });
  return found;
}

/** What a form that asks for the owner needs. */
export async function prepareForm(scope: UserScope) {
  const { data: signIn } = await callHost(scope, getSignIn);
  return { hasSecondFactor: signIn.secondFactorSince !== null, formKey: newFormKey(scope) };
}

/** Makes a key; its secret is shown in this response and never again. */
export async function handleNewKey(scope: UserScope) {
  const fields = Object.keys(KeyForm.shape);
  const form = await readForm(scope, fields);
  return handleForm(scope, form, KeyForm, orConflict('keys_full', fields), async ({ days, ...entered }) => {
    const made = await callHost(scope, makeKey, { body: { ...entered, days: ENDS[days] } });
    return data({ secret: made.data.secret });
  });
}

/** Changes the name and the origins of a key. */
export async function handleEdit(scope: UserScope, id: string) {
  const fields = Object.keys(EditForm.shape);
  const form = await readForm(scope, fields);
  return handleForm(scope, form, EditForm, fields, async (entered) => {
    await callHost(scope, changeKey, { params: { id }, body: entered });
    return redirectWithFlash(PAGE, { type: 'success', key: 'key_changed' });
  });
}

/** Gives a key a new secret, which is shown in this response and never again. */
export async function handleRenewal(scope: UserScope, id: string) {
  const fields = Object.keys(RenewalForm.shape);
  const form = await readForm(scope, fields);
  return handleForm(scope, form, RenewalForm, fields, async (entered) => {
    const renewed = await callHost(scope, renewKey, { params: { id }, body: entered });
    return data({ secret: renewed.data.secret });
  });
}

/** Revokes a key; one that is already revoked counts as done. */
export async function handleRevocation(scope: UserScope, id: string): Promise<Response> {
  try {
    const { message: key } = await callHost(scope, revokeKey, { params: { id } });
    return redirectWithFlash(PAGE, { type: 'success', key });
  } catch (thrown) {
    if (!isNotFound(thrown)) throw thrown;
    return redirectWithFlash(PAGE, { type: 'success', key: 'key_revoked' });
  }
}
