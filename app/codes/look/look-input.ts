import type { StyleField, StyleFields } from '#contract/style-fields';
import {
  CORNER_SHAPES,
  DEFAULT_STYLE,
  FRAMES,
  MODULE_SHAPES,
  readColour,
  type Style,
  tidyCaption,
} from '#contract/style-rules';

/** Fields with a colour picker beside the text, in the order of `pickedBefore`. */
export const COLOUR_FIELDS = [
  'moduleColour',
  'cornerColour',
  'groundColour',
  'gradientColour',
  'frameColour',
] as const satisfies StyleField[];

export type ColourField = (typeof COLOUR_FIELDS)[number];

/** The name of a look that matches no ready-made or saved one. */
export const OWN = 'own';

/** Initial values of the second colour. */
const SECOND_COLOUR = { gradientColour: '#a4210d', gradientAngle: '45' };

export type StyleTexts = Record<StyleField, string>;

/** A look as form field values; unticked boxes are empty. */
export function textsOfStyle(style: Style): StyleTexts {
  const { gradientColour, gradientAngle, transparentGround, version: _version, ...texts } = style;
  return {
    ...texts,
    transparentGround: transparentGround ? 'on' : '',
    ...(gradientColour === null
      ? { gradient: '', ...SECOND_COLOUR }
      : { gradient: 'on', gradientColour, gradientAngle: String(gradientAngle) }),
  };
}

/** The look to draw while it is still being typed: values that cannot be read yet fall back to the default. */
export function drawnStyleOf(texts: StyleFields): Style {
  const colour = (field: ColourField, fallback: string) => readColour(texts[field] ?? '') ?? fallback;
  const frame = oneOf(FRAMES, texts.frame) ?? 'none';
  const isFramed = frame !== 'none';
  const angle = Number(texts.gradientAngle);
  return {
    version: DEFAULT_STYLE.version,
    moduleShape: oneOf(MODULE_SHAPES, texts.moduleShape) ?? DEFAULT_STYLE.moduleShape,
    ringShape: oneOf(CORNER_SHAPES, texts.ringShape) ?? DEFAULT_STYLE.ringShape,
    centreShape: oneOf(CORNER_SHAPES, texts.centreShape) ?? DEFAULT_STYLE.centreShape,
    moduleColour: colour('moduleColour', DEFAULT_STYLE.moduleColour),
    cornerColour: colour('cornerColour', DEFAULT_STYLE.cornerColour),
    groundColour: colour('groundColour', DEFAULT_STYLE.groundColour),
    transparentGround: Boolean(texts.transparentGround),
    gradientColour: texts.gradient ? readColour(texts.gradientColour ?? '') : null,
    gradientAngle: texts.gradient && Number.isInteger(angle) ? ((angle % 360) + 360) % 360 : 0,
    frame,
    caption: isFramed ? tidyCaption(texts.caption ?? '') : '',
    frameColour: isFramed ? colour('frameColour', DEFAULT_STYLE.frameColour) : DEFAULT_STYLE.frameColour,
  };
}

/** Name of the look among those offered; captions may differ. */
export function nameOfStyle(style: Style, offered: readonly OfferedStyle[]): string {
  const same = offered.find((one) => {
    // Normalised to drop what is not visible, such as the frame colour without a frame.
    const other = drawnStyleOf(textsOfStyle(one.style));
    return (Object.keys(style) as (keyof Style)[]).every(
      (field) => field === 'caption' || style[field] === other[field],
    );
  });
  return same?.name ?? OWN;
}

/** The value of the colour picker for a typed colour: it accepts only valid colours. */
export function pickable(entered: string | undefined): string {
  return readColour(entered ?? '') ?? '#000000';
}

export interface OfferedStyle {
  /** The posted value: the name of a ready-made look, or the id of a saved one. */
  name: string;
  style: Style;
  /** Form field values of the logo it brings along; absent if it leaves the logo as it is. */
  logo?: { logoPreset: string; useWhiteBackground: string };
}

function oneOf<T extends string>(known: readonly T[], entered: string | undefined): T | undefined {
  return known.find((value) => value === entered);
}

/** A saved look, named by its id. */
export interface SavedLook extends OfferedStyle {
  /** The name its owner gave it. */
  title: string;
  /** URL of its picture. */
  picture: string;
}
