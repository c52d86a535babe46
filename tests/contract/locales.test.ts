import { expect, test } from 'vitest';
import { LOCALE_CODES, LOCALES } from '#contract/locales';

test('every language has a tag that Intl knows, which begins with its own two letters', () => {
  const all = Object.values(LOCALES);
  expect(Object.keys(LOCALES)).toEqual(LOCALE_CODES);
  const tags = all.map(({ tag }) => tag);
  expect(Intl.getCanonicalLocales(tags)).toEqual(tags);
  expect(all.map(({ html }) => html)).toEqual(tags.map((tag) => tag.slice(0, 2)));
  expect(new Set(all.map(({ html }) => html)).size).toBe(LOCALE_CODES.length);
});
