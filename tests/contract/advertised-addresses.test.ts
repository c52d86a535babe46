import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasAddress, hasAdvertisement, LINE_DIGITS, NAME_DIGITS } from '#contract/advertised-addresses';

const each = (...texts: string[]) => texts;

test.each([
  ...each(
    'https://casino.example',
    'www.casino.example',
    'casino.example',
    'casino.online/win',
    'casino.test',
  ),
  ...each(
    'Win at CASINO.COM',
    'Casino.Com',
    'casino。com',
    'casino．com',
    'ｃａｓｉｎｏ.ｃｏｍ',
    'casino\u200b.com',
  ),
  ...each(
    'x.com',
    'x.ai',
    'X.AI',
    'X.Ai',
    'x.gg',
    'x.co',
    '1.gg',
    'x.de',
    '888.bet',
    'bit.ly/x',
    't.me/prize',
  ),
  ...each('m.me/x', 'discord.gg/x', 'wa.me/33199000000', 'youtu.be/x', 'casino.co.uk', 'casino.com:8080'),
  ...each('bonus.xn--p1ai', 'xn--e1afmkfd.рф', 'казино.рф', 'КАЗИНО.РФ', 'win@casino.example', '@casino'),
  ...each('[click](x)', '[click]: x', '[url=x]y[/url]', 'Ada <b>', 'mailto:x', 'tel:110', 'Ada\u2028Bcc: x'),
  ...each('casino.com.', 'Ada, casino.bet!', 'casino.bet.Ada', '(casino.club)', 'Poker.Club', 'Maria.Casino'),
  // Abbreviations, but not as people write them.
  ...each('av.com', 'ST.CO', 'Av.de/win', 'www.rte.de', 'shop.rte.de', 'rte.de', 'x.de Lyon', 'T.me'),
])('%j could advertise an address', (text) => {
  expect(hasAddress(text)).toBe(true);
});

test.each([
  ...each(
    'Ada Byron',
    'J. R. R. Tolkien',
    'J.R.R. Tolkien',
    'J.R.R.',
    'J.Tolkien',
    'J.Li',
    'J.de Vries',
    'M.Black',
  ),
  ...each(
    'Dr.Müller',
    'DR.MÜLLER',
    'DR.BLACK',
    'Dr.med.Weber',
    'Dipl.-Ing.Huber',
    'Prof.Dr.med. Weber',
    'M.Sc. Ada',
  ),
  ...each(
    'Dott.ssa Maria Rossi',
    'Sig.na Bianchi',
    'M.et Mme Dupont',
    'M.DE SOUSA',
    'J.-P.Black',
    'Sr.D.Juan',
  ),
  ...each(
    'Jean-Pierre St.John',
    'Martin Luther King Jr.',
    'S.A.R.L. Dupont',
    'F.lli Rossi S.r.l.',
    'Sig.ra Rossi',
  ),
  ...each(
    'Rte.de Lyon 3',
    'RTE.DE LYON 3',
    'Av.de la Gare',
    'av.de la gare',
    'Bd.St.Germain',
    'Pl.de la République',
  ),
  ...each(
    'PO.BOX 12',
    'P.O.Box 12',
    'p.o.box 12',
    'C.so Garibaldi 12',
    'P.za Garibaldi',
    'Urb.La Paz',
    'Apt.No 3',
  ),
  ...each(
    'Str.des 17.Juni',
    'Straße des 17.Juni 5',
    'Str.am Markt 3',
    'Hauptstr.12a',
    'Hauptstr.Berlin',
    'Str.Nr.5',
  ),
  ...each('ST.GALLEN', 'St.Pölten', 'Freiburg i.Br.', 'Kirchberg i.Tirol', 'Frankfurt a.M.', 'Mt.St.Helens'),
  ...each(
    '1.er étage, 12 bis rue du Papier',
    'piso 2.do',
    'piso 4.to',
    '1.St. links',
    'No. 5, St. Mary’s Rd.',
  ),
  ...each(
    'Ünsal & Söhne GmbH & Co. KG',
    'Müller GmbH & Co.KG',
    'Haus 3.OG/links',
    'Q-7K3M9-QXD42',
    'F2026-000001',
  ),
  ...each(
    'Hôtel: Lutetia',
    'Rés.St Louis',
    'Univ.-Prof. Weber',
    'Gén.de Gaulle',
    'S.to Stefano',
    'Apdo.nº 5',
    '株式会社',
    '',
  ),
])('%j passes', (text) => {
  expect(hasAddress(text)).toBe(false);
});

test('a name before a public suffix is an address in any letter case, and with anything around it', () => {
  const endings = fc.constantFrom('com', 'co.uk', 'club', 'berlin', 'рф', 'ch', 'example');
  const label = fc.stringMatching(/^[a-z]{4,12}ong$/);
  const around = fc.constantFrom(['', ''], ['Win at ', ' now'], ['(', ')'], ['Ada, ', '!'], ['Ada.', '']);
  fc.assert(
    fc.property(label, endings, around, fc.boolean(), (name, ending, [before, after], isUpper) => {
      const host = `${name}.${ending}`;
      return hasAddress(`${before}${isUpper ? host.toUpperCase() : host}${after}`);
    }),
  );
});

test.each([
  ...each('CALL 0899 123 456 NOW', '123456', '1 2 3 4 5 6', '12.34.56', '(089) 123', '12-34/56', '+33 1 999'),
  ...each('１２３４５６', '١٢٣٤٥٦', '12\u200b3456', 'casino.example'),
])('%j is no name: it could advertise', (text) => {
  expect(hasAdvertisement(text, NAME_DIGITS)).toBe(true);
});

test('a name may have five digits in a row, a line of an address eight', () => {
  expect(hasAdvertisement('Ada 12345', NAME_DIGITS)).toBe(false);
  expect(hasAdvertisement('Ada 12, 345, 6', NAME_DIGITS)).toBe(false);
  expect(hasAdvertisement('Ada 123456', NAME_DIGITS)).toBe(true);
  expect(hasAdvertisement('Hauptstr. 1200-1204', LINE_DIGITS)).toBe(false);
  expect(hasAdvertisement('Packstation 123, 12345678', LINE_DIGITS)).toBe(false);
  expect(hasAdvertisement('0899 123 45', LINE_DIGITS)).toBe(true);
});
