import { FILE_WIDTHS } from '#contract/code-files';
import type { NewNotice } from '~/http/flash.server';
import type { CodeFormat } from './formats';

export interface FileChoice {
  format: CodeFormat;
  /** Width in pixels; for PDF, in millimetres. */
  size: number;
  variant: Variant;
}
export type Variant = 'tracked' | 'direct';

/** An SVG, sharp at any size, has none of its own. */
const WIDTH_FIELDS = { png: 'pixels', jpeg: 'pixels', svg: '', pdf: 'millimetres' } as const;

/**
 * Parses the requested file from form fields or a query: `format=png|jpeg|svg|pdf`, `variant=tracked|direct`,
 * and a width in digits as `size`, or as `millimetres` for PDF and `pixels` for pictures. Returns a notice about
 * what is wrong if it is invalid.
 */
export function readFileChoice(fields: FormData | URLSearchParams): FileChoice | { notice: NewNotice } {
  const textOf = (name: string) => String(fields.get(name) ?? '').trim();
  const format = textOf('format');
  const variant = textOf('variant') || 'tracked';
  if (!isFormat(format) || (variant !== 'tracked' && variant !== 'direct')) {
    return { notice: { type: 'error', key: 'download_unclear' } };
  }
  const { least, most, usual } = FILE_WIDTHS[format];
  const entered = textOf('size') || textOf(WIDTH_FIELDS[format]) || String(usual);
  const size = /^\d{1,5}$/.test(entered) ? Number(entered) : Number.NaN;
  if (size >= least && size <= most) return { format, size, variant };
  const values = { least: String(least), most: String(most) };
  const key = format === 'pdf' ? 'download_millimetres' : 'download_pixels';
  return { notice: { type: 'error', key, values, persistent: true } };
}

/** The page of a code, with the choice that was refused in its form. */
export function pageOfChoice(id: string, { search }: URL): string {
  return `/user/qrcodes/${id}${search}#downloads`;
}

function isFormat(text: string): text is CodeFormat {
  return Object.hasOwn(FILE_WIDTHS, text);
}
