import { STYLE_FIELDS } from '#contract/style-fields';

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
