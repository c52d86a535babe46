import { expect, test } from 'vitest';
import { printable } from '~/i18n/printable.server';

test.each([
  ['Menu, table 12', 'Menu, table 12'],
  ['Cafe\u0301  „Zur Aussicht“\n3 €', 'Café „Zur Aussicht“ 3 €'],
  ['Żółć Ćевапи Ψάρι', 'Żółć Ćевапи Ψάρι'],
  ['☕ Coffee 👨‍👩‍👧 🇫🇷', 'Coffee'],
  ['© Ada™', '© Ada™'],
  ['ＱＲ', 'QR'],
  ['1️⃣ Entrance ❤️', '1 Entrance'],
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
