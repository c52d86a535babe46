import { foldLabel } from '#contract/labels';
import type { Locale } from '#contract/locales';

/** Words of each language, separated by spaces; also those that spreadsheets and other services write in it. */
export type Words = Record<Locale, string>;

/** More than any phrase of the words below. */
const PHRASE_UNITS = 60;

/**
 * Reads cells of a column that holds words: all meanings found in one, none if any of its words is unknown, and null
 * if it is blank. `fillers` may stand beside words with a meaning.
 */
export function phraseReader<Meaning extends string>(
  meanings: Record<Meaning, Words>,
  fillers: string,
): (cell: string) => ReadonlySet<Meaning> | null {
  const known = new Map<string, Meaning | null>();
  for (const word of wordsOf(fillers)) known.set(word, null);
  for (const meaning of Object.keys(meanings) as Meaning[])
    for (const word of wordsOf(Object.values<string>(meanings[meaning]).join(' '))) known.set(word, meaning);
  return (cell) => {
    if (/^[\s\u2010-\u2015-]*$/.test(cell)) return null;
    const words = cell.length > PHRASE_UNITS ? [] : wordsOf(cell);
    const found = new Set<Meaning>();
    for (const word of words) {
      const meaning = known.get(word);
      if (meaning === undefined) return new Set();
      if (meaning !== null) found.add(meaning);
    }
    return found;
  };
}

/** Letters, numbers and symbols such as ✓; punctuation separates them. */
function wordsOf(text: string): string[] {
  return foldLabel(text).match(/\p{L}+|\p{N}+|[^\s\p{P}\p{L}\p{N}]/gu) ?? [];
}

/** The one meaning of a cell, null if it is blank, or undefined if it is unknown or says two things. */
export function wordReader<Meaning extends string>(
  meanings: Record<Meaning, Words>,
  fillers = '',
): (cell: string) => Meaning | null | undefined {
  const read = phraseReader(meanings, fillers);
  return (cell) => {
    const found = read(cell);
    return found && (found.size === 1 ? [...found][0] : undefined);
  };
}
