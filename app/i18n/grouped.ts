/** What groups the digits of large numbers, and how many digits a number has that is grouped. */
const GROUPING: Record<string, [separator: string, fromDigits: number]> = {
  'en-GB': [',', 4],
  fr: ['\u202f', 4],
  es: ['.', 5],
  de: ['.', 4],
  it: ['.', 5],
};

/** Placeholders for how many of something there are. */
const COUNTS = ['count', 'done', 'now'];

/**
 * A value as a text contains it: counts with their digits grouped, as one writes them in the language with this
 * BCP 47 tag. Not by Intl, as browsers have other versions of the locale data than the server.
 */
export function groupedIfCount(value: unknown, tag: string, placeholder: string): unknown {
  const [separator, fromDigits] = GROUPING[tag] ?? ['', 0];
  const digits = String(value);
  if (!COUNTS.includes(placeholder) || digits.length < fromDigits || !/^\d+$/.test(digits)) return value;
  return digits.replace(/\B(?=(?:\d{3})+$)/g, separator);
}
