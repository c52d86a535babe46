import { expect, test } from 'vitest';
import { LOCALE_CODES, LOCALES } from '#contract/locales';
import {
  countryName,
  languageName,
  listCountries,
  listLanguages,
  readCountries,
  readLanguages,
} from '~/i18n/places.server';

test.each(LOCALE_CODES)('every country has a name and its place in the alphabet (%s)', (locale) => {
  const countries = listCountries(locale);
  expect(countries).toHaveLength(250);
  expect(countries.filter(({ value, label }) => label === value || label === '')).toEqual([]);
  const { compare } = new Intl.Collator(LOCALES[locale].tag);
  expect(countries.map(({ label }) => label)).toEqual(countries.map(({ label }) => label).sort(compare));
});

test('accents do not move a name to the end', () => {
  const french = listCountries('fr').map(({ label }) => label);
  expect(french.indexOf('Égypte')).toBeLessThan(french.indexOf('France'));
});

test('countries are named in the language of the page', () => {
  for (const locale of LOCALE_CODES)
    expect(listCountries(locale)).toContainEqual({ value: 'XK', label: 'Kosovo' });
  expect(LOCALE_CODES.map((locale) => countryName('DE', locale)).sort()).toEqual([
    'Alemania',
    'Allemagne',
    'Deutschland',
    'Germania',
    'Germany',
  ]);
});

const codesOf = (understood: ReturnType<typeof readCountries>) =>
  understood.map((one) => ('code' in one ? one.code : one));

test.each(LOCALE_CODES)(
  'the name of every country and language is read back, whatever the page (%s)',
  (locale) => {
    const countries = listCountries(locale);
    expect(codesOf(readCountries(countries.map(({ label }) => label).join(), 'gb'))).toEqual(
      countries.map(({ value }) => value),
    );
    const languages = listLanguages(locale);
    expect(codesOf(readLanguages(languages.map(({ label }) => label).join(), 'it'))).toEqual(
      languages.map(({ value }) => value),
    );
  },
);

test('names are read by code, without accents, in any case, and as people say them', () => {
  expect(
    codesOf(readCountries(' de; AT,, switzerland\nCOTE D IVOIRE, usa, UK, Corea del sur ', 'gb')),
  ).toEqual(['DE', 'AT', 'CH', 'CI', 'US', 'GB', 'KR']);
  expect(codesOf(readLanguages('français, German, pt', 'de'))).toEqual(['fr', 'de', 'pt']);
  expect(readCountries(' , ', 'gb')).toEqual([]);
});

test('languages that have only a code of three letters are read too', () => {
  expect(codesOf(readLanguages('Filipino, Schweizerdeutsch, papiamento, frioulan, gsw', 'gb'))).toEqual([
    'fil',
    'gsw',
    'pap',
    'fur',
    'gsw',
  ]);
  for (const locale of LOCALE_CODES)
    expect(codesOf(readLanguages(languageName('fil', locale), 'gb'))).toEqual(['fil']);
});

test('for an unknown name the nearest in the language of the page is offered, if one is near', () => {
  expect(readCountries('Germny, Deutchland', 'de')).toEqual([
    { typed: 'Germny', meant: null },
    { typed: 'Deutchland', meant: 'Deutschland' },
  ]);
  expect(readLanguages('Portug, xx, q', 'fr')).toEqual([
    { typed: 'Portug', meant: 'portugais' },
    { typed: 'xx', meant: null },
    { typed: 'q', meant: 'quechua' },
  ]);
  expect(languageName('fr', 'de')).toBe('Französisch');
});
