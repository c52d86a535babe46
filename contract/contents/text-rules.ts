import { BIDI_CONTROLS, withoutInvisible } from '../invisible';
import { isStorable } from '../storable';

// Rules for texts in codes of any type.

/** Most characters (code points) of a content. */
export const CONTENT_LIMIT = 255;
/** The field of a content that is typed as a whole. */
export const CONTENT_FIELD = { max: CONTENT_LIMIT, units: 2_000 };

type TextProblem = 'content_invalid' | 'bidi_controls';
export type ContentProblem = TextProblem | 'content_required' | 'content_too_long';
/** The second with the address that was probably meant. */
export type AddressProblem<Code extends string> = Code | `address_meant:${string}`;

/** Any text, subject or message as stored: plain line breaks, trimmed; empty if nothing of it can be seen. */
export function tidy(text: string): string {
  if (withoutInvisible(text).trim() === '') return '';
  // The form and the script may differ in line endings; the drawn code must not.
  return text.replace(/\r\n?/g, '\n').trim();
}

/** The same for a text of one line. */
export function tidyLine(text: string): string {
  return tidy(text).replace(/\s*\n\s*/g, ' ');
}

export function lengthOf(text: string): number {
  return Array.from(text).length;
}

export function textProblem(text: string): TextProblem | null {
  if (!isStorable(text)) return 'content_invalid';
  return BIDI_CONTROLS.test(text) ? 'bidi_controls' : null;
}

/** What prevents a text from being a content, whatever its type. */
export function contentProblem(content: string): ContentProblem | null {
  if (content === '') return 'content_required';
  return lengthOf(content) > CONTENT_LIMIT ? 'content_too_long' : textProblem(content);
}

export function addressProblem<Code extends string>(code: Code, meant: string | null): AddressProblem<Code> {
  return meant === null ? code : `address_meant:${meant}`;
}
