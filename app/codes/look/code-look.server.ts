import { data } from '@remix-run/node';
import { z } from 'zod';
import { type Code, updateCode } from '#contract/codes';
import { getCode, nameOf } from '~/codes/codes.server';
import { logoHref, payloadFor, showCode } from '~/codes/downloads.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import { withFormErrors } from '~/http/with-form-errors.server';
import {
  checkLook,
  LOOK_FIELDS,
  LOOK_SHAPE,
  lookOf,
  mendLook,
  offeredStyles,
  savedLooks,
  settleLook,
} from './look.server';
import { textsOfStyle } from './look-input';

const FIELDS = [...LOOK_FIELDS, 'intent', 'mend'];

const LookForm = z
  .object({ ...LOOK_SHAPE, intent: z.enum(['use', 'preview']).catch('use') })
  .superRefine((fields, context) => {
    for (const { field, code } of checkLook(fields)) {
      context.addIssue({ code: 'custom', path: [field], message: code });
    }
  });

/** What the page about the look of a code shows; 404 page for a code of somebody else. */
export async function findCodeLook(requestContext: RequestContext, id: string | undefined, token: string) {
  const [{ code }, saved] = await Promise.all([
    getCode(requestContext, id, token),
    savedLooks(requestContext),
  ]);
  return {
    saved,
    id: code.id,
    name: nameOf(code),
    style: code.style && textsOfStyle(code.style),
    /** JSON of the look it has, to be saved; null for the usual one. */
    kept: code.style && JSON.stringify(code.style),
    picture: await showCode(requestContext, code, token),
    fixed: fixedOf(code),
  };
}

/** What the live preview draws whatever the look. */
function fixedOf(code: Code) {
  return {
    payload: payloadFor(code, 'tracked'),
    useWhiteBackground: code.useWhiteBackground,
    logoHref: code.logo ? logoHref(code) : undefined,
    preset: code.logo?.kind === 'preset' ? code.logo.name : undefined,
  };
}

/** Shows a code in the look that was posted, or gives it that look, which has to have a grade. */
export async function handleCodeLook(requestContext: RequestContext, id: string | undefined, token: string) {
  const form = await readForm(requestContext, FIELDS);
  const [{ code }, offered] = await Promise.all([
    getCode(requestContext, id, token),
    offeredStyles(requestContext),
  ]);
  settleLook(form, offered);
  mendLook(form, offered);
  const checked = checkForm(requestContext, form, LookForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const style = lookOf(checked.value);
  if (checked.value.intent === 'preview') {
    const picture = await showCode(requestContext, { ...code, style }, token);
    return data({ lastResult: checked.kept, picture });
  }
  if (style) {
    const picture = await showCode(requestContext, { ...code, style }, token);
    const { scan } = picture.examination ?? {};
    if (!scan) return invalid(checked.reject({ formErrors: ['drawing_busy'] }), 503);
    if (scan.grade === null) {
      const lastResult = checked.reject({ fieldErrors: { moduleShape: ['look_unreadable'] } });
      return data({ lastResult, picture }, { status: 422 });
    }
  }
  return withFormErrors(checked.reject, FIELDS, async () => {
    await callHost(requestContext, updateCode, { params: { id: code.id }, body: { style }, token });
    return redirectWithFlash(`/user/qrcodes/${code.id}`, { type: 'success', key: 'qrcode_updated' });
  });
}
