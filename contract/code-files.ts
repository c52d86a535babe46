import { z } from 'zod';
import { call, Id } from './call';

export const FILE_FORMATS = ['svg', 'png', 'pdf', 'jpeg'] as const;

export const FILE_TYPES = {
  svg: 'image/svg+xml',
  png: 'image/png',
  pdf: 'application/pdf',
  jpeg: 'image/jpeg',
} as const;

/** The smallest and largest width, and the default: pixels, or millimetres of a PDF. */
export const FILE_WIDTHS = {
  png: { least: 300, most: 4096, usual: 1024 },
  jpeg: { least: 300, most: 4096, usual: 1024 },
  svg: { least: 50, most: 10_000, usual: 1024 },
  pdf: { least: 15, most: 500, usual: 40 },
} as const;

/** What an image holds: the tracked address, or the content itself, which can be neither changed nor counted. */
export const FileVariant = z.enum(['tracked', 'direct'], 'option_unknown').default('tracked');

const widths = Object.entries(FILE_WIDTHS)
  .map(([format, { least, most, usual }]) => `${format} ${least} to ${most}, ${usual} if absent`)
  .join('; ');
export const FILE_SIZE = `Width with the quiet zone, in pixels, of a PDF in millimetres: ${widths}.`;

/** Drawn anew for each request, and handed out only if decoders read exactly these bytes. */
export const readCodeFile = call({
  name: 'readCodeFile',
  method: 'GET',
  path: '/api/v1/codes/{id}/file.{format}',
  answeredBy: 'website',
  summary: 'A file of a code, to print or to show; none is handed out that decoders do not read',
  access: 'user',
  key: 'read',
  mediaType: [FILE_TYPES.svg, FILE_TYPES.png, FILE_TYPES.pdf, FILE_TYPES.jpeg],
  params: z.object({ id: Id, format: z.enum(FILE_FORMATS) }),
  query: z.object({
    size: z
      .string()
      .regex(/^\d{1,5}$/, 'file_size_invalid')
      .optional()
      .describe(FILE_SIZE),
    variant: FileVariant.describe(
      '`tracked`: the address whose visits are counted; `direct`: the content itself, which a printed code cannot change.',
    ),
  }),
  versions: ['ETag'],
  errors: [
    'unauthenticated',
    'forbidden',
    'not_found',
    'code_deleted',
    'file_unreadable',
    'invalid',
    'rate_limited',
  ],
});
