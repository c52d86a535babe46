import { findCookie } from '#contract/cookie-names';
import { DEFAULT_LOCALE, isLocale, LOCALE_CODES, LOCALES, type Locale } from '#contract/locales';

const MAX_HEADER_CHARS = 1_000;
/** Codes of ISO 639 that name no language: undetermined, several, none, uncoded. */
const NO_LANGUAGES = /^(?:und|mul|zxx|mis)$/;
const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const known = new Map<string, string>();

/**
 * The languages of an Accept-Language header (RFC 9110), most preferred first, each once; of equal weights the first
 * comes first. Without `*`, which names none, what a weight of 0 excludes, and parts that cannot be read.
 */
export function acceptedLanguages(header: string): string[] {
  if (header.length > MAX_HEADER_CHARS) return [];
  const ranges = header
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';');
      return { language: languageOfTag(tag), weight: weightOf(parameters) };
    })
    .filter(({ language, weight }) => language !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return [...new Set(ranges.map(({ language }) => language))];
}

/** The most preferred language of Accept-Language that the product has. */
export function acceptedLocale(header: string | undefined): Locale | null {
  for (const language of acceptedLanguages(header ?? '')) {
    const locale = LOCALE_CODES.find((one) => LOCALES[one].html === language);
    if (locale) return locale;
  }
  return null;
}

/** The language chosen on the website, else the browser's, else the default. */
export function preferredLocale(cookies: string, acceptLanguage: string | undefined): Locale {
  const chosen = findCookie(cookies, 'lng');
  return isLocale(chosen) ? chosen : (acceptedLocale(acceptLanguage) ?? DEFAULT_LOCALE);
}

/**
 * The current code of a language by ISO 639: `he` for `iw` and `heb`. Three letters where no code has two, as for
 * Filipino; '' for what is no language.
 */
export function currentLanguage(code: string): string {
  let current = known.get(code);
  if (current === undefined) {
    current = findCurrent(code);
    // Codes have two or three letters, so there are not many.
    if (/^[a-z]{2,3}$/.test(code)) known.set(code, current);
  }
  return current;
}

function findCurrent(code: string): string {
  if (!/^[a-z]{2,3}$/.test(code) || NO_LANGUAGES.test(code)) return '';
  const { language } = new Intl.Locale(code);
  if (names.of(language) === undefined) return '';
  // Browsers send both for the same language, and more often `nb`.
  return language === 'no' ? 'nb' : language;
}

/** Old systems write `en_US`. */
function languageOfTag(tag: string): string {
  const [, code = ''] = /^\s*([a-z]{2,3})(?:[-_]\S*)?\s*$/i.exec(tag) ?? [];
  return currentLanguage(code.toLowerCase());
}

/** From 0 to 1; 0 for a weight that is no number. */
function weightOf(parameters: string[]): number {
  const [, weight] = parameters.map((parameter) => /^\s*q\s*=(.*)$/i.exec(parameter)).find(Boolean) ?? [];
  if (weight === undefined) return 1;
  const value = /^\s*[\d.]+\s*$/.test(weight) ? Number(weight) : 0;
  return value <= 1 ? value : 0;
}
