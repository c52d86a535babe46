import { COUNTRIES } from '#contract/countries';
import { LOCALES, type Locale } from '~/i18n/locales';

const names = new Map<Locale, { value: string; label: string }[]>();

/** Every country by its name in the language, in alphabetical order. */
export function listCountries(locale: Locale): { value: string; label: string }[] {
  const known = names.get(locale);
  if (known) return known;
  const { tag } = LOCALES[locale];
  const { compare } = new Intl.Collator(tag);
  const list = COUNTRIES.map((value) => ({ value, label: countryName(value, locale) })).sort((a, b) =>
    compare(a.label, b.label),
  );
  names.set(locale, list);
  return list;
}

/** Name of a country by its ISO 3166-1 code; the code itself if the language has no name for it. */
export function countryName(code: string, locale: Locale): string {
  return new Intl.DisplayNames(LOCALES[locale].tag, { type: 'region' }).of(code) ?? code;
}
