/** Names of the controls of a look, apart from the rest: the home page knows no more of it at first. */
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

/** What a form without a look of its own says it looks like. */
export const DEFAULT_LOOK = 'ink';
