import { z } from 'zod';
import { Id } from './call';

export const LOGO_BYTES_LIMIT = 2 * 1024 * 1024;
/** Limit of a form with a logo: a slightly oversized one is still read, so that the error is reported on its field. */
export const LOGO_FORM_BYTES_LIMIT = 1.5 * LOGO_BYTES_LIMIT;

export const LogoFile = z
  .custom<File>((value) => value instanceof Blob, 'logo_not_image')
  .refine((file) => file.size <= LOGO_BYTES_LIMIT, 'logo_too_large')
  .meta({ type: 'string', format: 'binary' });

/** Name of a preset file such as `heart.svg`; anything that could escape the folder is refused here. */
export const PresetFile = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,40}\.svg$/, 'preset_unknown')
  .meta({ maxLength: 45, description: 'The `file` of a logo preset.' });

const useWhiteBackground = z.boolean().default(false).describe('Whether a white circle is behind it.');

const none = z.object({ kind: z.literal('none') });
const preset = z.object({ kind: z.literal('preset'), name: PresetFile, useWhiteBackground });
const upload = z.object({
  kind: z.literal('upload'),
  id: z.uuid('logo_unknown').describe('Of a logo of your own.'),
  useWhiteBackground,
});

/** The logo that an existing code gets: none, a preset, or one of the account's own by its id. */
export const LogoChoice = z.discriminatedUnion('kind', [none, preset, upload], 'logo_unknown');
export type LogoChoice = z.infer<typeof LogoChoice>;

/** The same as it is sent: also as a code has it, with the name of a file. */
export const LogoInput = z.discriminatedUnion(
  'kind',
  [
    none,
    preset,
    upload
      .extend({ name: z.string().optional().describe('As it may be read; changes nothing.') })
      .transform(({ name: _name, ...choice }) => choice),
  ],
  'logo_unknown',
);

/** A logo of a code; `id` is absent in designs that are no codes yet. */
export const CodeLogo = z.union([
  z.object({ kind: z.literal('preset'), name: z.string() }),
  z.object({ kind: z.literal('upload'), name: z.string(), id: Id.optional() }),
]);

/** One of an account's own logos. */
export const OwnLogo = z.object({ id: Id, /** Of its file. */ name: z.string() });
export type OwnLogo = z.infer<typeof OwnLogo>;
