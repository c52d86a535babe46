import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoices } from '#host/db/invoices.tables';
import { renderInvoice } from '#host/invoices/pdf';
import { findInvoice, issueCreditNote, issueInvoice } from '#host/invoices/store';
import { cardText, dateTimeText, lastDayText, moneyText, percentText } from '#host/invoices/wording';
import { createTestHost, type TestHost } from '../../support/host';
import { pdfText } from '../../support/pdf-text';
import { BUYER, paid } from './paid-periods';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('invoice numbers of a year in Paris have no gaps, even when issued concurrently', async () => {
  const node = await createTestHost();
  const { orm } = node.db;
  const now = new Date('2026-12-31T22:59:59.000Z');
  const write = (fail: boolean) =>
    orm.transaction(async (transaction) => {
      await issueInvoice(transaction, paid(node), now);
      if (fail) throw new Error('undone');
    });
  // As many as a host has connections; more would wait for one, and time out on a busy machine.
  for (let round = 0; round < 3; round += 1) {
    const fails = Array.from({ length: 10 }, (_, turn) => (round * 10 + turn) % 3 === 0);
    await Promise.all(
      fails.map((fail) => (fail ? expect(write(fail)).rejects.toThrow('undone') : write(fail))),
    );
  }
  await orm.transaction((transaction) =>
    issueInvoice(transaction, paid(node), new Date('2026-12-31T23:00:00.000Z')),
  );
  const { rows } = (await orm.execute('select number from invoices order by number')) as unknown as {
    rows: { number: string }[];
  };
  expect(rows.map(({ number }) => number)).toEqual([
    ...Array.from({ length: 20 }, (_, place) => `F2026-${String(place + 1).padStart(6, '0')}`),
    'F2027-000001',
  ]);
  await node.close();
});

test.each([
  [{}, 990, { tax: 'standard', vatPercent: 20, netCents: 825, vatCents: 165, grossCents: 990 }],
  [{}, 500, { tax: 'standard', vatPercent: 20, netCents: 417, vatCents: 83, grossCents: 500 }],
  [
    { postalCode: '97400' },
    990,
    { tax: 'standard', vatPercent: 8.5, netCents: 912, vatCents: 78, grossCents: 990 },
  ],
  [
    { postalCode: '97400' },
    217,
    { tax: 'standard', vatPercent: 8.5, netCents: 200, vatCents: 17, grossCents: 217 },
  ],
  [
    { postalCode: '97300' },
    500,
    { tax: 'not_applicable', vatPercent: 0, netCents: 500, vatCents: 0, grossCents: 500 },
  ],
] as const)(
  'a credit note for %j over %i cents has the rate of its invoice',
  async (fields, amountCents, amounts) => {
    const about = paid(host, { buyer: { ...BUYER, ...fields } });
    const { vatPercent } = await issueInvoice(host.db.orm, about, host.clock.now());
    expect(vatPercent).toBe(amounts.vatPercent);
    const refund = { id: randomUUID(), amountCents };
    const note = await issueCreditNote(host.db.orm, about.paymentId, refund, host.clock.now());
    expect(note).toMatchObject(amounts);
  },
);

test('a credit note keeps the VAT rate of its invoice after the rules have changed', async () => {
  const about = paid(host, { buyer: { ...BUYER, postalCode: '97300' } });
  const { number } = await issueInvoice(host.db.orm, about, host.clock.now());
  // The amounts from before this place had its own rule.
  const before = { tax: 'standard' as const, vatPercent: 20, netCents: 825, vatCents: 165 };
  await host.db.orm.update(invoices).set(before).where(eq(invoices.number, number));
  const refund = { id: randomUUID(), amountCents: 500 };
  const note = await issueCreditNote(host.db.orm, about.paymentId, refund, host.clock.now());
  const amounts = { tax: 'standard', vatPercent: 20, netCents: 417, vatCents: 83, grossCents: 500 };
  expect(note).toMatchObject(amounts);
  expect(await findInvoice(host.db.orm, note.number)).toMatchObject({ ...amounts, corrects: number });
});

test('a credit note names the invoice it corrects and has its own number', async () => {
  const about = paid(host);
  const { number } = await issueInvoice(host.db.orm, about, host.clock.now());
  const refund = { id: randomUUID(), amountCents: 990 };
  const note = await issueCreditNote(host.db.orm, about.paymentId, refund, host.clock.now());
  expect(note).toMatchObject({ corrects: number, paymentId: about.paymentId, refundId: refund.id });
  expect(note.number).toMatch(/^A2026-\d{6}$/);
  await expect(
    issueCreditNote(host.db.orm, randomUUID(), { id: randomUUID(), amountCents: 1 }, host.clock.now()),
  ).rejects.toThrow('no invoice');
});

test('the number and the date of a document are in the same year', async () => {
  const row = await issueInvoice(host.db.orm, paid(host), new Date('2026-12-31T23:30:00.000Z'));
  expect(row.number).toMatch(/^F2027-/);
  expect(await pdfText(await renderInvoice(row))).toContain('1 janvier 2027');
});

test.each([
  ['gb', '€1,069.20', '4 March 2026 at 10:00 GMT'],
  ['fr', '1 069,20 €', '4 mars 2026 à 11:00 (heure de Paris)'],
  ['de', '1.069,20 €', '4. März 2026 um 11:00'],
  ['es', '1069,20 €', '4 de marzo de 2026'],
  ['it', '1069,20 €', '4 marzo 2026'],
] as const)('amounts and times are formatted for %s', (locale, amount, moment) => {
  const spaced = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');
  expect(spaced(moneyText(106_920, locale))).toBe(amount);
  expect(spaced(dateTimeText(new Date('2026-03-04T10:00:00.000Z'), locale))).toContain(moment);
  expect(cardText({ brand: 'visa', last4: '4242' }, locale)).toContain('4242');
});

test.each([
  ['gb', '8.5%', '20%'],
  ['fr', '8,5 %', '20 %'],
  ['de', '8,5 %', '20 %'],
  ['es', '8,5 %', '20 %'],
  ['it', '8,5%', '20%'],
] as const)('VAT rates are formatted for %s', (locale, reduced, standard) => {
  expect([8.5, 20].map((percent) => percentText(percent, locale).replace(/\s/, ' '))).toEqual([
    reduced,
    standard,
  ]);
});

test('the last day of something that ends at midnight in Paris is the day before', () => {
  expect(lastDayText(new Date('2026-03-16T23:00:00.000Z'), 'gb')).toBe('16 March 2026');
  expect(lastDayText(new Date('2026-06-16T22:00:00.000Z'), 'gb')).toBe('16 June 2026');
});
