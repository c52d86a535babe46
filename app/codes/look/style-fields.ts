/**
 * Names of the look controls, in a file of their own because the home page initially loads no more than
 * these.
 */
export const STYLE_FIELDS = [
  'moduleShape',
  'ringShape',
  'centreShape',
  'moduleColour',
  'cornerColour',
  'groundColour',
  'transparentGround',
  'gradient',
  'gradientColour',
  'gradientAngle',
  'frame',
  'caption',
  'frameColour',
] as const;

export type StyleField = (typeof STYLE_FIELDS)[number];

/** Name that a form posts for the default look. */
export const DEFAULT_LOOK = 'ink';
