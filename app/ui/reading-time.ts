/** Until someone sees that a text has appeared. */
const NOTICING_MS = 3_000;
/** A thousand characters in a minute, as slow readers manage. */
const MS_PER_CHARACTER = 60;

/** How long a text stays that disappears by itself. */
export function readingMs(text: string): number {
  return NOTICING_MS + text.length * MS_PER_CHARACTER;
}
