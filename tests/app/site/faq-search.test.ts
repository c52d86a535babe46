import { expect, test } from 'vitest';
import { LOCALE_CODES } from '~/i18n/locales';
import { i18nOf } from '~/i18n/messages.server';
import { CATEGORIES, type FaqEntry, findEntries, isSearching, readSearch } from '~/site/faq-search';

const ENTRIES: FaqEntry[] = [
  {
    slug: 'wifi-codes',
    category: 'qr_code',
    question: 'Was ist ein WLAN-Code?',
    answer: ['Größe egal.', 'Zweiter Absatz.'],
  },
  { slug: 'payment', category: 'general', question: 'Comment être remboursé ?', answer: ['Écrivez-nous.'] },
];
const slugs = (query: string) => findEntries(ENTRIES, readSearch(query)).map(({ slug }) => slug);

test.each([
  ['', ['wifi-codes', 'payment']],
  ['?category=general', ['payment']],
  ['?category=unknown', ['wifi-codes', 'payment']],
  ['?q=ETRE', ['payment']],
  ['?q=groesse', []],
  ['?q=grosse', ['wifi-codes']],
  ['?q=wlancode', ['wifi-codes']],
  ['?q=wlan-code+absatz', ['wifi-codes']],
  ['?q=absatz+remboursé', []],
  ['?q=wifi', ['wifi-codes']],
  ['?q=wifi&category=general', []],
  ['?q=ecrivez-nous', ['payment']],
  ['?q=%3F%21', ['wifi-codes', 'payment']],
])('%s finds %j', (query, found) => {
  expect(slugs(query)).toEqual(found);
});

test('a search is trimmed and cut short, and signs alone are none', () => {
  expect(readSearch(`?q=++${'x'.repeat(500)}`).text).toHaveLength(100);
  expect(isSearching(readSearch('?q=%3F+%21'))).toBe(false);
  expect(isSearching(readSearch('?q=%E2%9C%93a'))).toBe(true);
});

test.each(LOCALE_CODES)('every question is found by its own words (%s)', (locale) => {
  const texts = i18nOf(locale).t('faq:entries', { returnObjects: true }) as Record<
    string,
    Omit<FaqEntry, 'slug'>
  >;
  const entries = Object.entries(texts).map(([slug, entry]) => ({ ...entry, slug }));
  for (const entry of entries) {
    expect(findEntries(entries, { category: 'all', text: entry.question })).toContain(entry);
    expect(findEntries(entries, { category: entry.category, text: entry.answer[0] ?? '' })).toContain(entry);
    expect(CATEGORIES).toContain(entry.category);
  }
});
