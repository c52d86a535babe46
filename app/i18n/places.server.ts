import { COUNTRIES } from '#contract/addresses';
import { LOCALE_CODES, LOCALES, type Locale } from '#contract/locales';

type Kind = 'region' | 'language';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** Of ISO 639-1, without those that were replaced by others. */
const LANGUAGES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
  (code) =>
    new Intl.Locale(code).language === code &&
    new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(code) !== undefined,
);

const CODES: Record<Kind, readonly string[]> = { region: COUNTRIES, language: LANGUAGES };
/** Names in daily use that no language's official list has. */
const OTHER_NAMES: Record<Kind, Record<string, string>> = {
  region: { usa: 'US', 'great britain': 'GB', england: 'GB', holland: 'NL', 'south korea': 'KR' },
  language: {},
};
/** Typing mistakes up to which a name is recognised. */
const MISTAKES = 2;

const lists = new Map<string, { value: string; label: string }[]>();

/** Every country by its name in the language, in alphabetical order. */
export function listCountries(locale: Locale): { value: string; label: string }[] {
  return listOf('region', locale);
}

/** Every language with a code of two letters by its name in the language, in alphabetical order. */
export function listLanguages(locale: Locale): { value: string; label: string }[] {
  return listOf('language', locale);
}

function listOf(kind: Kind, locale: Locale) {
  const key = `${kind}/${locale}`;
  const known = lists.get(key);
  if (known) return known;
  const { compare } = new Intl.Collator(LOCALES[locale].tag);
  const list = CODES[kind]
    .map((value) => ({ value, label: nameOf(kind, value, locale) }))
    .sort((a, b) => compare(a.label, b.label));
  lists.set(key, list);
  return list;
}

/** Name of a country by its ISO 3166-1 code; the code itself if the language has no name for it. */
export function countryName(code: string, locale: Locale): string {
  return nameOf('region', code, locale);
}

/** Name of a language by its ISO 639 code. */
export function languageName(code: string, locale: Locale): string {
  return nameOf('language', code, locale);
}

function nameOf(type: Kind, code: string, locale: Locale): string {
  return new Intl.DisplayNames(LOCALES[locale].tag, { type }).of(code) ?? code;
}

/** What somebody typed: the code it means, or the name that was probably meant. */
export type Understood = { code: string } | { typed: string; meant: string | null };

/** Reads names or codes of countries with commas between them, in any of our languages. */
export function readCountries(text: string, locale: Locale): Understood[] {
  return readNames('region', text, locale);
}

/** Reads names or codes of languages with commas between them, in any of our languages. */
export function readLanguages(text: string, locale: Locale): Understood[] {
  return readNames('language', text, locale);
}

function readNames(kind: Kind, text: string, locale: Locale): Understood[] {
  const known = codesOf(kind);
  return text
    .split(/[,;\n]/)
    .map((name) => name.trim())
    .filter(Boolean)
    .map((typed) => {
      const code = known.get(plain(typed));
      return code ? { code } : { typed, meant: suggest(kind, plain(typed), locale) };
    });
}

const tables = new Map<Kind, Map<string, string>>();

/** Codes by names as `plain` writes them. */
function codesOf(kind: Kind): Map<string, string> {
  const known = tables.get(kind);
  if (known) return known;
  // Names come later and win: “Yi” is a language in German, and the code of another.
  const table = new Map(CODES[kind].map((code) => [plain(code), code]));
  for (const locale of LOCALE_CODES)
    for (const style of ['short', 'long'] as const) {
      const names = new Intl.DisplayNames(LOCALES[locale].tag, { type: kind, style });
      for (const code of CODES[kind]) table.set(plain(names.of(code) ?? code), code);
    }
  for (const [name, code] of Object.entries(OTHER_NAMES[kind])) table.set(name, code);
  tables.set(kind, table);
  return table;
}

/** In lower case, without accents and punctuation. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The name in this language that begins like, or nearly is, what was typed. */
function suggest(kind: Kind, typed: string, locale: Locale): string | null {
  const names = listOf(kind, locale).map(({ label }) => label);
  const beginning = names.filter((name) => plain(name).startsWith(typed));
  if (beginning.length === 1) return beginning[0] ?? null;
  const near = names
    .map((name) => ({ name, mistakes: distance(typed, plain(name)) }))
    .sort((a, b) => a.mistakes - b.mistakes)[0];
  return near && near.mistakes <= Math.min(MISTAKES, typed.length - 2) ? near.name : null;
}

/** How many letters have to be added, removed or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
