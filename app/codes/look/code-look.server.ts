import { data } from '@remix-run/node';
import { z } from 'zod';
import { type Code, updateCode } from '#contract/codes';
import type { Style } from '#contract/style-rules';
import { getCode, nameOf } from '~/codes/code/codes.server';
import { reportProblems } from '~/codes/create/field-checks.server';
import { gradeCode, logoHref, payloadFor, previewCode } from '~/codes/files/downloads.server';
import { orNotDrawn } from '~/codes/pictures/drawing-pool.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';
import {
  checkLook,
  LOOK_FIELDS,
  LOOK_SHAPE,
  lookOf,
  offeredStyles,
  resolveLook,
  savedLooks,
} from './look.server';
import { textsOfStyle } from './look-input';
import { applyFix, FIXES, isOfStyle } from './style-fixes';

const FIELDS = [...LOOK_FIELDS, 'intent', 'fix'];

const LookForm = z
  .object({ ...LOOK_SHAPE, intent: z.enum(['use', 'preview']).catch('use') })
  .superRefine(reportProblems(checkLook));

/**
 * Data of the page for a code's look, with the fix named in `?fix=` applied; 404 page for another account's
 * code.
 */
export async function findCodeLook(scope: UserScope, id: string | undefined) {
  const [{ code }, saved] = await Promise.all([getCode(scope, id), savedLooks(scope)]);
  const style = fixedStyle(code, scope.url.searchParams.get('fix'));
  return {
    saved,
    id: code.id,
    name: nameOf(code),
    style: style && textsOfStyle(style),
    /** JSON of its look, to be saved by name; null for the default look. */
    kept: code.style && JSON.stringify(code.style),
    picture: await previewCode(scope, { ...code, style }),
    fixed: fixedOf(code),
  };
}

/** Nothing is saved until the form is posted. */
function fixedStyle({ style, logo, useWhiteBackground }: Code, name: string | null): Style | null {
  const fix = FIXES.find((known) => known === name);
  if (!style || !fix || !isOfStyle(fix)) return style;
  return applyFix({ style, hasLogo: logo !== null, useWhiteBackground }, fix).style;
}

/** What the live preview draws regardless of the form. */
function fixedOf(code: Code) {
  return {
    id: code.id,
    payload: payloadFor(code, 'tracked'),
    useWhiteBackground: code.useWhiteBackground,
    logoHref: code.logo ? logoHref(code) : undefined,
    preset: code.logo?.kind === 'preset' ? code.logo.name : undefined,
  };
}

/** Previews a code in the posted look, or saves that look, which must have a grade. */
export async function handleCodeLook(scope: UserScope, id: string | undefined) {
  const posted = await readForm(scope, FIELDS);
  const [{ code }, offered] = await Promise.all([getCode(scope, id), offeredStyles(scope)]);
  const checked = checkForm(scope, resolveLook(posted, offered), LookForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const style = lookOf(checked.value);
  if (checked.value.intent === 'preview') {
    const picture = await previewCode(scope, { ...code, style });
    return data({ lastResult: checked.kept, picture });
  }
  const refusal = await findLookRefusal(scope, { ...code, style });
  if (refusal?.picture) {
    const lastResult = checked.reject({ fieldErrors: { moduleShape: [refusal.reason] } });
    return data({ lastResult, picture: refusal.picture }, { status: refusal.status });
  }
  if (refusal) return invalid(checked.reject({ formErrors: [refusal.reason] }), refusal.status);
  return withFormErrors(checked.reject, FIELDS, async () => {
    await callHost(scope, updateCode, { params: { id: code.id }, body: { style } });
    return redirectWithFlash(`/user/qrcodes/${code.id}`, { type: 'success', key: 'code_look_changed' });
  });
}

/** Why `code.style` cannot be saved, with its picture if it gets no grade; null if it can. */
export async function findLookRefusal(scope: UserScope, code: Code) {
  if (!code.style) return null;
  const { made: picture, notDrawn } = await orNotDrawn(gradeCode(scope, code));
  if (notDrawn) return { reason: notDrawn.code, status: notDrawn.status };
  // Without its logo, the code would get a different grade.
  if (picture.drawn.logoFailed) return { reason: 'unavailable' as const, status: 503 };
  if (picture.examination.scan.grade !== null) return null;
  return { reason: 'look_unreadable' as const, status: 422, picture };
}
