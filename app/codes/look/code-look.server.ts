import { data } from '@remix-run/node';
import { z } from 'zod';
import { type Code, updateCode } from '#contract/codes';
import { verbatim } from '#contract/contents/text';
import { DEFAULT_STYLE } from '#contract/style-rules';
import type { SavedStyle } from '#contract/styles';
import { getCode, nameOf } from '~/codes/code/codes.server';
import { reportProblems } from '~/codes/create/field-checks.server';
import { drawPreview, makePreview } from '~/codes/create/preview.server';
import { payloadFor } from '~/codes/files/downloads.server';
import { isDrawingRefusal, orNotDrawn, wasDrawingKilled } from '~/codes/pictures/drawing-pool.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';
import { logoChoiceOfCode, logoOfChoice, logoValuesOf } from './logo-choice.server';
import { LOGO_FIELDS, LOGO_SHAPE, logoChoiceOf, offeredLogos, storeChosenLogo } from './logo-input.server';
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
import { areLooksLocked, findStyle } from './saved-styles.server';
import { applyFix, FIXES } from './style-fixes';

const FIELDS = [...LOOK_FIELDS, ...LOGO_FIELDS, 'intent', 'fix'];
const LIMITS = { maxParts: 60, maxFiles: 1 };

const LookForm = z
  .object({ ...LOOK_SHAPE, ...LOGO_SHAPE, intent: z.enum(['use', 'preview']).catch('use') })
  .superRefine(reportProblems(checkLook));

/** A look and a logo for an existing code. */
export type CodeDesign = Pick<Code, 'style' | 'logo' | 'useWhiteBackground'>;

/**
 * Data of the page for a code's look and logo, with the saved look named in `?look=` or the fix named in `?fix=`; 404 page
 * for another account's code.
 */
export async function findCodeLook(scope: UserScope, id: string | undefined) {
  const { searchParams } = scope.url;
  const named = searchParams.get('look');
  const [{ code }, saved, logos, isLocked, chosen] = await Promise.all([
    getCode(scope, id),
    savedLooks(scope),
    offeredLogos(scope),
    areLooksLocked(scope),
    named === null ? undefined : findStyle(scope, named),
  ]);
  const design = chosen ? inLook(code, chosen) : fixed(code, searchParams.get('fix'));
  return {
    saved,
    logos,
    isLocked,
    id: code.id,
    name: nameOf(code),
    values: {
      ...(design.style && textsOfStyle(design.style)),
      ...logoValuesOf(logoChoiceOfCode(design)),
    },
    /** JSON of its look and its logo, to be saved by name; null for a plain code. */
    kept:
      code.style || code.logo
        ? {
            style: JSON.stringify(code.style ?? DEFAULT_STYLE),
            logo: code.logo && JSON.stringify(logoChoiceOfCode(code)),
          }
        : null,
    picture: await previewDesign(scope, payloadFor(code, 'tracked'), design),
    fixed: { payload: payloadFor(code, 'tracked') },
  };
}

/** A code in a saved look, with the logo that the look brings along. */
export function inLook(code: CodeDesign, { style, logo }: Pick<SavedStyle, 'style' | 'logo'>): CodeDesign {
  const { useWhiteBackground } = code;
  return { ...(logo ? logoOfChoice(logo) : { logo: code.logo, useWhiteBackground }), style };
}

/** Nothing is saved until the form is posted. */
function fixed({ style, logo, useWhiteBackground }: Code, name: string | null): CodeDesign {
  const fix = FIXES.find((known) => known === name);
  if (!fix) return { style, logo, useWhiteBackground };
  const looks = { style: style ?? DEFAULT_STYLE, hasLogo: logo !== null, useWhiteBackground };
  const { hasLogo, ...better } = applyFix(looks, fix);
  return { ...better, logo: hasLogo ? logo : null };
}

/** Previews a code in the posted look and logo, or saves them; a look must have a grade. */
export async function handleCodeLook(scope: UserScope, id: string | undefined) {
  const posted = await readForm(scope, FIELDS, LIMITS);
  const [{ code }, offered] = await Promise.all([getCode(scope, id), offeredStyles(scope)]);
  const { form, refusal: refusedLogo } = await storeChosenLogo(scope, resolveLook(posted, offered));
  const checked = checkForm(scope, form, LookForm);
  if (!checked.ok) return invalid(checked.lastResult);
  if (refusedLogo) return invalid(checked.reject(errorsOf(refusedLogo, FIELDS)), refusedLogo.status);
  const style = lookOf(checked.value);
  const logo = logoChoiceOf(checked.value);
  const design = { ...(logo ? logoOfChoice(logo) : code), style };
  if (checked.value.intent === 'preview') {
    return data({
      lastResult: checked.kept,
      picture: await previewDesign(scope, payloadFor(code, 'tracked'), design),
    });
  }
  const refusal = await findLookRefusal(scope, { ...code, ...design });
  if (refusal?.picture) {
    const lastResult = checked.reject({ fieldErrors: { moduleShape: [refusal.reason] } });
    return data({ lastResult, picture: refusal.picture }, { status: refusal.status });
  }
  if (refusal) return invalid(checked.reject({ formErrors: [refusal.reason] }), refusal.status);
  return withFormErrors(checked.reject, FIELDS, async () => {
    await callHost(scope, updateCode, { params: { id: code.id }, body: { style, logo } });
    return redirectWithFlash(`/user/qrcodes/${code.id}`, { type: 'success', key: 'code_look_changed' });
  });
}

/** The picture of a payload in a design, with the decoders' results unless the pool is too busy. */
export async function previewDesign(scope: UserScope, payload: string, design: CodeDesign) {
  const [shown, choice] = shownOf(payload, design);
  const made = await makePreview(scope, shown, choice).catch((thrown: unknown) => {
    if (isDrawingRefusal(thrown) || wasDrawingKilled(thrown)) return null;
    throw thrown;
  });
  if (made) return made;
  const drawn = await drawPreview(scope, shown, choice);
  if (!drawn) throw new Error('an existing code does not fit into a symbol');
  return { drawn, examination: undefined };
}

/** Why the look of a code cannot be saved, with its picture if it gets no grade; null if it can. */
export async function findLookRefusal(scope: UserScope, code: Code) {
  if (!code.style) return null;
  const { made: picture, notDrawn } = await orNotDrawn(
    makePreview(scope, ...shownOf(payloadFor(code, 'tracked'), code)),
  );
  if (notDrawn) return { reason: notDrawn.code, status: notDrawn.status };
  // Without its logo, the code would get a different grade.
  if (!picture || picture.drawn.logoFailed) return { reason: 'unavailable' as const, status: 503 };
  if (picture.examination.scan.grade !== null) return null;
  return { reason: 'look_unreadable' as const, status: 422, picture };
}

/** The payload of an existing code in a design as input for a preview. */
function shownOf(payload: string, { useWhiteBackground, style, logo }: CodeDesign) {
  const preset = logo?.kind === 'upload' ? logo.id : logo?.name;
  return [{ ...verbatim(payload), useWhiteBackground, style, isPrinted: true }, { preset }] as const;
}
