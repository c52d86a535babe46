/** What the font of print sheets draws: Latin, Greek and Cyrillic letters, punctuation, currencies. */
const DRAWN = /^[\u0020-\u007e\u00a0-\u052f\u1e00-\u20be\u2100-\u214f]*$/;
/** Nothing to see in them, or pictures that stand beside the words. */
const LEFT_OUT =
  /(?![©®™])[\p{M}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/gu;
/** Without a glyph though they stand between others that have one. */
const HOLES = /[\p{Cn}]/u;

/** A text as the font of print sheets can draw it; null where it has letters that the font does not have. */
export function printable(text: string): string | null {
  const line = text.normalize('NFC').replace(/\s+/g, ' ').replace(LEFT_OUT, '').replace(/ +/g, ' ').trim();
  const plain = DRAWN.test(line) ? line : line.normalize('NFKC');
  return DRAWN.test(plain) && !HOLES.test(plain) ? plain : null;
}
