export const CATEGORIES = ['qr_code', 'support', 'general'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface FaqEntry {
  /** Also the fragment of the answer's address, and words that are searched in every language. */
  slug: string;
  category: Category;
  question: string;
  /** Paragraphs. */
  answer: string[];
}

const QUERY_LENGTH = 100;

/** What a query such as `?category=support&q=logo` asks for; a category that is none counts as all. */
export function readSearch(query: string): { category: Category | 'all'; text: string } {
  const params = new URLSearchParams(query);
  const category = CATEGORIES.find((name) => name === params.get('category')) ?? 'all';
  return { category, text: (params.get('q') ?? '').trim().slice(0, QUERY_LENGTH) };
}

/** Entries of the category that contain every word of the text, in any form of its letters. */
export function findEntries<E extends FaqEntry>(
  entries: E[],
  { category, text }: ReturnType<typeof readSearch>,
): E[] {
  const words = wordsOf(text);
  return entries.filter((entry) => {
    if (category !== 'all' && entry.category !== category) return false;
    if (words.length === 0) return true;
    const content = searchable([entry.question, ...entry.answer, entry.slug].join(' '));
    return words.every((word) => content.includes(word));
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

/** `Wi-Fi` is found as `wi-fi`, `wifi` and `fi`. */
function searchable(text: string): string {
  const letters = plain(text);
  return `${letters} ${letters.replace(/\p{Pd}/gu, '')}`;
}

/** Small letters without their marks. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('ß', 'ss').normalize('NFD').replace(/\p{M}/gu, '');
}
