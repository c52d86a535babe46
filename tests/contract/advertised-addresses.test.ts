import { expect, test } from 'vitest';
import { hasAddress } from '#contract/advertised-addresses';

test.each([
  'https://casino.example',
  'www.casino.example',
  'casino.example',
  'casino.online/win',
  'Win at CASINO.COM',
  'Casino.Com',
  'casino。com',
  'casino．com',
  'x.com',
  '888.bet',
  't.me/prize',
  'bonus.xn--p1ai',
  'xn--e1afmkfd.рф',
  'казино.рф',
  'win@casino.example',
  '@casino',
  'Ada <b>',
  'Ada\u2028Bcc: x',
  'ｃａｓｉｎｏ.ｃｏｍ',
])('%j could advertise an address', (text) => {
  expect(hasAddress(text)).toBe(true);
});

test.each([
  'Ada Byron',
  'J. R. R. Tolkien',
  'J.R.R. Tolkien',
  'J.Tolkien',
  'Dr.Müller',
  'Jean-Pierre St.John',
  'Martin Luther King Jr.',
  'S.A.R.L. Dupont',
  'F.lli Rossi S.r.l.',
  'C.so Garibaldi 12',
  'Straße des 17.Juni 5',
  'Hauptstr.12a',
  '1.er étage, 12 bis rue du Papier',
  'No. 5, St. Mary’s Rd.',
  'Ünsal & Söhne GmbH & Co. KG',
  'Q-7K3M9-QXD42',
  'F2026-000001',
  '株式会社',
])('%j passes', (text) => {
  expect(hasAddress(text)).toBe(false);
});
