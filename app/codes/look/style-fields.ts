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

/** For each control of the look, the other fields that it affects. */
export const LOOK_RELATED: Record<string, readonly string[]> = {
  readyMade: STYLE_FIELDS,
  groundColour: ['moduleColour', 'cornerColour', 'gradientColour', 'frameColour'],
  gradient: ['gradientColour', 'gradientAngle'],
  frame: ['caption', 'frameColour'],
  ...Object.fromEntries(
    STYLE_FIELDS.filter((field) => field.endsWith('Colour')).map((field) => [`${field}Picked`, [field]]),
  ),
};
