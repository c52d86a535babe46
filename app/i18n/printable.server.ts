/** Characters in the font of printed files: Latin, Greek and Cyrillic letters, punctuation, currencies. */
const DRAWN = /^[\u0020-\u007e\u00a0-\u052f\u1e00-\u20be\u2100-\u214f]*$/;
/** Dropped: invisible characters, and emoji with their variation selectors and modifiers. */
const LEFT_OUT =
  /(?![©®™])[\ufe00-\ufe0f\u20e3\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;
/** Without a glyph of their own: unassigned code points within those ranges, and combining marks. */
const HOLES = /[\p{Cn}\p{M}]/u;

/** A text as the font of printed files can draw it; null where it has letters that the font lacks, or only emoji. */
export function printable(text: string): string | null {
  const line = text.normalize('NFC').replace(/\s+/g, ' ').replace(LEFT_OUT, '').replace(/ +/g, ' ').trim();
  if (line === '' && text.trim() !== '') return null;
  const plain = DRAWN.test(line) ? line : line.normalize('NFKC');
  return DRAWN.test(plain) && !HOLES.test(plain) ? plain : null;
}
