import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COUNTRIES } from '#contract/addresses';
import { normalizePostalCode, postalCodeProblem } from '#contract/postal-codes';

test.each([
  ['FR', '75011'],
  ['FR', '20090'],
  ['FR', '97400'],
  ['FR', '98000'],
  ['FR', '00200'],
  ['FR', '00999'],
  ['FR', 'F-20000'],
  ['RE', '97400'],
  ['DE', '01067'],
  ['ES', '28013'],
  ['IT', '00184'],
  ['PT', '1000-205'],
  ['NL', '1012 JS'],
  ['BE', '1000'],
  ['LU', 'L-1234'],
  ['LU', '1234'],
  ['AT', '1010'],
  ['GB', 'SW1A 1AA'],
  ['GB', 'ec1a1bb'],
  ['GB', 'BFPO 61'],
  ['GB', 'BF1 0AA'],
  ['GB', 'GIR 0AA'],
  ['GB', 'FIQQ 1ZZ'],
  ['IE', 'D02 AF30'],
  ['IE', 'd6w xy00'],
  ['PL', '00-950'],
  ['SE', '114 55'],
  ['CZ', '110 00'],
  ['SK', '811 01'],
  ['GR', '105 57'],
  ['HR', '10000'],
  ['RO', '010011'],
  ['LV', 'LV-1050'],
  ['LV', '1050'],
  ['LT', 'LT-01100'],
  ['MT', 'VLT 1117'],
  ['CH', '8001'],
  ['CH', 'CH-8001'],
  ['DE', 'D - 10115'],
  ['NO', '0150'],
  ['DK', '1050'],
  ['FI', '00100'],
  ['EE', '10111'],
  ['IS', '101'],
  ['MC', '98000'],
  ['LI', '9490'],
  ['AD', 'AD500'],
  ['AD', 'AD-500'],
  ['XK', '10000'],
  ['XK', '73000'],
  ['US', '09354'],
  ['US', '10001'],
  ['US', '10001-1234'],
  ['CA', 'K1A 0B1'],
  ['HK', ''],
  ['AE', ''],
  ['JP', '100-0001'],
  ['BR', '01310-100'],
  ['CY', '1010'],
  ['BG', '1000'],
  ['HU', '1051'],
  ['SI', '1000'],
])('in %s the postal code "%s" is valid', (country, code) => {
  expect(postalCodeProblem(country, code)).toBeNull();
});

test.each([
  ['FR', '7501'],
  ['FR', '00099'],
  ['FR', 'FRA-75011'],
  ['XK', '80000'],
  ['XK', '1000'],
  ['GB', 'BFPO'],
  ['FR', '96000'],
  ['FR', '99000'],
  ['FR', '750111'],
  ['FR', '7501A'],
  ['DE', '1067'],
  ['ES', '53000'],
  ['ES', '00999'],
  ['NL', '0123 AB'],
  ['NL', '1012 SS'],
  ['GB', '12345'],
  ['IE', 'A1B 2C3'],
  ['MC', '97000'],
  ['LI', '9484'],
  ['US', '1234'],
  ['CA', 'D1A 0B1'],
  ['JP', '100/0001'],
  ['JP', '１００'],
  ['DE', '٠١٠٦٧'],
  ['FR', '75 011\n6'],
])('in %s the postal code "%s" is invalid', (country, code) => {
  expect(postalCodeProblem(country, code)).toBe('postal_code_invalid');
});

test('a country with a known format requires the code', () => {
  expect(postalCodeProblem('FR', ' ')).toBe('postal_code_required');
  expect(postalCodeProblem('HK', ' ')).toBeNull();
});

test('spaces, hyphens and letter case do not matter', () => {
  const written = fc.tuple(
    fc.constantFrom(...COUNTRIES),
    fc
      .array(fc.constantFrom('1', '5', '7', 'A', 'k', ' ', '-'), { maxLength: 9 })
      .map((list) => list.join('')),
  );
  fc.assert(
    fc.property(written, ([country, code]) => {
      const plain = normalizePostalCode(code);
      return postalCodeProblem(country, code) === postalCodeProblem(country, ` ${plain.toLowerCase()} `);
    }),
  );
});

test('every French department has codes, and every code has five digits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 95 }), fc.integer({ min: 0, max: 999 }), (department, rest) => {
      const code = String(department).padStart(2, '0') + String(rest).padStart(3, '0');
      return postalCodeProblem('FR', code) === null && postalCodeProblem('FR', code.slice(1)) !== null;
    }),
  );
});

test('the 249 countries of ISO 3166-1 and Kosovo are distinct, and the runtime has a name for each', () => {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  expect(new Set(COUNTRIES).size).toBe(250);
  expect(COUNTRIES).toContain('XK');
  expect(COUNTRIES.filter((code) => names.of(code) === code)).toEqual([]);
});
