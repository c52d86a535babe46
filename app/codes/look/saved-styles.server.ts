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
import { orNotFound } from '~/codes/code/codes.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, type FormErrors, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';
import { isOfOtherVersion, readStyle, styleAddress } from './style-picture.server';

const LIST = '/user/styles';
const FIELDS = ['intent', 'id', 'name', 'style', 'isDefault'];
const name = z.string().max(500, 'name_too_long').default('');

const SaveForm = z.object({
  name,
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
  isDefault: z.boolean().default(false),
});

/** The account's saved looks in alphabetical order. */
export async function findStyles(requestContext: RequestContext, token: string): Promise<SavedStyle[]> {
  return (await callHost(requestContext, listStyles, { token })).data;
}

/** The saved looks with the URLs of their pictures. */
export async function picturedStyles(requestContext: RequestContext, token: string) {
  const styles = await findStyles(requestContext, token);
  return styles.map(({ id, name, isDefault, style }) => ({
    id,
    name,
    isDefault,
    picture: styleAddress(style),
  }));
}

/** One saved look with its picture; 404 page for any other id. */
export async function getStyle(requestContext: RequestContext, id: string | undefined, token: string) {
  const style = (await picturedStyles(requestContext, token)).find((one) => one.id === id);
  if (!style) throw data(null, { status: 404 });
  return style;
}

/** Saves the look sent by a code's page, or sets or clears the default look. */
export async function handleStyles(requestContext: RequestContext, token: string) {
  const form = await readForm(requestContext, FIELDS);
  if (form.get('intent') !== 'save-style') return changeDefault(requestContext, token, form);
  const checked = checkForm(requestContext, form, SaveForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, formErrorsOf, async () => {
    await callHost(requestContext, saveStyle, { body: checked.value, token });
    return redirectWithFlash(LIST, {
      type: 'success',
      key: 'style_saved',
      values: { name: checked.value.name },
    });
  });
}

async function changeDefault(requestContext: RequestContext, token: string, form: FormData) {
  const intent = form.get('intent');
  if (intent !== 'default-style' && intent !== 'no-default-style') throw data(null, { status: 400 });
  const isDefault = intent === 'default-style';
  const params = { id: String(form.get('id')) };
  try {
    await callHost(requestContext, updateStyle, { params, body: { isDefault }, token });
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.code === 'subscription_required')
      return redirectWithFlash('/user/subscription', {
        type: 'info',
        key: 'subscription_needed',
        persistent: true,
      });
    throw orNotFound(thrown);
  }
  return redirectWithFlash(LIST, { type: 'success', key: isDefault ? 'style_default' : 'style_no_default' });
}

const NameForm = z.object({ name });

export async function renameStyle(requestContext: RequestContext, id: string | undefined, token: string) {
  const checked = checkForm(requestContext, await readForm(requestContext, ['name']), NameForm);
  if (!checked.ok) return invalid(checked.lastResult);
  return withFormErrors(checked.reject, formErrorsOf, async () => {
    const params = { id: id ?? '' };
    await callHost(requestContext, updateStyle, { params, body: checked.value, token }).catch((thrown) => {
      throw orNotFound(thrown);
    });
    return redirectWithFlash(LIST, { type: 'success', key: 'style_renamed' });
  });
}

/** A look that is already gone counts as deleted. */
export async function deleteStyle(requestContext: RequestContext, id: string | undefined, token: string) {
  try {
    await callHost(requestContext, deleteCall, { params: { id: id ?? '' }, token });
  } catch (thrown) {
    if (!(thrown instanceof HostError && thrown.status === 404)) throw thrown;
  }
  return redirectWithFlash(LIST, { type: 'success', key: 'style_deleted' });
}

const formErrorsOf = (refusal: HostError): FormErrors => errorsOf(refusal, ['name']);
