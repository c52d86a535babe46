import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountsOf, priceFor, type Vat, vatOf } from '#host/invoices/tax';
import { BUYER } from './paid-periods';

const GERMAN = { country: 'DE', postalCode: '10115' };

test.each([
  [{ country: 'DE' }, 'standard'],
  [{ ...GERMAN, professional: true, vatNumber: '' }, 'standard'],
  [{ ...GERMAN, professional: true, vatNumber: 'DE136695976' }, 'reverse_charge'],
  [{ country: 'GR', professional: true, vatNumber: 'EL094259216' }, 'reverse_charge'],
  [{ country: 'FR', professional: true, vatNumber: 'FR44732829320' }, 'standard'],
  [{ ...GERMAN, professional: false, vatNumber: 'DE136695976' }, 'standard'],
  [{ country: 'GB', professional: true, vatNumber: '' }, 'outside_eu'],
  [{ country: 'CH' }, 'outside_eu'],
])('the VAT for %j is %s', (fields, tax) => {
  expect(vatOf({ ...BUYER, ...fields }).tax).toBe(tax);
});

test.each([
  // France, Corsica, the armed forces and Monaco.
  ['FR', '75011', 'standard', 20],
  ['FR', '01000', 'standard', 20],
  ['FR', '95880', 'standard', 20],
  ['FR', '20000', 'standard', 20],
  ['FR', '20250', 'standard', 20],
  ['FR', '98000', 'standard', 20],
  ['FR', '00200', 'standard', 20],
  ['MC', '98000', 'standard', 20],
  // Guadeloupe, Martinique and Réunion.
  ['FR', '97110', 'standard', 8.5],
  ['FR', '97200', 'standard', 8.5],
  ['FR', '97 490', 'standard', 8.5],
  ['GP', '97110', 'standard', 8.5],
  ['MQ', '97200', 'standard', 8.5],
  ['RE', '97400', 'standard', 8.5],
  // French Guiana and Mayotte.
  ['FR', '97300', 'not_applicable', 0],
  ['FR', '97600', 'not_applicable', 0],
  ['GF', '97354', 'not_applicable', 0],
  ['YT', '97680', 'not_applicable', 0],
  // Saint-Pierre-et-Miquelon, Saint-Barthélemy and Saint-Martin, which share the codes of Guadeloupe, and the Pacific.
  ['FR', '97500', 'outside_eu', 0],
  ['FR', '97133', 'outside_eu', 0],
  ['FR', '97150', 'outside_eu', 0],
  ['FR', '97700', 'outside_eu', 0],
  ['FR', '97800', 'outside_eu', 0],
  ['FR', '98413', 'outside_eu', 0],
  ['FR', '98600', 'outside_eu', 0],
  ['FR', '98714', 'outside_eu', 0],
  ['FR', '98800', 'outside_eu', 0],
  ['PM', '97500', 'outside_eu', 0],
  ['BL', '97133', 'outside_eu', 0],
  ['MF', '97150', 'outside_eu', 0],
  ['MF', '97054', 'outside_eu', 0],
  ['GP', '97150', 'outside_eu', 0],
  ['NC', '', 'outside_eu', 0],
  ['PF', 'BP 120', 'outside_eu', 0],
  ['WF', '98600', 'outside_eu', 0],
  ['TF', '', 'outside_eu', 0],
  // The postal code decides.
  ['GF', '75011', 'standard', 20],
  ['RE', '97300', 'not_applicable', 0],
  // Other members, and their parts outside the Union's VAT area.
  ['DE', '97133', 'standard', 20],
  ['DE', '78266', 'outside_eu', 0],
  ['DE', 'D-27498', 'outside_eu', 0],
  ['XK', '10000', 'outside_eu', 0],
  ['ES', '28013', 'standard', 20],
  ['ES', '35001', 'outside_eu', 0],
  ['ES', '38001', 'outside_eu', 0],
  ['ES', '51001', 'outside_eu', 0],
  ['ES', '52001', 'outside_eu', 0],
  ['FI', '00100', 'standard', 20],
  ['FI', '22100', 'outside_eu', 0],
  ['AX', '22100', 'outside_eu', 0],
  ['GR', '105 63', 'standard', 20],
  ['GR', '630 86', 'outside_eu', 0],
  ['IT', '00184', 'standard', 20],
  ['IT', '23041', 'outside_eu', 0],
  ['IT', '22061', 'outside_eu', 0],
  ['GB', 'SW1A 1AA', 'outside_eu', 0],
  ['CH', '1000', 'outside_eu', 0],
  ['US', '97301', 'outside_eu', 0],
])('in %s %s the VAT is %s, at a rate of %d percent', (country, postalCode, tax, vatPercent) => {
  const buyer = { ...BUYER, country, postalCode };
  expect(vatOf(buyer)).toEqual({ tax, vatPercent });
  expect(priceFor(990, buyer)).toBe(vatPercent > 0 ? 990 : 825);
});

test('a VAT number does not put a business on Spain’s islands into the VAT area', () => {
  const buyer = { ...BUYER, country: 'ES', professional: true, vatNumber: 'ESB58378431' };
  expect(vatOf({ ...buyer, postalCode: '08001' }).tax).toBe('reverse_charge');
  expect(vatOf({ ...buyer, postalCode: '35001' }).tax).toBe('outside_eu');
});

const cents = fc.integer({ min: 0, max: 100_000_000 });
/** In hundredths of a percent: the real rates, and any other. */
const rate = fc.oneof(fc.constantFrom(2000, 850), fc.integer({ min: 1, max: 9_999 }));

test('net amount and VAT add up to what was paid, at any rate, and VAT is rounded half up to the cent', () => {
  fc.assert(
    fc.property(cents, rate, (paidCents, hundredths) => {
      const vat: Vat = { tax: 'standard', vatPercent: hundredths / 100 };
      const { netCents, vatCents, grossCents, ...said } = amountsOf(paidCents, vat);
      expect(said).toEqual(vat);
      expect(netCents + vatCents).toBe(grossCents);
      expect(grossCents).toBe(paidCents);
      const [over, under] = [BigInt(paidCents) * BigInt(hundredths), BigInt(10_000 + hundredths)];
      const isHalfOrMore = 2n * (over % under) >= under;
      expect(BigInt(vatCents)).toBe(over / under + (isHalfOrMore ? 1n : 0n));
    }),
  );
});

test('without VAT the net amount is the amount paid', () => {
  fc.assert(
    fc.property(
      cents,
      fc.constantFrom('reverse_charge', 'not_applicable', 'outside_eu'),
      (paidCents, tax) => {
        const nothing = { tax, vatPercent: 0 } as const;
        const amounts = { netCents: paidCents, vatCents: 0, grossCents: paidCents };
        expect(amountsOf(paidCents, nothing)).toEqual({ ...nothing, ...amounts });
      },
    ),
  );
});

test('a price without VAT is the net amount of the same price in France', () => {
  fc.assert(
    fc.property(cents, (priceCents) => {
      const { netCents } = amountsOf(priceCents, vatOf(BUYER));
      for (const fields of [{ country: 'CH' }, { postalCode: '97300' }, { postalCode: '98800' }]) {
        expect(priceFor(priceCents, { ...BUYER, ...fields })).toBe(netCents);
      }
      expect(priceFor(priceCents, { ...BUYER, postalCode: '97400' })).toBe(priceCents);
    }),
  );
});

test.each([
  [990, 20, 825, 165],
  [10_692, 20, 8910, 1782],
  [990, 8.5, 912, 78],
  [10_692, 8.5, 9854, 838],
  // Half a cent of VAT is rounded up.
  [3, 20, 2, 1],
  [9, 20, 7, 2],
  [217, 8.5, 200, 17],
])('%i cents at a rate of %d percent are %i and %i', (paidCents, vatPercent, netCents, vatCents) => {
  expect(amountsOf(paidCents, { tax: 'standard', vatPercent })).toMatchObject({ netCents, vatCents });
});
