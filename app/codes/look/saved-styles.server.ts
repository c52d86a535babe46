import { data } from '@remix-run/node';
import { z } from 'zod';
import type { Style } from '#contract/style-rules';
import {
  deleteStyle as deleteCall,
  listStyles,
  type SavedStyle,
  saveStyle,
  updateStyle,
} from '#contract/styles';
import { logoAddress } from '~/codes/create/logo-address';
import { redirectToSubscription, redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError, orAlreadyGone, orNotFound } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { logoValuesOf, readLogo } from './logo-choice.server';
import { isOfOtherVersion, readStyle, styleAddress } from './style-picture.server';

const LIST = '/user/styles';
const FIELDS = ['intent', 'id', 'codeId', 'name', 'style', 'logo', 'withLogo', 'isDefault'];
/** Of a saved look; the host checks what it may contain. */
export const StyleName = z.string().max(500, 'name_too_long').default('');

const SaveForm = z.object({
  name: StyleName,
  style: z
    .string()
    .default('')
    .transform((text, context): Style => {
      const style = readStyle(text);
      if (style) return style;
      const message = isOfOtherVersion(text) ? 'style_version' : 'style_required';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }),
  /** JSON of the logo of the code. */
  logo: z
    .string()
    .default('')
    .transform((text) => (text === '' ? null : readLogo(text))),
  withLogo: z.boolean().default(false),
  isDefault: z.boolean().default(false),
  /** The code whose page has the form. */
  codeId: z.uuid().optional().catch(undefined),
});

/** The account's saved looks in alphabetical order. */
export async function findStyles(scope: UserScope): Promise<SavedStyle[]> {
  return (await callHost(scope, listStyles)).data;
}

/** Whether the account cannot change looks, as it has no subscription. */
export async function areLooksLocked(scope: UserScope): Promise<boolean> {
  return !(await callHost(scope, listStyles)).isSubscribed;
}

/** The saved looks with the URLs of their pictures. */
export async function picturedStyles(scope: UserScope) {
  const styles = await findStyles(scope);
  return styles.map(({ id, name, isDefault, style, logo }) => {
    const { logoPreset } = logoValuesOf(logo);
    const hasLogo = logo !== null && logo.kind !== 'none';
    return {
      id,
      name,
      isDefault,
      picture: styleAddress(style),
      logo: hasLogo ? logoAddress(logoPreset) : null,
    };
  });
}

/** One saved look; undefined if the account has none with this id. */
export async function findStyle(scope: UserScope, id: string): Promise<SavedStyle | undefined> {
  return (await findStyles(scope)).find((style) => style.id === id);
}

/** One saved look with its picture; 404 page for any other id. */
export async function getStyle(scope: UserScope, id: string | undefined) {
  const style = (await picturedStyles(scope)).find((one) => one.id === id);
  if (!style) throw data(null, { status: 404 });
  return style;
}

/** Saves the look sent by a code's page, or sets or clears the default look. */
export async function handleStyles(scope: UserScope) {
  const form = await readForm(scope, FIELDS);
  if (form.get('intent') !== 'save-style') return changeDefault(scope, form);
  return handleForm(scope, form, SaveForm, ['name'], async (entered) => {
    const { codeId, logo, withLogo, ...look } = entered;
    await callHost(scope, saveStyle, { body: { ...look, logo: withLogo ? logo : null } });
    return redirectWithFlash(codeId ? `/user/qrcodes/${codeId}/look` : LIST, {
      type: 'success',
      key: 'style_saved',
      values: { name: entered.name },
    });
  });
}

async function changeDefault(scope: UserScope, form: FormData) {
  const intent = form.get('intent');
  if (intent !== 'default-style' && intent !== 'no-default-style') throw data(null, { status: 400 });
  const isDefault = intent === 'default-style';
  const params = { id: String(form.get('id')) };
  try {
    await orNotFound(callHost(scope, updateStyle, { params, body: { isDefault } }));
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.code === 'subscription_required')
      return redirectToSubscription();
    throw thrown;
  }
  return redirectWithFlash(LIST, { type: 'success', key: isDefault ? 'style_default' : 'style_no_default' });
}

/** A look that is already gone counts as deleted. */
export async function deleteStyle(scope: UserScope, id: string | undefined) {
  await orAlreadyGone(callHost(scope, deleteCall, { params: { id: id ?? '' } }));
  return redirectWithFlash(LIST, { type: 'success', key: 'style_deleted' });
}
