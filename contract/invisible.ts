// Characters that nobody sees: pasted along with a text, they make two that look the same differ. Browsers load this.

/** Can display text in a different order than it is stored (Unicode UAX 9, section 2). */
export const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;

/** What may surround an address without being part of it. */
const AROUND = /[\s\u202a-\u202e\u2066-\u2069]/;

/** Everything else that has no shape of its own (Unicode UTS 18, annex C). */
const INVISIBLE = /(?:(?![\u202a-\u202e\u2066-\u2069])[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb])+/gu;

/** Of a script whose letters join or vary, a symbol or an emoji. */
const SHAPED =
  '[^\\x00-\\x7f\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Punctuation}\\p{Z}\\p{C}]';
/** Of a script written without spaces. */
const UNSPACED = '[\\p{Script=Khmer}\\p{Script=Lao}\\p{Script=Myanmar}\\p{Script=Thai}\\p{Script=Tibetan}]';

/** UTF-16 units of the longest sequence that a mark below belongs to, a flag. */
const LONGEST = 20;

/** Where invisible characters change what is seen, by what is before and after them. */
const EFFECTS: [marks: RegExp, before: RegExp, after: RegExp][] = [
  // Joiners, as in Persian, Indic scripts and emoji of several people.
  [/[\u180e\u200c\u200d]/, new RegExp(`${SHAPED}$`, 'u'), new RegExp(`^${SHAPED}`, 'u')],
  // Variation selectors.
  [/[\u180b-\u180d\u180f\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u, new RegExp(`${SHAPED}$`, 'u'), /^/],
  // Key caps such as 1️⃣.
  [/\ufe0f/, /[\d#*]$/, /^\u20e3/],
  // Flags of regions, such as Scotland's.
  [/[\u{e0020}-\u{e007f}]/u, /\u{1f3f4}[\u{e0020}-\u{e007e}]*$/u, /^/],
  // Places where a line may break.
  [/\u200b/, new RegExp(`${UNSPACED}$`, 'u'), new RegExp(`^${UNSPACED}`, 'u')],
];

/** A text without invisible characters, except those that change how its visible ones look. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, (run: string, at: number) => {
    const after = text.slice(at + run.length, at + run.length + 2);
    let before = text.slice(Math.max(0, at - 2), at);
    const kept = Array.from(run).filter((mark) => {
      const isSeen = EFFECTS.some(
        ([of, left, right]) => of.test(mark) && left.test(before) && right.test(after),
      );
      if (isSeen) before = (before + mark).slice(-LONGEST);
      return isSeen;
    });
    return kept.join('');
  });
}

/** A typed address without what is around it and without invisible characters. */
export function tidyAddress(entered: string): string {
  const address = withoutInvisible(entered);
  let end = address.length;
  while (end > 0 && AROUND.test(address.charAt(end - 1))) end -= 1;
  let start = 0;
  while (start < end && AROUND.test(address.charAt(start))) start += 1;
  return address.slice(start, end);
}
