import { data, redirect } from '@remix-run/node';
import { z } from 'zod';
import { type Code, listCodes } from '#contract/codes';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { updateStyle } from '#contract/styles';
import { nameOf } from '~/codes/code/codes.server';
import { SCAN_LINK_EXAMPLE } from '~/codes/contents/own-codes.server';
import { reportProblems } from '~/codes/create/field-checks.server';
import { payloadFor } from '~/codes/files/downloads.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, errorsOf, invalid, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { orNotFound } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { type CodeDesign, inLook, previewDesign } from './code-look.server';
import { logoChoiceOfCode, logoValuesOf } from './logo-choice.server';
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
import { problemOfLook } from './offered-looks.server';
import { areLooksLocked, findStyle, StyleName } from './saved-styles.server';

const FIELDS = [...LOOK_FIELDS, ...LOGO_FIELDS, 'name', 'shownOn', 'codeId', 'intent', 'fix'];
const LIMITS = { maxParts: 60, maxFiles: 1 };
/** How many of the newest codes a look can be shown on. */
const CODES_SHOWN = 50;
const PLAIN: CodeDesign = { style: null, logo: null, useWhiteBackground: false };

const EditForm = z
  .object({
    ...LOOK_SHAPE,
    ...LOGO_SHAPE,
    name: StyleName,
    shownOn: z.uuid().optional().catch(undefined),
    intent: z.enum(['use', 'preview']).catch('use'),
  })
  .superRefine(reportProblems(checkLook));

/** Data of the page on which a saved look is changed, shown on the account's newest code; 404 page for any other id. */
export async function findSavedLook(scope: UserScope, id: string | undefined) {
  const [style, saved, logos, isLocked, codes] = await Promise.all([
    requireStyle(scope, id),
    savedLooks(scope),
    offeredLogos(scope),
    areLooksLocked(scope),
    newestCodes(scope),
  ]);
  const [shown] = codes;
  return {
    id: style.id,
    name: style.name,
    saved,
    logos,
    isLocked,
    values: {
      ...textsOfStyle(style.style),
      ...logoValuesOf(style.logo),
      name: style.name,
      ...(shown && { shownOn: shown.id }),
    },
    codes: codes.map((code) => ({ value: code.id, label: nameOf(code) })),
    tags: [...new Set(codes.flatMap((code) => code.tags))],
    fixed: {
      payload: payloadOf(shown),
      codes: Object.fromEntries(codes.map((code) => [code.id, fixedOf(code)])),
    },
    picture: await previewDesign(scope, payloadOf(shown), inLook(shown ?? PLAIN, style)),
  };
}

function fixedOf(code: Code) {
  const { logoPreset } = logoValuesOf(logoChoiceOfCode(code));
  return { payload: payloadOf(code), logoPreset };
}

/** Previews or saves a changed look; a look must have a grade. */
export async function handleSavedLook(scope: UserScope, id: string | undefined) {
  const posted = await readForm(scope, FIELDS, LIMITS);
  const style = await requireStyle(scope, id);
  if (posted.get('intent') === 'show') {
    const codeId = z.uuid().safeParse(posted.get('codeId')).data;
    if (!codeId) throw data(null, { status: 404 });
    return redirect(`/user/qrcodes/${codeId}/look?look=${style.id}`, 303);
  }
  const { form, refusal } = await storeChosenLogo(scope, resolveLook(posted, await offeredStyles(scope)));
  const checked = checkForm(scope, form, EditForm);
  if (!checked.ok) return invalid(checked.lastResult);
  if (refusal) return invalid(checked.reject(errorsOf(refusal, FIELDS)), refusal.status);
  const { name, shownOn, intent } = checked.value;
  const look = {
    style: lookOf(checked.value) ?? DEFAULT_STYLE,
    logo: logoChoiceOf(checked.value) ?? null,
  };
  if (intent === 'preview') {
    const codes = await newestCodes(scope);
    const shown = codes.find((code) => code.id === shownOn) ?? codes[0];
    const picture = await previewDesign(scope, payloadOf(shown), inLook(shown ?? PLAIN, look));
    return data({ lastResult: checked.kept, picture });
  }
  const problem = await problemOfLook(scope, look);
  if (problem) return invalid(checked.reject(problem.errors), problem.status);
  return withFormErrors(checked.reject, FIELDS, async () => {
    await orNotFound(callHost(scope, updateStyle, { params: { id: style.id }, body: { name, ...look } }));
    return redirectWithFlash('/user/styles', { type: 'success', key: 'style_saved', values: { name } });
  });
}

async function requireStyle(scope: UserScope, id: string | undefined) {
  const style = await findStyle(scope, id ?? '');
  if (!style) throw data(null, { status: 404 });
  return style;
}

async function newestCodes(scope: UserScope): Promise<Code[]> {
  const query = { show: 'in_use', page: 1, limit: CODES_SHOWN } as const;
  return (await callHost(scope, listCodes, { query })).data;
}

function payloadOf(code: Code | undefined): string {
  return code ? payloadFor(code, 'tracked') : SCAN_LINK_EXAMPLE;
}
