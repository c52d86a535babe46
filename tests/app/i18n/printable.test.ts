import { readFileSync } from 'node:fs';
import { create } from 'fontkit';
import { expect, test } from 'vitest';
import { FONT_FILES } from '#runtime/fonts';
import { losesEmoji, printable } from '~/i18n/printable.server';

test.each([
  ['Menu, table 12', 'Menu, table 12'],
  ['Cafe\u0301  „Zur Aussicht“\n3 €', 'Café „Zur Aussicht“ 3 €'],
  ['Żółć Ćевапи Ψάρι', 'Żółć Ćевапи Ψάρι'],
  ['☕ Coffee 👨‍👩‍👧 🇫🇷', 'Coffee'],
  ['© Ada™', '© Ada™'],
  ['ＱＲ', 'QR'],
  ['1️⃣ Entrance ❤️', '1 Entrance ♥'],
  ['Bar → terrace ≤ 5 ♥', 'Bar → terrace ≤ 5 ♥'],
  ['♥️ ➡️ ✖', '♥ → ×'],
  ['❤️', '♥'],
  ['↔ ☺ № ½ ∞ √ ■', '↔ ☺ № ½ ∞ √ ■'],
  ['Best ⭐ in town', 'Best in town'],
  ['✓ done', null],
  ['', ''],
  ['🎉🎉', null],
  ['🇫🇷', null],
  ['ẹ̀bùn', null],
  ['Cafe\u0316', null],
  ['メニュー', null],
  ['תפריט', null],
])('%j is printed as %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});

test.each([
  ['☕ Coffee', true],
  ['🇫🇷 Paris', true],
  ['Best ⭐ in town', true],
  ['1️⃣ ❤️ ♥ © → ☺', false],
  ['メニュー', false],
  ['', false],
])('whether %j is printed without some of its emoji: %s', (text, expected) => {
  expect(losesEmoji(text)).toBe(expected);
});

test('what is printed of any single letter has a glyph in both faces', () => {
  const faces = Object.values(FONT_FILES).map((path) => {
    const face = create(readFileSync(path));
    if (!('hasGlyphForCodePoint' in face)) throw new Error('not a single font');
    return face;
  });
  const missing: string[] = [];
  for (let point = 0; point <= 0xffff; point++) {
    for (const letter of printable(String.fromCodePoint(point)) ?? '') {
      const drawn = letter.codePointAt(0) ?? 0;
      if (!faces.every((face) => face.hasGlyphForCodePoint(drawn))) missing.push(point.toString(16));
    }
  }
  expect(missing).toEqual([]);
});
