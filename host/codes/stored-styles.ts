import type { Logger } from 'pino';
import { isDefaultStyle, type Style } from '#contract/style-rules';
import { StyleInput } from '#contract/styles';

/** A look as it is stored: nothing for the default look. */
export function storedStyle(style: Style | null | undefined): Style | null {
  return style && !isDefaultStyle(style) ? style : null;
}

/**
 * A stored look. One that this version cannot read, such as one of a later version, is shown as the default look, so that
 * its code still opens; it stays stored as it is.
 */
export function readStyle(stored: unknown, log: Logger): Style | null {
  if (stored === null) return null;
  const read = StyleInput.safeParse(stored);
  if (read.success) return read.data;
  log.error({ err: read.error, style: stored }, 'a stored style cannot be read: the default look stands in');
  return null;
}

/** What the history says of a stored look, the same for equal ones: the database keeps no order of fields. */
export function styleText(stored: unknown): string {
  if (stored === null || stored === undefined) return '';
  const read = StyleInput.safeParse(stored);
  return JSON.stringify(read.success ? read.data : stored);
}
