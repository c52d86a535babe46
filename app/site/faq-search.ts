import type { Locale } from '~/i18n/locales';
import { ENDINGS, IGNORED } from './faq-language';

export const CATEGORIES = ['qr_code', 'support', 'general'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface FaqEntry {
  /** Also the fragment of the answer's address, and words that are searched in every language. */
  slug: string;
  category: Category;
  question: string;
  /** Paragraphs. */
  answer: string[];
  /** What else people call it. */
  words: string;
}

const QUERY_LENGTH = 100;

/** What a query such as `?category=support&q=logo` asks for; a category that is none counts as all. */
export function readSearch(query: string): { category: Category | 'all'; text: string } {
  const params = new URLSearchParams(query);
  const category = CATEGORIES.find((name) => name === params.get('category')) ?? 'all';
  return { category, text: (params.get('q') ?? '').trim().slice(0, QUERY_LENGTH) };
}

/** Entries of the category that contain every word of the text that matters, in any form of it and of its letters. */
export function findEntries<E extends FaqEntry>(
  entries: E[],
  { category, text }: ReturnType<typeof readSearch>,
  locale: Locale,
): E[] {
  const words = wordsOf(text);
  const telling = words.filter((word) => !ignored[locale].has(word));
  const searched = (telling.length > 0 ? telling : words).map((word) => ({
    word,
    stem: stemOf(word, locale),
  }));
  return entries.filter((entry) => {
    if (category !== 'all' && entry.category !== category) return false;
    const content = searchable([entry.question, ...entry.answer, entry.words, entry.slug].join(' '));
    return searched.every(
      ({ word, stem }) => content.includes(isShort(word) ? ` ${word}` : word) || content.includes(` ${stem}`),
    );
  });
}

/** Whether the text asks for something: `?` alone does not. */
export function isSearching({ text }: { text: string }): boolean {
  return wordsOf(text).length > 0;
}

function wordsOf(text: string): string[] {
  return plain(text)
    .replace(/\p{Pd}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** What the forms of a word have in common; short words are left as they are. */
function stemOf(word: string, locale: Locale): string {
  const ending = endings[locale].find(
    (letters) => word.endsWith(letters) && !isShort(word.slice(0, -letters.length)),
  );
  return ending ? word.slice(0, -ending.length) : word;
}

/** Shorter words stand in too many others. */
function isShort(word: string): boolean {
  return word.length < 4;
}

/** `Wi-Fi` is found as `wi-fi`, `wifi` and `fi`; a space stands before each word. */
function searchable(text: string): string {
  const letters = plain(text);
  return ` ${letters} ${letters.replace(/\p{Pd}/gu, '')} ${letters.replace(/[^\p{L}\p{N}]+/gu, ' ')}`;
}

/** Small letters without their marks, `Größe` as whoever has no umlauts writes it. */
function plain(text: string): string {
  const letters = text.toLowerCase().replaceAll('ß', 'ss').replaceAll('œ', 'oe');
  return letters
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([aou])e/g, '$1');
}

const ignored = byLocale(IGNORED, (words) => new Set(words));
const endings = byLocale(ENDINGS, (words) => words.sort((one, other) => other.length - one.length));

function byLocale<T>(texts: Record<Locale, string>, read: (words: string[]) => T): Record<Locale, T> {
  const entries = Object.entries(texts).map(([locale, text]) => [locale, read(wordsOf(text))]);
  return Object.fromEntries(entries);
}
