import type { Logger } from 'pino';
import { isDefaultStyle, type Style } from '#contract/style-rules';
import { StoredStyle } from '#contract/styles';

/** A style as stored: null for the default one. */
export function storedStyle(style: Style | null | undefined): Style | null {
  return style && !isDefaultStyle(style) ? style : null;
}

/**
 * Reads a stored style. One that this version cannot read, such as one of a later version, is shown as the default, so
 * that its code still opens; the stored value is left as it is.
 */
export function readStyle(stored: unknown, log: Logger): Style | null {
  if (stored === null) return null;
  const read = StoredStyle.safeParse(stored);
  if (read.success) return read.data;
  log.error({ err: read.error, style: stored }, 'a stored style cannot be read: the default look is used');
  return null;
}

/** A stored style as text for the history, the same for equal styles: the database does not preserve key order. */
export function styleText(stored: unknown): string {
  if (stored === null || stored === undefined) return '';
  const read = StoredStyle.safeParse(stored);
  return JSON.stringify(read.success ? read.data : stored);
}
