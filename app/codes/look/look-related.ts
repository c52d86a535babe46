import { STYLE_FIELDS } from './style-fields';

/** By the name of a control of the look: the fields that it says something about besides its own. */
export const LOOK_RELATED: Record<string, readonly string[]> = {
  readyMade: STYLE_FIELDS,
  groundColour: ['moduleColour', 'cornerColour', 'gradientColour'],
  gradient: ['gradientColour', 'gradientAngle'],
  frame: ['caption', 'frameColour'],
  ...Object.fromEntries(
    STYLE_FIELDS.filter((field) => field.endsWith('Colour')).map((field) => [`${field}Picked`, [field]]),
  ),
};
