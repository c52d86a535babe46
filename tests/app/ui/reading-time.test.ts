import { expect, test } from 'vitest';
import { LOCALE_CODES } from '#contract/locales';
import { readingMs } from '~/ui/reading-time';
import { readTexts } from '../../support/locale-keys';

/** After which the style sheet hides messages where scripts never load. */
const HIDDEN_MS = 20_000;
const SLOW_CHARACTERS_PER_SECOND = 20;

test('a message stays longer the longer it is', () => {
  expect(readingMs('Saved')).toBeGreaterThan(3_000);
  expect(readingMs('x'.repeat(200))).toBeGreaterThan(readingMs('Saved') + 10_000);
});

test('slow readers have time for every message in every language, and none outlives the page without scripts', () => {
  for (const locale of LOCALE_CODES) {
    const notices = [...readTexts(locale, 'common')].filter(([key]) => key.startsWith('notices.'));
    expect(notices.length).toBeGreaterThan(100);
    for (const [, text] of notices) {
      expect(readingMs(text)).toBeGreaterThan((text.length / SLOW_CHARACTERS_PER_SECOND) * 1_000 + 2_000);
      expect(readingMs(text)).toBeLessThan(HIDDEN_MS);
    }
  }
});
