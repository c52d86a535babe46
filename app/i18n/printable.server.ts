import { CAPTION_LETTERS } from '#contract/style-rules';

/** Emoji that the font has as a plain sign. */
const SIGNS: Record<string, string> = {
  '❤': '♥',
  '➡': '→',
  '⬅': '←',
  '⬆': '↑',
  '⬇': '↓',
  '✖': '×',
  '➕': '+',
  '➖': '−',
};
const HAS_SIGN = new RegExp(`[${Object.keys(SIGNS).join('')}]`, 'gu');
/** Invisible characters, and what only changes the look of the letter before. */
const INVISIBLE = /[\ufe00-\ufe0f\u20e3\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Emoji_Modifier}]/gu;
const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/gu;
/** Not set by the printed files: combining marks, and letters that run from right to left. */
const UNSET = /[\p{M}\p{Script=Hebrew}]/u;

/** A text as the font of printed files can draw it; null where it has letters that the font lacks, or only emoji. */
export function printable(text: string): string | null {
  const line = visible(text).replace(EMOJI, plainEmoji).replace(/ +/g, ' ').trim();
  if (line === '' && text.trim() !== '') return null;
  const plain = CAPTION_LETTERS.test(line) ? line : line.normalize('NFKC');
  return CAPTION_LETTERS.test(plain) && !UNSET.test(plain) ? plain : null;
}

/** Whether a text is printed without some of its emoji. */
export function losesEmoji(text: string): boolean {
  return (visible(text).match(EMOJI) ?? []).some((emoji) => plainEmoji(emoji) === '');
}

function visible(text: string): string {
  const line = text.normalize('NFC').replace(/\s+/g, ' ').replace(INVISIBLE, '');
  return line.replace(HAS_SIGN, (emoji) => SIGNS[emoji] ?? '');
}

/** Empty if the font lacks it: some signs, such as ♥ and ©, count as emoji too. */
function plainEmoji(emoji: string): string {
  return CAPTION_LETTERS.test(emoji) ? emoji : '';
}
