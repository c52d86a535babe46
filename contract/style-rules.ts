import { CAPTION_LETTERS } from './caption-letters';
import { isLonger, isStorable } from './storable';

// The look of a code, and its limits. Without a schema library: browsers load this and draw on every key press.

export const MODULE_SHAPES = ['square', 'rounded', 'dots', 'bars-vertical', 'bars-horizontal'] as const;
export type ModuleShape = (typeof MODULE_SHAPES)[number];
export const CORNER_SHAPES = ['square', 'rounded', 'circle', 'leaf'] as const;
export type CornerShape = (typeof CORNER_SHAPES)[number];
export const FRAMES = ['none', 'caption-below', 'caption-above', 'badge', 'ticket'] as const;
export type Frame = (typeof FRAMES)[number];

export const STYLE_VERSION = 1;
/** In characters (code points), as typed. */
export const CAPTION_LIMIT = 30;
/** Most characters read from each form field of a look: more than is valid, so that what was typed can be kept. */
export const TYPED_STYLE_LIMIT = 200;
/** Least WCAG contrast between everything dark in a code and its background: below it the first decoders fail. */
export const LEAST_CONTRAST = 3;
/** Least WCAG contrast between a frame and the background: below it the frame can hardly be seen. */
export const LEAST_FRAME_CONTRAST = 1.2;

/** The look of a code. Colours are `#` and six lower-case hexadecimal digits. */
export interface Style {
  version: typeof STYLE_VERSION;
  moduleShape: ModuleShape;
  /** Shape of the ring in each of the three corners; `centreShape` is that of the square inside it. */
  ringShape: CornerShape;
  centreShape: CornerShape;
  moduleColour: string;
  cornerColour: string;
  groundColour: string;
  /** SVG and PNG files leave the background out; everything else still paints `groundColour`. */
  transparentGround: boolean;
  /** End of a gradient over the modules that starts with `moduleColour`; null for none. The corners keep their colour. */
  gradientColour: string | null;
  /** Whole degrees, 0 to 359: 0 runs from left to right, 90 from top to bottom. */
  gradientAngle: number;
  frame: Frame;
  /** Empty if there is no frame. */
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

/** Form fields of a look, as typed; unticked boxes and fields that were not posted are absent. */
export type StyleFields = Partial<Record<Exclude<keyof Style, 'version'> | 'gradient', string>>;

/**
 * Form fields of a look as `StyleInput` reads them, without those that have no effect, such as a frame colour
 * without a frame.
 */
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

/** A typed colour as stored, also from `#abc` and `ABCDEF`; null for anything else. */
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
  | 'caption_letters'
  | 'frame_invisible';

/** Problems of a new style, by field, that need no decoder to be found; a style stored earlier may have some. */
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
    if (!isFrameVisible(style)) problems.frameColour = 'frame_invisible';
  }
  return problems;
}

/** Its caption is always visible: it has the colour, ink or paper, that contrasts more with the frame. */
export function isFrameVisible({ frame, frameColour, groundColour }: Style): boolean {
  return frame === 'none' || contrast(frameColour, groundColour) >= LEAST_FRAME_CONTRAST;
}

/** A typed caption as stored; one that is far too long is not normalised. */
export function tidyCaption(typed: string): string {
  const caption = typed.replace(/\s+/g, ' ').trim();
  return caption.length > TYPED_STYLE_LIMIT ? caption : caption.normalize('NFC');
}

/** The last alternative is the key cap around a digit. */
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\u20e3/u;
/** Controls, format characters including those that change the reading direction, and others that draw nothing. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

export const HEBREW = /[\u0590-\u05ff]/;
/** Words whose letter order is unambiguous in right-to-left lines: Hebrew, a number or punctuation. */
const WORDS_BESIDE_HEBREW = [
  /^["'([]*[\u0591-\u05f4]+(?:["'-][\u0591-\u05f4]+)*[\])"'!?.,:;…]*$/,
  /^[₪€$£]?\d+(?:[.,:/]\d+)*[%₪€$£]?$/,
  /^[-–—·•|&+!?…]$/,
];

/** Whether a caption runs in one direction: no Hebrew, or no words of another direction beside it. */
function hasOneDirection(caption: string): boolean {
  if (!HEBREW.test(caption)) return true;
  return caption.split(' ').every((word) => WORDS_BESIDE_HEBREW.some((form) => form.test(word)));
}

/** Whether a caption can be drawn: the caption font has its letters, and they run in one direction. */
export function isDrawable(caption: string): boolean {
  return CAPTION_LETTERS.test(caption) && hasOneDirection(caption);
}

export function checkCaption(caption: string): StyleProblem | null {
  if (caption === '') return 'caption_required';
  if (isLonger(caption, CAPTION_LIMIT)) return 'caption_too_long';
  if (EMOJI.test(caption)) return 'caption_letters';
  if (!isStorable(caption) || INVISIBLE.test(caption)) return 'caption_invalid';
  return isDrawable(caption) ? null : 'caption_letters';
}
