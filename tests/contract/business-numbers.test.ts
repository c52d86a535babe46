import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSameBusiness, isSiret, normalizeNumber, vatProblem } from '#contract/business-numbers';

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((list) => list.join(''));

/** Appends the Luhn check digit (ISO/IEC 7812-1 annex B), found by trial. */
function withLuhn(body: string): string {
  for (let check = 0; check <= 9; check += 1) {
    const whole = `${body}${check}`;
    let sum = 0;
    for (let place = 0; place < whole.length; place += 1) {
      const digit = Number(whole[whole.length - 1 - place]);
      sum += place % 2 === 0 ? digit : Math.floor((digit * 2) / 10) + ((digit * 2) % 10);
    }
    if (sum % 10 === 0) return whole;
  }
  throw new Error('no digit fits');
}

const siren = digits(8)
  .map(withLuhn)
  .filter((number) => !/^0+$/.test(number) && number !== '356000000');
const siret = fc.tuple(siren, digits(4)).map(([business, site]) => withLuhn(business + site));
const frenchVat = siren.map((business) => {
  const key = (12 + 3 * (Number(business) % 97)) % 97;
  return `FR${String(key).padStart(2, '0')}${business}`;
});

test.each(['73282932000074', '55208131766522', '35600000000048', '35600000049837'])(
  '%s is a SIRET',
  (number) => {
    expect(isSiret(number)).toBe(true);
  },
);

test.each([
  '73282932000079',
  '35600000012345',
  '00000000000000',
  '7328293200007',
  '732829320000744',
  '7328293200007A',
  '732 829 320 00074',
  '',
  '٧٣٢٨٢٩٣٢٠٠٠٠٧٤',
])('%s is not a SIRET', (number) => {
  expect(isSiret(number)).toBe(false);
});

test('every number with a correct check digit is a SIRET, and none with one digit changed', () => {
  fc.assert(fc.property(siret, isSiret));
  fc.assert(
    fc.property(siret, fc.nat(13), fc.integer({ min: 1, max: 9 }), (number, place, shift) => {
      const changed = String((Number(number[place]) + shift) % 10);
      return !isSiret(number.slice(0, place) + changed + number.slice(place + 1));
    }),
  );
});

test('establishments of La Poste have a digit sum divisible by five', () => {
  fc.assert(
    fc.property(digits(5), (site) => {
      const number = `356000000${site}`;
      const sum = [...number].reduce((total, digit) => total + Number(digit), 0);
      return isSiret(number) === (sum % 5 === 0 || withLuhn(number.slice(0, 13)) === number);
    }),
  );
});

test.each([
  ['FR', 'FR40303265045'],
  ['FR', 'FR44732829320'],
  ['FR', 'FRK7399859412'],
  ['FR', 'FR4Z123456782'],
  ['DE', 'DE136695976'],
  ['ES', 'ESB58378431'],
  ['IE', 'IE3628739UA'],
  ['GR', 'EL094259216'],
  ['BE', 'BE0428759497'],
  ['AT', 'ATU13585627'],
  ['IT', 'IT00743110157'],
  ['LU', 'LU15027442'],
  ['NL', 'NL004495445B01'],
  ['PT', 'PT501964843'],
  ['PL', 'PL8567346215'],
  ['SE', 'SE123456789701'],
  ['MC', 'FR53000004605'],
  ['RE', 'FR44732829320'],
])('a business in %s may have the VAT number %s', (country, number) => {
  expect(vatProblem(country, number)).toBeNull();
});

test.each([
  ['FR', 'FR40303265046', 'vat_number_invalid'],
  ['FR', 'FR84323140391', 'vat_number_invalid'],
  ['DE', 'DE136695978', 'vat_number_invalid'],
  ['FR', '732829320', 'vat_number_invalid'],
  ['MC', 'FR54000004605', 'vat_number_invalid'],
  ['FR', 'DE136695976', 'vat_number_country'],
  ['DE', 'FR44732829320', 'vat_number_country'],
  ['US', 'FR44732829320', 'vat_number_country'],
  ['CH', 'CHE123456788', 'vat_number_country'],
])('a business in %s may not have the VAT number %s', (country, number, problem) => {
  expect(vatProblem(country, number)).toBe(problem);
});

test('every French VAT number with a correct key is valid, and none with another key', () => {
  fc.assert(fc.property(frenchVat, (number) => vatProblem('FR', number) === null));
  fc.assert(
    fc.property(frenchVat, fc.integer({ min: 1, max: 96 }), (number, shift) => {
      const key = String((Number(number.slice(2, 4)) + shift) % 97).padStart(2, '0');
      return vatProblem('FR', `FR${key}${number.slice(4)}`) === 'vat_number_invalid';
    }),
  );
});

test('no text makes the checks throw', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('FR', 'DE', 'US', '', 'toString'),
      (text, country) => {
        vatProblem(country, normalizeNumber(text));
        isSiret(normalizeNumber(text));
      },
    ),
  );
});

test('a French VAT number ends with the SIREN of its SIRET', () => {
  expect(isSameBusiness('FR44732829320', '73282932000074')).toBe(true);
  expect(isSameBusiness('FR40303265045', '73282932000074')).toBe(false);
  expect(isSameBusiness('DE136695976', '73282932000074')).toBe(true);
});
