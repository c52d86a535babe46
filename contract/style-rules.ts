import { isLonger, isStorable } from './storable';
import type { StyleFields } from './style-fields';

/**
 * Every letter and sign that captions can be drawn with: those of the caption font (Arimo) that are Latin, Greek,
 * Cyrillic, Hebrew or of no script. Listed, because neither the host nor browsers have the font; a test compares the
 * list with the font.
 */
const RANGES = String.raw`
  \u0020-\u007e\u00a0-\u00ac\u00ae-\u02e9\u02ec-\u033f\u0342\u0345-\u034e\u0350-\u0373
  \u0375-\u0377\u037a-\u037d\u037f\u0384-\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03e1
  \u03f0-\u052f\u0591-\u05c7\u05d0-\u05ea\u05f0-\u05f4\u1ab0-\u1abe\u1c80-\u1c88\u1d00-\u1df5
  \u1dfb-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f70
  \u1f72\u1f74\u1f76\u1f78\u1f7a\u1f7c\u1f80-\u1fb4\u1fb6-\u1fba\u1fbc\u1fbd\u1fbf-\u1fc4
  \u1fc6-\u1fc8\u1fca\u1fcc-\u1fd2\u1fd6-\u1fda\u1fdd-\u1fe2\u1fe4-\u1fea\u1fec\u1fed\u1ff2-\u1ff4
  \u1ff6-\u1ff8\u1ffa\u1ffc\u1ffe\u2002-\u200a\u2010-\u2027\u202f-\u205f\u2070\u2071\u2074-\u208e
  \u2090-\u209c\u20a0-\u20be\u20f0\u2100-\u2125\u2127-\u2129\u212c-\u214f\u2153\u2154\u215b-\u215e
  \u2184\u2190-\u2195\u21a8\u2202\u2206\u220f\u2211\u2212\u2215\u2219\u221a\u221e\u221f\u2229
  \u222b\u2248\u2260\u2261\u2264\u2265\u2302\u2310\u2320\u2321\u2500\u2502\u250c\u2510\u2514\u2518
  \u251c\u2524\u252c\u2534\u253c\u2550-\u256c\u2580\u2584\u2588\u258c\u2590-\u2593\u25a0\u25a1
  \u25aa-\u25ac\u25b2\u25ba\u25bc\u25c4\u25ca-\u25cc\u25cf\u25d8\u25d9\u25e6\u263a-\u263c\u2640
  \u2642\u2660\u2663\u2665\u2666\u266a\u266b\u266f\u2c60-\u2c7f\u2de0-\u2e42\ua640-\ua69f
  \ua717-\ua7ae\ua7b0-\ua7b7\ua7f7-\ua7ff\uab30-\uab65\ufb01-\ufb04\ufb1e\ufb20-\ufb29\ufb4f
  \ufe20-\ufe2f
`.replace(/\s/g, '');

/** A caption, normalised to NFC, of nothing but letters that can be drawn. */
export const CAPTION_LETTERS = new RegExp(`^[${RANGES}]*$`, 'u');

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
export const ENTERED_STYLE_LIMIT = 200;
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
export function readColour(entered: string): string | null {
  const digits = /^\s*#?([0-9a-f]{3}|[0-9a-f]{6})\s*$/i.exec(entered)?.[1]?.toLowerCase();
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
export function tidyCaption(entered: string): string {
  const caption = entered.replace(/\s+/g, ' ').trim();
  return caption.length > ENTERED_STYLE_LIMIT ? caption : caption.normalize('NFC');
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

/** Letters with more marks than any writing stacks, which would run out of the caption's band. */
const STACKED_MARKS = /[^\P{M}\u0591-\u05c7]{3}|[\u0591-\u05c7]{4}/u;

/** Whether a caption can be drawn: the caption font has its letters, and they run in one direction. */
export function isDrawable(caption: string): boolean {
  return CAPTION_LETTERS.test(caption) && !STACKED_MARKS.test(caption) && hasOneDirection(caption);
}

export function checkCaption(caption: string): StyleProblem | null {
  if (caption === '') return 'caption_required';
  if (isLonger(caption, CAPTION_LIMIT)) return 'caption_too_long';
  if (EMOJI.test(caption)) return 'caption_letters';
  if (!isStorable(caption) || INVISIBLE.test(caption)) return 'caption_invalid';
  return isDrawable(caption) ? null : 'caption_letters';
}
