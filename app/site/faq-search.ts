import type { Locale } from '#contract/locales';

export const CATEGORIES = ['qr_code', 'support', 'general'] as const;
export type Category = (typeof CATEGORIES)[number];

export interface FaqEntry {
  /** Also the URL fragment of the answer; its words are searched in every language. */
  slug: string;
  category: Category;
  question: string;
  /** Paragraphs. */
  answer: string[];
  /** Synonyms, which are searched but not shown. */
  words: string;
}

const QUERY_LENGTH = 100;

/** Parses a query such as `?category=support&q=logo`; an unknown category counts as `all`. */
export function readSearch(query: string): { category: Category | 'all'; text: string } {
  const params = new URLSearchParams(query);
  const category = CATEGORIES.find((name) => name === params.get('category')) ?? 'all';
  return { category, text: (params.get('q') ?? '').trim().slice(0, QUERY_LENGTH) };
}

/**
 * Entries of the category that contain every significant word of the text, in any inflected form and with or
 * without diacritics.
 */
export function findEntries<E extends FaqEntry>(
  entries: E[],
  { category, text }: ReturnType<typeof readSearch>,
  locale: Locale,
): E[] {
  const words = wordsOf(text);
  const significant = words.filter((word) => !ignored[locale].has(word));
  const searched = (significant.length > 0 ? significant : words).map((word) => ({
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

/** Whether the text contains a word: `?` alone does not. */
export function isSearching({ text }: { text: string }): boolean {
  return wordsOf(text).length > 0;
}

function wordsOf(text: string): string[] {
  return plain(text)
    .replace(/\p{Pd}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** The stem of a word; short words are left as they are. */
function stemOf(word: string, locale: Locale): string {
  const ending = endings[locale].find(
    (letters) => word.endsWith(letters) && !isShort(word.slice(0, -letters.length)),
  );
  return ending ? word.slice(0, -ending.length) : word;
}

/** Words this short are part of too many others. */
function isShort(word: string): boolean {
  return word.length < 4;
}

/**
 * The text to search in: `Wi-Fi` is found as `wi-fi`, `wifi` and `fi`, and each word has a space before it.
 */
function searchable(text: string): string {
  const letters = plain(text);
  return ` ${letters} ${letters.replace(/\p{Pd}/gu, '')} ${letters.replace(/[^\p{L}\p{N}]+/gu, ' ')}`;
}

/** Lowercase letters without diacritics; `Größe` and `Groesse` become the same. */
function plain(text: string): string {
  const letters = text.toLowerCase().replaceAll('ß', 'ss').replaceAll('œ', 'oe');
  return letters
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([aou])e/g, '$1');
}

function byLocale<T>(texts: Record<Locale, string>, read: (words: string[]) => T): Record<Locale, T> {
  const entries = Object.entries(texts).map(([locale, text]) => [locale, read(wordsOf(text))]);
  return Object.fromEntries(entries);
}

/** Stop words, without diacritics. */
const IGNORED: Record<Locale, string> = {
  gb: `a about am an and any are at be been but by can could did do does for from get got had has have how i if in into
    is isn it its just long make me must my need not of on or our please should so some than that the their them
    there these they this to too use want was we what when where which who why will with would you your`,
  fr: `a afin ai ainsi alors apres au aux avec avoir c ca ce cela ces cet cette comme comment d dans de des du elle en
    est et etre fait faut il ils j je l la le les leur lui m ma mais me mes moi mon n ne ni nos notre nous on ou par pas
    peut peux peut-on puis-je dois-je faut-il est-ce est-il a-t-il plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa se ses si son sont sur t tu un
    une veux vos votre vous y`,
  es: `a al algo ante como con cual cuales cuando de del desde donde el ella en entre era es esta estan estar este esto
    fue ha hace hacer hay he la las le les lo los mas me mi mis mucho muy no nos o para pero por porque puede puedo que
    quien quiero se ser si sin sobre son su sus tan tengo tiene tu un una unas uno unos y ya yo`,
  de: `ab aber als am an auch auf aus bei beim bin bis bitte da dann das dass dem den denn der des die dies diese dieser
    doch ein eine einem einen einer eines er es fur gibt habe haben hat ich ihr ihre im in ist ja kann kein keine konnen
    mache man mein meine meinem meinen meiner mich mir mit mochte muss nach nicht noch nun nur ob oder ohne schon sein
    sich sie sind so soll uber um und uns unser von vor wann war warum was weil welche welcher welches wenn wer werde
    werden wie will wir wird wo zu zum zur`,
  it: `a ad agli ai al alla alle allo anche c che chi ci come con cosa cui d da dai dal dalla de degli dei del della
    delle dello di dove e ed era essere fa fare gli ha hanno ho i il in io l la le li lo loro ma me mi mia mie miei mio
    molto ne nei nel nella no noi non o per perche piu posso puo qual quale quali quando quanto quella quello questa
    questo se sei si solo sono su sua sul sulla suo ti tra tu tua tuo un una uno vi voglio voi vorrei`,
};

/** Inflectional endings, without diacritics. */
const ENDINGS: Record<Locale, string> = {
  gb: 'ations ation ments ment ings ing ies ers ed es er al s e y',
  fr: `issements issement ations ements ation ement issez euses euse ions eurs ion eur ees ent ant ait ons ez er ee es ir
    is it e s x`,
  es: `amientos amiento imiento aciones acion iones iendo ados adas idos idas ando ado ada ido ida ion amos emos an en ar
    er ir as os es a e o s`,
  de: 'ungen innen ung est ern en em er es et st te e n s t',
  it: `amenti amento azioni azione zioni zione ando endo ato ata ati ate uto are ere ire ita ito ano ono hi he a e i o`,
};

const ignored = byLocale(IGNORED, (words) => new Set(words));
const endings = byLocale(ENDINGS, (words) => words.sort((one, other) => other.length - one.length));
