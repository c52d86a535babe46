import { z } from 'zod';
import type { DraftFields } from '#contract/drafts';
import { STYLE_FIELDS, type StyleField, type StyleFields } from '#contract/style-fields';
import {
  checkStyle,
  DEFAULT_STYLE,
  ENTERED_STYLE_LIMIT,
  isDefaultStyle,
  type Style,
  styleOfFields,
} from '#contract/style-rules';
import { StyleInput } from '#contract/styles';
import { withFields } from '~/http/form.server';
import { isSignedIn, type Scope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { logoValuesOf } from './logo-choice.server';
import {
  COLOUR_FIELDS,
  drawnStyleOf,
  nameOfStyle,
  type OfferedStyle,
  type SavedLook,
  textsOfStyle,
} from './look-input';
import { readyMadeStyles } from './ready-made-styles';
import { findStyles } from './saved-styles.server';
import { applyFix, FIXES, type Fix } from './style-fixes';
import { styleAddress } from './style-picture.server';

/** All form fields of the look. */
export const LOOK_FIELDS: string[] = [
  'readyMade',
  'readyMadeBefore',
  'pickedBefore',
  ...STYLE_FIELDS,
  ...COLOUR_FIELDS.map((field) => `${field}Picked`),
];

const text = z.string().max(ENTERED_STYLE_LIMIT, 'style_invalid').optional();

/** The individual controls as typed; `checkLook` validates them. */
export const LOOK_SHAPE = Object.fromEntries(
  ['readyMade', ...STYLE_FIELDS].map((field) => [field, text]),
) as Record<StyleField | 'readyMade', typeof text>;

/** All errors of a look, by field; none when the form had no look. */
export function checkLook(fields: StyleFields): { field: string; code: string }[] {
  if (!hasLook(fields)) return [];
  const { error } = StyleInput.safeParse(styleOfFields(withColours(fields)));
  const problems = new Map(
    (error?.issues ?? []).map(({ path, message }) => [String(path[0] ?? ''), message]),
  );
  // When a field is invalid, the schema skips the checks across fields.
  const drawn = drawnStyleOf(fields);
  const isGroundRead = !problems.has('groundColour');
  for (const [field, problem] of Object.entries(checkStyle(drawn))) {
    if ((field === 'caption' || isGroundRead) && !problems.has(field)) problems.set(field, problem);
  }
  return Array.from(problems, ([field, code]) => ({ field, code }));
}

/** The look of a valid form; null for the default one. */
export function lookOf(fields: StyleFields): Style | null {
  const style = hasLook(fields) ? StyleInput.parse(styleOfFields(withColours(fields))) : null;
  return style && !isDefaultStyle(style) ? style : null;
}

/** The look to draw for a form whose look may have been rejected. */
export function drawnLookOf(fields: StyleFields): Style | null {
  const style = hasLook(fields) ? drawnStyleOf(fields) : null;
  return style && !isDefaultStyle(style) ? style : null;
}

/** The look of a form as typed, for a draft; undefined when the form had none. */
export function enteredLook(fields: StyleFields & { readyMade?: string | undefined }): DraftFields['style'] {
  if (!hasLook(fields)) return undefined;
  const { readyMade } = fields;
  return { readyMade, ...Object.fromEntries(STYLE_FIELDS.map((field) => [field, fields[field]])) };
}

/** A colour left empty is an error, not the default colour. */
function withColours(fields: StyleFields): StyleFields {
  return { ...fields, ...Object.fromEntries(COLOUR_FIELDS.map((field) => [field, fields[field] ?? ''])) };
}

function hasLook(fields: StyleFields): boolean {
  return fields.moduleShape !== undefined;
}

/** Every look that can be chosen by name: ready-made ones and saved ones. */
export async function offeredStyles(scope: Scope): Promise<OfferedStyle[]> {
  return [...(await readyMadeLooks(scope)), ...(await savedLooks(scope))];
}

/** The ready-made looks, with texts in the language of the page. */
export async function readyMadeLooks(scope: Scope) {
  const t = i18nOf(scope.locale).getFixedT(null, 'look');
  return readyMadeStyles((name) => t(`captions.${name}`)).map((look) => {
    return { ...look, title: t(`readyMade.${look.name}`) };
  });
}

/** The signed-in user's saved looks; none when they cannot be loaded, as a code can do without them. */
export async function savedLooks(scope: Scope): Promise<(SavedLook & { isDefault: boolean })[]> {
  const styles = isSignedIn(scope) ? await findStyles(scope).catch(() => []) : [];
  return styles.map(({ id, name, style, logo, isDefault }) => {
    const look = { name: id, title: name, style, picture: styleAddress(style), isDefault };
    return logo ? { ...look, logo: logoValuesOf(logo) } : look;
  });
}

/**
 * The posted form with its look resolved into the individual controls. A fix chosen by its button is applied to it, and
 * the form is then shown again with its preview.
 */
export function resolveLook(form: FormData, offered: OfferedStyle[]): FormData {
  const named = nameLook(form, offered);
  const fix = FIXES.find((name) => name === form.get('fix'));
  return fix ? nameLook(withFix(named, fix), offered) : withFields(named, {}, ['fix']);
}

function withFix(form: FormData, fix: Fix): FormData {
  const { style, hasLogo, useWhiteBackground } = applyFix(
    { style: styleOf(form), hasLogo: true, useWhiteBackground: form.has('useWhiteBackground') },
    fix,
  );
  const values = {
    ...textsOfStyle(style),
    ...(useWhiteBackground && { useWhiteBackground: 'on' }),
    ...(!hasLogo && { logoPreset: 'none', removeLogo: 'on' }),
    intent: 'preview',
  };
  return withFields(form, values, hasLogo ? ['fix'] : ['fix', 'logo']);
}

/**
 * A look chosen by name since the page was rendered replaces all controls, with the logo it brings along unless a file is
 * posted, and a colour picked since then replaces its text. Afterwards the form names the resulting look.
 */
function nameLook(form: FormData, offered: OfferedStyle[]): FormData {
  const text = (name: string) => String(form.get(name) ?? '');
  if (!form.has('moduleShape') && !form.has('readyMade')) return form;
  const missing = Object.entries(textsOfStyle(DEFAULT_STYLE)).filter(
    ([field, value]) => value !== '' && !form.has(field),
  );
  const chosen = offered.find(({ name }) => name === text('readyMade'));
  const isNew = chosen && text('readyMade') !== text('readyMadeBefore');
  const file = form.get('logo');
  const logo = isNew && !(file instanceof File && file.name !== '') ? chosen.logo : undefined;
  const values = {
    ...Object.fromEntries(missing),
    ...(isNew ? textsOfStyle(chosen.style) : pickedColours(text)),
    ...(logo && { logoPreset: logo.logoPreset }),
    ...(logo?.useWhiteBackground && { useWhiteBackground: 'on' }),
  };
  const resolved = withFields(form, values, [
    'pickedBefore',
    ...(logo ? ['useWhiteBackground'] : []),
    ...COLOUR_FIELDS.map((field) => `${field}Picked`),
  ]);
  const name = nameOfStyle(styleOf(resolved), offered);
  return withFields(resolved, { readyMade: name, readyMadeBefore: name });
}

/** The colours picked since the page was rendered. */
function pickedColours(text: (name: string) => string): Record<string, string> {
  const before = text('pickedBefore').split(' ');
  const picked = COLOUR_FIELDS.map((field) => [field, text(`${field}Picked`)] as const);
  return Object.fromEntries(
    picked.filter(([, colour], at) => colour !== '' && before.length > 1 && colour !== before[at]),
  );
}

function styleOf(form: FormData): Style {
  return drawnStyleOf(Object.fromEntries(form) as StyleFields);
}
