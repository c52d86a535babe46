import type { LogoChoice } from '#contract/logo-choice';
import { checkStyle, isDefaultStyle, type Style } from '#contract/style-rules';
import { SCAN_LINK_EXAMPLE } from '~/codes/contents/own-codes.server';
import { logoOrNull, namedLogo } from '~/codes/create/logo-bytes.server';
import { orNotDrawn } from '~/codes/pictures/drawing-pool.server';
import type { FormErrors } from '~/http/form.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { examineDesign } from './examination.server';
import { logoValuesOf } from './logo-choice.server';
import { readyMadeLooks } from './look.server';
import { findStyles } from './saved-styles.server';
import { styleAddress } from './style-picture.server';

/** Name of the ready-made look that codes have when none is chosen. */
export const PLAIN_LOOK = 'ink';

/**
 * The account's saved looks and the ready-made ones, or of these only the plain one, to choose from; `value` is what a
 * form posts.
 */
export async function offeredLooks(
  scope: UserScope,
  { isPlainOnly = false }: { isPlainOnly?: boolean } = {},
) {
  const [saved, allReadyMade] = await Promise.all([findStyles(scope), readyMadeLooks(scope)]);
  const readyMade = isPlainOnly ? allReadyMade.filter(({ name }) => name === PLAIN_LOOK) : allReadyMade;
  const defaultLook = saved.find(({ isDefault }) => isDefault);
  return {
    /** Whether any of them brings a logo along. */
    hasLogos: saved.some(({ logo }) => logo !== null),
    initial: defaultLook?.id ?? (isPlainOnly ? PLAIN_LOOK : null),
    looks: [
      ...saved.map(({ id, name, style }) => ({ value: id, name, style, isSaved: true })),
      ...readyMade.map(({ name, title, style }) => ({ value: name, name: title, style, isSaved: false })),
    ].map(({ style, ...look }) => ({ ...look, picture: styleAddress(style) })),
  };
}

/** What a chosen look gives to codes. */
interface ChosenLook {
  style: Style;
  /** Null if it leaves the logo of a code as it is. */
  logo: LogoChoice | null;
}

interface LookProblem {
  errors: FormErrors;
  status: number;
}

/** The look chosen in a form; undefined for a name that is not offered. */
export async function findLook(scope: UserScope, value: string): Promise<ChosenLook | undefined> {
  const readyMade = (await readyMadeLooks(scope)).find(({ name }) => name === value);
  if (readyMade) return { style: readyMade.style, logo: null };
  return value === '' ? undefined : (await findStyles(scope)).find(({ id }) => id === value);
}

/**
 * Why a look may not be applied in bulk: it breaks a rule, it gets no grade even on a scan link with the logo that comes
 * with it, so that hardly any code would have a file, or it could not be graded in time. Null if it may. What else a code
 * contains is graded on its own page.
 */
export async function problemOfLook(
  scope: Scope,
  { style, logo: choice }: ChosenLook,
): Promise<LookProblem | null> {
  if (isDefaultStyle(style)) return null;
  // A look saved earlier may break rules made since.
  const [problem] = Object.values(checkStyle(style));
  if (problem) return { errors: { fieldErrors: { readyMade: [problem] } }, status: 422 };
  const { logoPreset, useWhiteBackground } = logoValuesOf(choice);
  const isNamed = choice !== null && choice.kind !== 'none';
  const logo = isNamed ? await logoOrNull(namedLogo(scope, logoPreset)) : undefined;
  if (logo === null) return { errors: { fieldErrors: { logoPreset: ['logo_unknown'] } }, status: 422 };
  const design = { payload: SCAN_LINK_EXAMPLE, style, logo, useWhiteBackground: useWhiteBackground !== '' };
  const { made, notDrawn } = await orNotDrawn(examineDesign(scope, design));
  if (notDrawn) return { errors: { formErrors: [notDrawn.code] }, status: notDrawn.status };
  if (made.scan.grade) return null;
  return { errors: { fieldErrors: { readyMade: ['style_unreadable'] } }, status: 422 };
}
