import { isStorable } from './storable';

// How a code looks, and what no look may do. Without a schema library: the page draws with it on every key press.

export const MODULE_SHAPES = ['square', 'rounded', 'dots', 'bars-vertical', 'bars-horizontal'] as const;
export type ModuleShape = (typeof MODULE_SHAPES)[number];
export const CORNER_SHAPES = ['square', 'rounded', 'circle', 'leaf'] as const;
export type CornerShape = (typeof CORNER_SHAPES)[number];
export const FRAMES = ['none', 'caption-below', 'caption-above', 'badge', 'ticket'] as const;
export type Frame = (typeof FRAMES)[number];

export const STYLE_VERSION = 1;
/** In characters (code points), as typed. */
export const CAPTION_LIMIT = 30;
/** Characters that each field of a form may hold of a look: more than any is allowed, so that what is typed can be kept. */
export const TYPED_STYLE_LIMIT = 200;
/** Least WCAG contrast of everything dark in a code to its ground: below it the first decoders give up. */
export const LEAST_CONTRAST = 3;

/** The look of a code. Colours are `#` and six lower-case hexadecimal digits. */
export interface Style {
  version: typeof STYLE_VERSION;
  moduleShape: ModuleShape;
  /** Of the ring of each of the three corners, and of the square inside it. */
  ringShape: CornerShape;
  centreShape: CornerShape;
  moduleColour: string;
  cornerColour: string;
  groundColour: string;
  /** SVG and PNG files leave the ground out; everything else still paints `groundColour`. */
  transparentGround: boolean;
  /** The modules change to it from `moduleColour`; null for one colour. The corners keep theirs. */
  gradientColour: string | null;
  /** Whole degrees, 0 to 359: 0 runs from left to right, 90 from top to bottom. */
  gradientAngle: number;
  frame: Frame;
  /** Empty where there is no frame. */
  caption: string;
  frameColour: string;
}

export const INK = '#14203c';
export const PAPER = '#ffffff';

export const DEFAULT_STYLE: Style = {
  version: STYLE_VERSION,
  moduleShape: 'square',
  ringShape: 'square',
  centreShape: 'square',
  moduleColour: INK,
  cornerColour: INK,
  groundColour: PAPER,
  transparentGround: false,
  gradientColour: null,
  gradientAngle: 0,
  frame: 'none',
  caption: '',
  frameColour: INK,
};

export function isDefaultStyle(style: Style): boolean {
  return (Object.keys(DEFAULT_STYLE) as (keyof Style)[]).every(
    (field) => style[field] === DEFAULT_STYLE[field],
  );
}

/** What the fields of a form hold of a look, as typed; a box that is not ticked is absent, and so is what was not posted. */
export type StyleFields = Partial<Record<Exclude<keyof Style, 'version'> | 'gradient', string>>;

/** Fields of a look for `StyleInput` to read, without what would not be seen, such as the colour of no frame. */
export function styleOfFields(fields: StyleFields): Record<string, unknown> {
  const { gradient, gradientColour, gradientAngle = '0', transparentGround, frameColour, ...others } = fields;
  const angle = /^\s*\d+\s*$/.test(gradientAngle) ? Number(gradientAngle) : Number.NaN;
  return {
    ...others,
    transparentGround: Boolean(transparentGround),
    ...(gradient && { gradientColour, gradientAngle: angle }),
    ...(fields.frame !== 'none' && { frameColour }),
  };
}

/** A typed colour as it is kept, `#abc` and `ABCDEF` too; null for anything else. */
export function readColour(typed: string): string | null {
  const digits = /^\s*#?([0-9a-f]{3}|[0-9a-f]{6})\s*$/i.exec(typed)?.[1]?.toLowerCase();
  if (digits === undefined) return null;
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`;
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
export function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

export type StyleProblem =
  | 'colour_inverted'
  | 'colour_contrast'
  | 'caption_required'
  | 'caption_too_long'
  | 'caption_invalid'
  | 'caption_letters';

/** What no decoder needs to look at to refuse a style: the problem by the field it is told at; empty for none. */
export function checkStyle(style: Style): Partial<Record<keyof Style, StyleProblem>> {
  const problems: Partial<Record<keyof Style, StyleProblem>> = {};
  for (const field of ['moduleColour', 'cornerColour', 'gradientColour'] as const) {
    const dark = style[field];
    if (dark === null) continue;
    const ground = style.groundColour;
    if (contrast(dark, ground) >= LEAST_CONTRAST) {
      if (luminance(dark) > luminance(ground)) problems[field] = 'colour_inverted';
    } else problems[field] = 'colour_contrast';
  }
  if (style.frame !== 'none') {
    const problem = checkCaption(style.caption);
    if (problem) problems.caption = problem;
  }
  return problems;
}

/** A typed caption as it is kept. */
export function tidyCaption(typed: string): string {
  return typed.replace(/\s+/g, ' ').trim().normalize('NFC');
}

/** Scripts in which captions are set. */
const CAPTION_LETTERS =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Common}\p{Script=Inherited}]*$/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u;

/** Whether the font of captions has every letter of these scripts is known to whoever draws them. */
export function checkCaption(caption: string): StyleProblem | null {
  if (caption === '') return 'caption_required';
  if (Array.from(caption).length > CAPTION_LIMIT) return 'caption_too_long';
  // Controls and format characters, among them those that turn the reading direction, draw nothing.
  if (!isStorable(caption) || /[\p{Cc}\p{Cf}]/u.test(caption)) return 'caption_invalid';
  return CAPTION_LETTERS.test(caption) && !EMOJI.test(caption) ? null : 'caption_letters';
}
