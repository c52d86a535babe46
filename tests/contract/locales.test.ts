import { expect, test } from 'vitest';
import * as contract from '#contract/locales';
import * as website from '~/i18n/locales';

test('host and website have the same languages, tags and default', () => {
  expect(website.LOCALE_CODES).toEqual(contract.LOCALES);
  expect(website.DEFAULT_LOCALE).toBe(contract.DEFAULT_LOCALE);
  for (const locale of contract.LOCALES) {
    const { tag, html } = website.LOCALES[locale];
    expect([tag, html]).toEqual([contract.LANGUAGE_TAGS[locale], contract.languageOf(locale)]);
  }
});

test('Intl knows every tag', () => {
  const tags = Object.values(contract.LANGUAGE_TAGS);
  expect(Intl.getCanonicalLocales(tags)).toEqual(tags);
  expect(new Set(contract.LOCALES.map(contract.languageOf)).size).toBe(contract.LOCALES.length);
});
