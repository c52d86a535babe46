import { randomUUID } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Locale } from '#contract/locales';
import { drawable, registerFaces, renderInvoice } from '#host/invoices/pdf';
import { type InvoiceRow, issueCreditNote, issueInvoice } from '#host/invoices/store';
import type { Buyer } from '#host/invoices/tax';
import { BILLING_TEXTS } from '#host/mail/texts';
import { createTestHost, type TestHost } from '../../support/host';
import { pdfText } from '../../support/pdf-text';
import { BUYER, paid } from './paid-periods';

const LOCALES: Locale[] = ['gb', 'fr', 'es', 'de', 'it'];
const FIRM = {
  professional: true,
  company: 'Atelier Byron',
  siret: '73282932000074',
  vatNumber: 'FR44732829320',
};

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

function invoiceTo(fields: Partial<Buyer>, locale: Locale = 'fr'): Promise<InvoiceRow> {
  return issueInvoice(host.db.orm, paid(host, { buyer: { ...BUYER, ...fields }, locale }), host.clock.now());
}

test('an invoice has the same bytes each time, even when rendered concurrently', async () => {
  const row = await invoiceTo({ name: 'Αλέξανδρος Παπαδόπουλος' });
  const first = Buffer.from(await renderInvoice(row));
  const again = await Promise.all([1, 2, 3].map(() => renderInvoice(row)));
  expect(again.map((pdf) => first.equals(Buffer.from(pdf)))).toEqual([true, true, true]);
  expect(first.length).toBeLessThan(30_000);
});

test('an invoice contains what French law requires', async () => {
  const row = await invoiceTo(FIRM);
  const text = await pdfText(await renderInvoice(row));
  for (const part of [
    'Facture',
    row.number,
    '2 mars 2026',
    'Q-00000-00001',
    'Carreau SAS',
    'SAS, 1 000 €',
    'RCS Paris 732 829 320',
    'FR44732829320',
    'Atelier Byron',
    'Ada Byron',
    '1 rue du Papier',
    '75011 Paris',
    '73282932000074',
    'du 4 mars 2026 au 4 avril 2026',
    '8,25 €',
    '20 %',
    'TVA 20 % 1,65 €',
    '9,90 €',
    'prestation de services',
    '40 euros',
    'Pas d’escompte',
  ]) {
    expect(text).toContain(part);
  }
});

const SELLER =
  'Carreau SAS SAS, 1 000 € 1 rue du Papier, 75011 Paris RCS Paris 732 829 320 VAT number FR44732829320 contact@quadrille.example';
const LINE = 'Quadrille subscription, Basic, monthly Period: 4 March 2026 to 4 April 2026 1';

test('an invoice and its credit note, read from the first word to the last', async () => {
  const about = paid(host, { locale: 'gb', buyer: { ...BUYER, city: 'Lyon' } });
  const { orm } = host.db;
  const invoice = await issueInvoice(orm, about, new Date('2026-03-02T22:59:59.000Z'));
  const head = 'Order reference Q-00000-00001';
  const parties = `Sold by ${SELLER} Invoiced to Ada Byron 1 rue du Papier 75011 Lyon France`;
  const columns = 'Description Quantity Unit price before VAT VAT rate Amount before VAT';
  expect((await pdfText(await renderInvoice(invoice))).trim()).toBe(
    [
      `Quadrille Invoice Number ${invoice.number} Issued on 2 March 2026 Paid on 2 March 2026 ${head}`,
      `${parties} ${columns} ${LINE} €8.25 20% €8.25`,
      'Total before VAT €8.25 VAT 20% €1.65 Total including VAT €9.90',
      'Paid by bank card. Nothing is left to pay. Nature of the operation: supply of services.',
    ].join(' '),
  );
  const refund = { id: randomUUID(), amountCents: 500 };
  const note = await issueCreditNote(orm, about.paymentId, refund, new Date('2026-03-02T23:00:00.000Z'));
  expect((await pdfText(await renderInvoice(note))).trim()).toBe(
    [
      `Quadrille Credit note Number ${note.number} Issued on 3 March 2026 Refunded on 3 March 2026 ${head}`,
      `Corrects invoice ${invoice.number} ${parties} ${columns} ${LINE} €4.17 20% €4.17`,
      'Total before VAT €4.17 VAT 20% €0.83 Total including VAT €5.00',
      'Refunded to the bank card. Nature of the operation: supply of services.',
    ].join(' '),
  );
});

test.each([
  ['fr', 'Avoir', 'Rectifie la facture', 'Total TTC 9,90 € Remboursé sur la carte bancaire.'],
  [
    'es',
    'Factura rectificativa',
    'Rectifica la factura',
    'Total con IVA 9,90 € Devuelto a la tarjeta bancaria.',
  ],
  ['de', 'Gutschrift', 'Berichtigt die Rechnung', 'Summe brutto 9,90 € Auf die Bankkarte erstattet.'],
  [
    'it',
    'Nota di credito',
    'Rettifica la fattura',
    'Totale IVA compresa 9,90 € Rimborsato sulla carta bancaria.',
  ],
] as const)(
  'a credit note in %s names its invoice and what was refunded',
  async (locale, title, line, total) => {
    const about = paid(host, { locale });
    const invoice = await issueInvoice(host.db.orm, about, host.clock.now());
    const refund = { id: randomUUID(), amountCents: 990 };
    const note = await issueCreditNote(host.db.orm, about.paymentId, refund, host.clock.now());
    const text = await pdfText(await renderInvoice(note));
    expect(text).toContain(`Quadrille ${title} `);
    expect(text).toContain(` ${note.number} `);
    expect(text).toContain(`${line} ${invoice.number} `);
    expect(text).toContain(total);
  },
);

test.each([
  ['gb', 'VAT 8.5% €0.78'],
  ['fr', 'TVA 8,5 % 0,78 €'],
  ['es', 'IVA 8,5 % 0,78 €'],
  ['de', 'USt 8,5 % 0,78 €'],
  ['it', 'IVA 8,5% 0,78 €'],
] as const)('the rate overseas is printed the way of %s', async (locale, line) => {
  const row = await invoiceTo({ postalCode: '97400' }, locale);
  expect(await pdfText(await renderInvoice(row))).toContain(line);
});

const UNTAXED = [
  ['reverse_charge', { country: 'DE', postalCode: '10115', ...FIRM, siret: '', vatNumber: 'DE136695976' }],
  ['not_applicable', { postalCode: '97300' }],
  ['outside_eu', { postalCode: '98800' }],
] as const;

test.each(LOCALES.flatMap((locale) => UNTAXED.map((one) => [locale, ...one] as const)))(
  '%s: an invoice says why no VAT is charged (%s), and nothing else about it',
  async (locale, tax, fields) => {
    const text = await pdfText(await renderInvoice(await invoiceTo(fields, locale)));
    const mentions = UNTAXED.map(([kind]) => BILLING_TEXTS[locale].invoice[kind]);
    const found = mentions.filter((mention) => text.includes(mention.replace(/\s+/g, ' ')));
    expect(found).toEqual([BILLING_TEXTS[locale].invoice[tax]]);
  },
);

test.each([
  ['Greek', 'Αλέξανδρος Παπαδόπουλος', 'Οδός Ερμού', 'Αθήνα'],
  ['Greek with old accents', 'Ἀλέξανδρος ᾿Ῥῆγας', 'ὁδὸς Ἑρμοῦ', 'Ἀθῆναι'],
  ['Bulgarian', 'Николай Щърбанов', 'ул. „Граф Игнатиев“ № 5', 'Пловдив'],
  ['Ukrainian', 'Єлизавета Їжакевич', 'вул. Ґонти 1', 'Київ'],
  ['Polish', 'Łucja Żółć-Gęślą', 'ul. Świętokrzyska 1', 'Łódź'],
  ['Czech', 'Příliš Žluťoučký Kůň', 'Úpěnlivá 12', 'Plzeň'],
  ['Romanian', 'Ștefan Țăndărică', 'Șoseaua Kiseleff 1', 'Iași'],
  ['Hungarian', 'Árvíztűrő Tükörfúrógép', 'Üllői út 1', 'Győr'],
  ['Turkish', 'Işıl Gökçe İnönü', 'Şişhane 1', 'İstanbul'],
  ['Vietnamese', 'Nguyễn Thị Hạnh', 'Đường Lê Lợi', 'Huế'],
  ['Yoruba', 'Ọlábísí Adébọ̀wálé', 'Ẹ̀kọ́', 'Ìbàdàn'],
  ['Hebrew', 'דוד כהן', 'רחוב הרצל', 'תל אביב'],
  ['Maltese', 'Ġorġ Ħaż-Żebbuġ', 'Triq il-Kbira', 'Birkirkara'],
])('a buyer’s name and address in %s are printed as typed', async (_, name, street, city) => {
  const text = await pdfText(await renderInvoice(await invoiceTo({ name, street, city })));
  for (const part of [name, street, city]) expect(text).toContain(part);
});

test('letters with combining marks are printed composed', async () => {
  const text = await pdfText(
    await renderInvoice(await invoiceTo({ name: 'Łódź Ångström'.normalize('NFD') })),
  );
  expect(text).toContain('Łódź Ångström');
});

test.each([
  ['王小明', '???'],
  ['محمد علي', '???? ???'],
  ['ＱＲ株式会社', 'QR????'],
  ['Zoë 👍🏽\u200d', 'Zoë ??'],
  ['soft\u00adhyphen', 'softhyphen'],
  ['דוד כהן', 'דוד\u00a0כהן'],
  ['a\nb', 'a\nb'],
  ['9,90\u00a0€ 20\u202f%', '9,90\u00a0€ 20\u202f%'],
])('%j is drawn as %j', (entered, drawn) => {
  expect(drawable(entered)).toBe(drawn);
});

test('both font faces have a glyph for every drawable letter', async () => {
  const pdf = new PDFDocument();
  await registerFaces(pdf);
  const letters = Array.from({ length: 0x2fff - 0x20 }, (_, place) => String.fromCharCode(place + 0x20));
  const drawn = letters.filter((letter) => drawable(letter) === letter);
  expect(drawn.length).toBeGreaterThan(1500);
  for (const face of ['regular', 'bold']) {
    pdf.font(face);
    const { font } = (pdf as unknown as { _font: { font: { hasGlyphForCodePoint(code: number): boolean } } })
      ._font;
    expect(drawn.filter((letter) => !font.hasGlyphForCodePoint(letter.charCodeAt(0)))).toEqual([]);
  }
});

test.each(LOCALES)(
  '%s: the longest names move the following lines down, and nothing overlaps',
  async (locale) => {
    const words = (word: string) => word.repeat(200).slice(0, 200).trim();
    const fields = {
      name: words('w'),
      company: words('W'),
      street: words('Kümmerlicher Weg '),
      city: 'X'.repeat(100),
    };
    const row = await invoiceTo({ ...FIRM, ...fields, country: 'FR', postalCode: '97300' }, locale);
    const pdf = await renderInvoice({
      ...row,
      seller: { ...row.seller, address: words('Rue des Carreaux ') },
    });
    const text = (await pdfText(pdf)).replaceAll(' ', '');
    for (const value of Object.values(fields)) expect(text).toContain(value.replaceAll(' ', ''));
    expect(text).toContain(BILLING_TEXTS[locale].invoice.late.replace(/\s/g, ''));
    const baselines = [...new Set(linesOf(pdf).map(({ y }) => y))].sort((a, b) => a - b);
    const gaps = baselines.slice(1).map((y, place) => y - (baselines[place] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(9);
    const spots = linesOf(pdf).map(({ x, y }) => `${x} ${y}`);
    expect(new Set(spots).size).toBe(spots.length);
  },
);

/** The start positions of the lines of a document, in points from the lower left. */
function linesOf(pdf: Uint8Array): { x: number; y: number }[] {
  const bytes = Buffer.from(pdf);
  const at = bytes.indexOf('stream\n', bytes.indexOf('/Contents')) + 7;
  const content = inflateSync(bytes.subarray(at, bytes.indexOf('endstream', at))).toString('latin1');
  return [...content.matchAll(/1 0 0 1 ([\d.]+) ([\d.]+) Tm/g)].map(([, x, y]) => ({
    x: Number(x),
    y: Number(y),
  }));
}
