import { z } from 'zod';
import { call, Done, dataOf, Id, IsoDateTime } from './call';
import { foldLabel, NAME_LIMIT, readName } from './labels';
import { LogoChoice, LogoInput, OwnLogo } from './logo-choice';
import {
  CAPTION_LIMIT,
  CORNER_SHAPES,
  checkStyle,
  DEFAULT_STYLE,
  FRAMES,
  LEAST_CONTRAST,
  LEAST_FRAME_CONTRAST,
  MODULE_SHAPES,
  readColour,
  STYLE_VERSION,
  type Style,
  tidyCaption,
} from './style-rules';

const colour = z
  .string('colour_invalid')
  .max(20, 'colour_invalid')
  .transform((entered, context) => {
    const colour = readColour(entered);
    if (colour !== null) return colour;
    context.addIssue({ code: 'custom', message: 'colour_invalid' });
    return z.NEVER;
  });

const hex = (initial: string | null) =>
  `\`#\` and six hexadecimal digits, stored in lower case (default ${initial})`;
const DARK = `Darker than groundColour, with a contrast of at least ${LEAST_CONTRAST} : 1 (WCAG).`;

/**
 * A style as stored; fields left out have their default. One that was accepted under earlier rules is still read, for
 * example with a caption that cannot be drawn.
 */
export const StoredStyle = z
  .object({
    version: z
      .literal(STYLE_VERSION, 'style_version')
      .default(STYLE_VERSION)
      .describe('Version of this format.'),
    moduleShape: z
      .enum(MODULE_SHAPES, 'style_invalid')
      .default(DEFAULT_STYLE.moduleShape)
      .describe('Shape of the modules; `rounded` and the bars join neighbouring modules.'),
    ringShape: z
      .enum(CORNER_SHAPES, 'style_invalid')
      .default(DEFAULT_STYLE.ringShape)
      .describe('Shape of the ring in each of the three corners.'),
    centreShape: z
      .enum(CORNER_SHAPES, 'style_invalid')
      .default(DEFAULT_STYLE.centreShape)
      .describe('Shape of the square inside each ring.'),
    moduleColour: colour
      .default(DEFAULT_STYLE.moduleColour)
      .describe(`Colour of the modules, ${hex(DEFAULT_STYLE.moduleColour)}. ${DARK}`),
    cornerColour: colour
      .default(DEFAULT_STYLE.cornerColour)
      .describe(`Colour of the corner rings and their centres, ${hex(DEFAULT_STYLE.cornerColour)}. ${DARK}`),
    groundColour: colour
      .default(DEFAULT_STYLE.groundColour)
      .describe(`Colour of the background, ${hex(DEFAULT_STYLE.groundColour)}.`),
    transparentGround: z
      .boolean('style_invalid')
      .default(false)
      .describe('Whether PNG and SVG files leave the background out; JPEG and PDF files always paint it.'),
    gradientColour: colour
      .nullable()
      .default(null)
      .describe(
        `End of a linear gradient over the modules that starts with moduleColour, ${hex(null)}; null for none. ${DARK}`,
      ),
    gradientAngle: z
      .int('angle_invalid')
      .min(0, 'angle_invalid')
      .max(359, 'angle_invalid')
      .default(0)
      .describe(
        'Direction of the gradient in whole degrees: 0 runs from left to right, 90 from top to bottom. 0 if there is no gradient.',
      ),
    frame: z
      .enum(FRAMES, 'style_invalid')
      .default('none')
      .describe('Frame around the code and its quiet zone.'),
    caption: z
      .string('caption_invalid')
      .max(200, 'caption_too_long')
      .transform(tidyCaption)
      .default('')
      .describe(
        `Text in the frame, required with one: at most ${CAPTION_LIMIT} characters, of Latin, Greek or Cyrillic letters and common signs, or of Hebrew alone; no emoji. Empty if there is no frame.`,
      ),
    frameColour: colour
      .default(DEFAULT_STYLE.frameColour)
      .describe(
        `Colour of the frame, ${hex(DEFAULT_STYLE.frameColour)}, with a contrast of at least ${LEAST_FRAME_CONTRAST} : 1 (WCAG) with groundColour. The caption is drawn on it in dark or white, whichever contrasts more.`,
      ),
  })
  .transform((style): Style => {
    return {
      ...style,
      caption: style.frame === 'none' ? '' : style.caption,
      gradientAngle: style.gradientColour === null ? 0 : style.gradientAngle,
    };
  });

/** A style as typed or posted. */
export const StyleInput = StoredStyle.superRefine((style, context) => {
  for (const [field, message] of Object.entries(checkStyle(style))) {
    context.addIssue({ code: 'custom', path: [field], message });
  }
});

const { properties: propertiesOfStyle } = z.toJSONSchema(StoredStyle, { io: 'input' });

/** The style of a code or a saved one, complete. */
export const StyleSchema = z
  .custom<Style>((value) => StoredStyle.safeParse(value).success)
  .meta({
    type: 'object',
    description: 'The look of a code.',
    properties: propertiesOfStyle,
    required: Object.keys(propertiesOfStyle ?? {}),
  });

export const STYLES_PER_ACCOUNT = 50;

/** Name of a saved style: at most 80 characters, as of a code. */
const styleName = z
  .string('name_required')
  .meta({ maxLength: NAME_LIMIT })
  .transform((entered, context) => {
    const read = readName(entered);
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if ('problem' in read) refuse(read.problem);
    else if (read.name === null) refuse('name_required');
    else if (foldLabel(read.name) === '') refuse('accents_only');
    else return read.name;
    return z.NEVER;
  });

export const SavedStyle = z.object({
  id: Id,
  name: z.string(),
  style: StyleSchema,
  /** The logo it brings along; null if it leaves the logo of a code as it is. */
  logo: LogoChoice.nullable(),
  /** New codes start with it; at most one style is the default. */
  isDefault: z.boolean(),
  createdAt: IsoDateTime,
});
export type SavedStyle = z.infer<typeof SavedStyle>;

export const listStyles = call({
  name: 'listStyles',
  method: 'GET',
  path: '/api/styles',
  summary: "The account's saved styles, alphabetically, and its own logos, newest first",
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/looks',
  response: dataOf(z.array(SavedStyle)).extend({
    logos: z.array(OwnLogo),
    /** Whether the account may save and change any. */
    isSubscribed: z.boolean(),
  }),
  errors: ['unauthenticated'],
});

export const saveStyle = call({
  name: 'saveStyle',
  method: 'POST',
  path: '/api/styles',
  summary:
    'Save a style under a name, replacing one with the same name (ignoring case and accents); at most 50',
  access: 'subscriber',
  key: 'change',
  wholeAccount: true,
  publicPath: '/api/v1/looks',
  body: z.object({
    name: styleName,
    style: StyleInput,
    /** Null leaves the logo of a code as it is. */
    logo: LogoInput.nullable().default(null),
    /** False leaves the default as it is. */
    isDefault: z.boolean().default(false),
  }),
  response: dataOf(SavedStyle),
  versions: ['ETag'],
  status: 201,
  errors: ['unauthenticated', 'subscription_required', 'invalid'],
});

const params = z.object({ id: Id });

export const readStyle = call({
  name: 'readStyle',
  method: 'GET',
  path: '/api/styles/{id}',
  summary: 'One saved style',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/looks/{id}',
  params,
  response: dataOf(SavedStyle),
  versions: ['ETag'],
  errors: ['unauthenticated', 'not_found'],
});

export const updateStyle = call({
  name: 'updateStyle',
  method: 'PATCH',
  path: '/api/styles/{id}',
  summary: 'Change a saved style or its name, or set or unset it as the default for new codes',
  access: 'subscriber',
  key: 'change',
  wholeAccount: true,
  publicPath: '/api/v1/looks/{id}',
  params,
  body: z.object({
    name: styleName.optional(),
    style: StyleInput.optional(),
    /** Null leaves the logo of a code as it is. */
    logo: LogoInput.nullable().optional(),
    isDefault: z.boolean().optional(),
  }),
  response: dataOf(SavedStyle),
  versions: ['ETag', 'If-Match'],
  errors: ['unauthenticated', 'subscription_required', 'not_found', 'precondition_failed', 'invalid'],
});

export const deleteStyle = call({
  name: 'deleteStyle',
  method: 'DELETE',
  path: '/api/styles/{id}',
  summary: 'Delete a saved style; codes keep their look',
  access: 'user',
  key: 'change',
  wholeAccount: true,
  publicPath: '/api/v1/looks/{id}',
  params,
  response: Done,
  versions: ['If-Match'],
  errors: ['unauthenticated', 'not_found', 'precondition_failed'],
});
