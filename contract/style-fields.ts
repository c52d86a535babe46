/** Form fields of a look, in a file of their own because the home page initially loads no more than these. */
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

/** As typed; unticked boxes and fields that were not posted are absent. */
export type StyleFields = Partial<Record<StyleField, string>>;
