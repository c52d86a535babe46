import { expect, test } from 'vitest';
import { LOCALE_CODES, LOCALES } from '#contract/locales';
import { countryName, listCountries } from '~/account/addresses/addresses.server';

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
