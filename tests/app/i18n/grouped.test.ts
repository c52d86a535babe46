import { describe, expect, test } from 'vitest';
import { LOCALE_CODES, LOCALES } from '#contract/locales';
import { groupedIfCount } from '~/i18n/grouped';

describe.each(LOCALE_CODES.map((locale) => LOCALES[locale].tag))('in %s', (tag) => {
  test.each([0, 7, 999, 1_000, 1_234, 9_999, 10_000, 123_456, 1_234_567])(
    '%d is written as Intl does',
    (n) => {
      const written = new Intl.NumberFormat(tag).format(n);
      expect(String(groupedIfCount(n, tag, 'count'))).toBe(written);
      expect(groupedIfCount(String(n), tag, 'count')).toBe(written);
    },
  );
});

test('only counts are grouped', () => {
  expect(groupedIfCount(2_026, 'en-GB', 'year')).toBe(2_026);
  expect(groupedIfCount(1_234.5, 'en-GB', 'count')).toBe(1_234.5);
  expect(groupedIfCount('1.234.567', 'de', 'count')).toBe('1.234.567');
  expect(groupedIfCount('one of 1234', 'de', 'count')).toBe('one of 1234');
  expect(groupedIfCount(undefined, 'fr', 'count')).toBeUndefined();
});
