/** What the font of the documents draws: Latin, Greek, Cyrillic and Hebrew letters, marks, punctuation, currencies. */
const DRAWN = /^[\n\u0020-\u007e\u00a0-\u052f\u05d0-\u05ea\u1e00-\u20be\u2100-\u214f]+$/;
/** Nothing to see in them: they are left out. */
const UNSEEN = /^[\p{M}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u;
/** Without a glyph though they stand between others that have one. */
const HOLES = /[\p{Cf}\p{Zl}\p{Zp}\p{Cn}]/u;

/**
 * A text as the font can draw it: marks are joined to their letter where that exists as one. Letters of other scripts
 * become a question mark each, for no font of a bearable size has them all.
 */
export function drawable(text: string): string {
  const letters = [...text.normalize('NFC')].map(drawableLetter).join('');
  // Words are drawn one by one from the left: a Hebrew name stays in order as one word, and the space after it outside.
  return letters.replace(/([א-ת]) (?=[א-ת])/g, '$1\u00a0').replace(/([א-ת]) /g, '$1 \u00a0');
}

function drawableLetter(letter: string): string {
  if (isDrawn(letter)) return letter;
  if (UNSEEN.test(letter)) return '';
  // Full-width letters and others that only look different.
  const plain = letter.normalize('NFKC');
  return isDrawn(plain) ? plain : '?';
}

function isDrawn(text: string): boolean {
  return DRAWN.test(text) && !HOLES.test(text);
}
