import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findInvoice, issueCreditNote, issueInvoice } from '#host/invoices/invoices.store';
import { renderInvoice } from '#host/invoices/pdf';
import { amountsOf, type Buyer, priceFor, taxOf } from '#host/invoices/tax';
import { cardText, lastDayText, momentText, moneyText } from '#host/invoices/wording';
import { createTestHost, engines, type TestHost } from '../../support/host';
import { pdfText } from '../../support/pdf-text';

const BUYER: Buyer = {
  name: 'Ada Byron',
  company: '',
  street: '1 rue du Papier',
  postalCode: '75011',
  city: 'Paris',
  country: 'FR',
  professional: false,
  siret: '',
  vatNumber: '',
};

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

function paid(fields: Partial<Parameters<typeof issueInvoice>[1]> = {}) {
  const { identity, appName, contactEmail } = host.deps.settings;
  return {
    accountId: randomUUID(),
    paymentId: randomUUID(),
    amountCents: 990,
    plan: 'basic_monthly' as const,
    periodStart: new Date('2026-03-04T10:00:00.000Z'),
    periodEnd: new Date('2026-04-04T10:00:00.000Z'),
    buyer: BUYER,
    seller: { ...identity.seller, appName, contactEmail },
    reference: 'Q-00000-00001',
    locale: 'fr' as const,
    ...fields,
  };
}

test.each([
  [{ country: 'FR' }, 'standard'],
  [{ country: 'MC' }, 'standard'],
  [{ country: 'RE' }, 'standard'],
  [{ country: 'DE' }, 'standard'],
  [{ country: 'DE', professional: true, vatNumber: '' }, 'standard'],
  [{ country: 'DE', professional: true, vatNumber: 'DE136695976' }, 'reverse_charge'],
  [{ country: 'GR', professional: true, vatNumber: 'EL094259216' }, 'reverse_charge'],
  [{ country: 'FR', professional: true, vatNumber: 'FR44732829320' }, 'standard'],
  [{ country: 'DE', professional: false, vatNumber: 'DE136695976' }, 'standard'],
  [{ country: 'GB', professional: true, vatNumber: '' }, 'outside_eu'],
  [{ country: 'CH' }, 'outside_eu'],
])('the VAT for %j is %s', (fields, tax) => {
  expect(taxOf({ ...BUYER, ...fields })).toBe(tax);
});

test('VAT and net amount always add up to what was paid, and VAT is right to half a cent', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000_000 }), (cents) => {
      const { netCents, vatCents, grossCents } = amountsOf(cents, 'standard');
      expect(netCents + vatCents).toBe(grossCents);
      expect(grossCents).toBe(cents);
      expect(Math.abs(vatCents - cents / 6)).toBeLessThanOrEqual(0.5);
      expect(amountsOf(cents, 'reverse_charge')).toMatchObject({
        netCents: cents,
        vatCents: 0,
        vatPercent: 0,
      });
      expect(priceFor(cents, { ...BUYER, country: 'CH' })).toBe(netCents);
      expect(priceFor(cents, BUYER)).toBe(cents);
    }),
  );
  expect(amountsOf(990, 'standard')).toMatchObject({ netCents: 825, vatCents: 165, vatPercent: 20 });
  expect(amountsOf(3, 'standard')).toMatchObject({ netCents: 2, vatCents: 1 });
});

test.each(engines)(
  '%s: numbers of a year in Paris follow on each other without a gap, however many are written at once',
  async (_, open) => {
    const node = await createTestHost({ db: await open() });
    const { orm } = node.db;
    const now = new Date('2026-12-31T22:59:59.000Z');
    const write = (fail: boolean) =>
      orm
        .transaction(async (transaction) => {
          await issueInvoice(transaction, paid(), now);
          if (fail) throw new Error('undone');
        })
        .catch(() => undefined);
    await Promise.all(Array.from({ length: 30 }, (_, turn) => write(turn % 3 === 0)));
    await orm.transaction((transaction) =>
      issueInvoice(transaction, paid(), new Date('2026-12-31T23:00:00.000Z')),
    );
    const { rows } = (await orm.execute('select number from invoices order by number')) as unknown as {
      rows: { number: string }[];
    };
    expect(rows.map(({ number }) => number)).toEqual([
      ...Array.from({ length: 20 }, (_, place) => `F2026-${String(place + 1).padStart(6, '0')}`),
      'F2027-000001',
    ]);
    await node.close();
  },
);

test('an invoice carries what French law asks for, and the same bytes each time', async () => {
  const company = {
    professional: true,
    company: 'Atelier Byron',
    siret: '73282932000074',
    vatNumber: 'FR44732829320',
  };
  const row = await issueInvoice(host.db.orm, paid({ buyer: { ...BUYER, ...company } }), host.clock.now());
  const pdf = await renderInvoice(row);
  expect(Buffer.from(await renderInvoice(row)).equals(Buffer.from(pdf))).toBe(true);
  const text = pdfText(pdf).replace(/\s+/g, ' ');
  for (const part of [
    ...['Facture', row.number, '2 mars 2026', 'Q-00000-00001'],
    ...['Carreau SAS', 'SAS, 1 000 €', 'RCS Paris 732 829 320', 'FR44732829320'],
    ...['Atelier Byron', 'Ada Byron', '1 rue du Papier', '75011 Paris', '73282932000074'],
    ...['du 4 mars 2026 au 4 avril 2026', '8,25 €', '20 %', '1,65 €', '9,90 €'],
    ...['prestation de services', '40 euros', 'Pas d’escompte'],
  ]) {
    expect(text).toContain(part);
  }
});

test('a credit note names the invoice it takes back, with its own number and the same amounts', async () => {
  const about = paid({
    buyer: { ...BUYER, country: 'DE', professional: true, company: 'Werk', vatNumber: 'DE136695976' },
    amountCents: 825,
    locale: 'de' as never,
  });
  const row = await issueInvoice(host.db.orm, about, host.clock.now());
  const note = await issueCreditNote(
    host.db.orm,
    about.paymentId,
    { id: randomUUID(), amountCents: 825 },
    host.clock.now(),
  );
  expect(note).toMatchObject({ number: 'A2026-000001', corrects: row.number, grossCents: 825, vatCents: 0 });
  const text = pdfText(await renderInvoice(note)).replace(/\s+/g, ' ');
  for (const part of [
    'Gutschrift',
    row.number,
    'Steuerschuldnerschaft des Leistungsempfängers',
    'DE136695976',
  ])
    expect(text).toContain(part);
  expect(await findInvoice(host.db.orm, 'A2026-000001')).toMatchObject({ corrects: row.number });
  await expect(
    issueCreditNote(host.db.orm, randomUUID(), { id: randomUUID(), amountCents: 1 }, host.clock.now()),
  ).rejects.toThrow('no invoice');
});

test('a document’s number and its date name the same year', async () => {
  const row = await issueInvoice(host.db.orm, paid(), new Date('2026-12-31T23:30:00.000Z'));
  expect(row.number).toMatch(/^F2027-/);
  expect(pdfText(await renderInvoice(row))).toContain('1 janvier 2027');
});

test('letters that the fonts lack lose their marks instead of turning into noise', async () => {
  const row = await issueInvoice(
    host.db.orm,
    paid({ buyer: { ...BUYER, name: 'Łucja Żółć', city: 'Łódź' } }),
    host.clock.now(),
  );
  const text = pdfText(await renderInvoice(row));
  expect(text).toContain('Lucja Zólc');
  expect(text).toContain('Lódz');
});

test.each([
  ['gb', '€1,069.20', '4 March 2026 at 11:00 CET'],
  ['fr', '1 069,20 €', '4 mars 2026 à 11:00'],
  ['de', '1.069,20 €', '4. März 2026 um 11:00'],
  ['es', '1069,20 €', '4 de marzo de 2026'],
  ['it', '1069,20 €', '4 marzo 2026'],
] as const)('amounts and moments are written the way of %s', (locale, amount, moment) => {
  const spaced = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');
  expect(spaced(moneyText(106_920, locale))).toBe(amount);
  expect(spaced(momentText(new Date('2026-03-04T10:00:00.000Z'), locale))).toContain(moment);
  expect(cardText({ brand: 'visa', last4: '4242' }, locale)).toContain('4242');
});

test('something that ends at midnight in Paris is good for the day before', () => {
  expect(lastDayText(new Date('2026-03-16T23:00:00.000Z'), 'gb')).toBe('16 March 2026');
  expect(lastDayText(new Date('2026-06-16T22:00:00.000Z'), 'gb')).toBe('16 June 2026');
});
