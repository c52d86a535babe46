import {
  checkStyle,
  contrast,
  DEFAULT_STYLE,
  INK,
  isFrameVisible,
  luminance,
  PAPER,
  type Style,
} from '#contract/style-rules';

/** Changes to a look, one per button, that make it easier to read. */
export const FIXES = [
  'swap_colours',
  'darker',
  'one_colour',
  'square_corners',
  'squares',
  'white_behind_logo',
  'no_logo',
  'plain',
  'plain_no_logo',
  'visible_frame',
] as const;
export type Fix = (typeof FIXES)[number];

/** Everything about a look and a logo that affects how a code is read. */
export interface Looks {
  style: Style;
  hasLogo: boolean;
  useWhiteBackground: boolean;
}

/** A contrast that gives no decoder trouble. */
const AMPLE_CONTRAST = 7;
/** Backgrounds darker than this are lightened too: even black would not contrast enough. */
const LEAST_GROUND = 0.5;
const STEP = 0.05;

/** Fixes for colours that are refused before any decoder runs. */
export function colourFixes(style: Style): Fix[] {
  const problems = Object.values(checkStyle(style));
  if (problems.includes('colour_inverted')) return ['swap_colours'];
  return problems.includes('colour_contrast') ? ['darker'] : [];
}

/** Fixes for a frame that is refused because it can hardly be seen. */
export function frameFixes(style: Style): Fix[] {
  return isFrameVisible(style) ? [] : ['visible_frame'];
}

/** Fixes that would change anything, the most promising first and the most drastic last. */
export function fixesOf(looks: Looks, { shapesFirst = false } = {}): Fix[] {
  const known = FIXES.filter((fix) => looks.hasLogo || fix !== 'plain_no_logo');
  const colours = colourFixes(looks.style);
  if (colours.length > 0) return known.filter((fix) => colours.includes(fix) || fix.startsWith('plain'));
  const unchanged = applyFix(looks, 'visible_frame');
  const fixes = known.filter((fix) => fix !== 'swap_colours' && !isEqual(applyFix(looks, fix), unchanged));
  const isShape = (fix: Fix) => fix === 'square_corners' || fix === 'squares';
  return shapesFirst ? [...fixes.filter(isShape), ...fixes.filter((fix) => !isShape(fix))] : fixes;
}

/**
 * Any fix also makes the frame visible; after `swap_colours`, `darker` and `plain` no colour is refused by
 * `checkStyle`.
 */
export function applyFix(looks: Looks, fix: Fix): Looks {
  const fixed = changeLooks(looks, fix);
  return { ...fixed, style: showFrame(fixed.style) };
}

function changeLooks(looks: Looks, fix: Fix): Looks {
  const { style } = looks;
  switch (fix) {
    case 'swap_colours':
      return { ...looks, style: darken(swapColours(style)) };
    case 'darker':
      return { ...looks, style: darken(style) };
    case 'one_colour':
      return { ...looks, style: { ...style, gradientColour: null, gradientAngle: 0 } };
    case 'square_corners':
      return { ...looks, style: { ...style, ringShape: 'square', centreShape: 'square' } };
    case 'squares':
      if (style.moduleShape === 'square') return looks;
      return {
        ...looks,
        style: { ...style, moduleShape: 'square', ringShape: 'square', centreShape: 'square' },
      };
    case 'white_behind_logo':
      return { ...looks, useWhiteBackground: looks.useWhiteBackground || looks.hasLogo };
    case 'no_logo':
      return { ...looks, hasLogo: false };
    case 'plain':
      return { ...looks, style: plain(style) };
    case 'plain_no_logo':
      return { ...looks, hasLogo: false, style: plain(style) };
    case 'visible_frame':
      return looks;
  }
}

/** The frame is kept: it does no harm, and its caption took work to write. */
function plain({ frame, caption, frameColour }: Style): Style {
  return { ...DEFAULT_STYLE, frame, caption, frameColour };
}

/** A frame that can hardly be seen takes the colour of the modules. */
function showFrame(style: Style): Style {
  if (isFrameVisible(style)) return style;
  const shown = { ...style, frameColour: style.moduleColour };
  if (isFrameVisible(shown)) return shown;
  // Modules that cannot be seen are refused too.
  const hasLightGround = luminance(style.groundColour) > LEAST_GROUND;
  return { ...style, frameColour: hasLightGround ? INK : PAPER };
}

function isEqual(one: Looks, other: Looks): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Uses the darkest colour for all modules and the lightest as the background. */
function swapColours(style: Style): Style {
  const { groundColour, moduleColour, cornerColour, gradientColour } = style;
  const all = [
    groundColour,
    moduleColour,
    cornerColour,
    ...(gradientColour === null ? [] : [gradientColour]),
  ];
  const [darkest = INK] = [...all].sort((a, b) => luminance(a) - luminance(b));
  const ground = luminance(moduleColour) > luminance(groundColour) ? moduleColour : PAPER;
  return {
    ...style,
    groundColour: ground,
    moduleColour: darkest,
    cornerColour: darkest,
    gradientColour: null,
    gradientAngle: 0,
  };
}

function darken(style: Style): Style {
  const groundColour = mixUntil(style.groundColour, PAPER, (colour) => luminance(colour) >= LEAST_GROUND);
  const dark = (colour: string) =>
    mixUntil(colour, '#000000', (mixed) => {
      return contrast(mixed, groundColour) >= AMPLE_CONTRAST && luminance(mixed) < luminance(groundColour);
    });
  return {
    ...style,
    groundColour,
    moduleColour: dark(style.moduleColour),
    cornerColour: dark(style.cornerColour),
    gradientColour: style.gradientColour === null ? null : dark(style.gradientColour),
  };
}

/** Mixes in as little of another colour as is enough. */
function mixUntil(colour: string, other: string, isEnough: (colour: string) => boolean): string {
  for (let share = 0; share < 1; share += STEP) {
    const mixed = mix(colour, other, share);
    if (isEnough(mixed)) return mixed;
  }
  return other;
}

function mix(colour: string, other: string, share: number): string {
  const channels = [1, 3, 5].map((at) => {
    const [from, to] = [colour, other].map((one) => Number.parseInt(one.slice(at, at + 2), 16));
    return Math.round((from ?? 0) * (1 - share) + (to ?? 0) * share);
  });
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
