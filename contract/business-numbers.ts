import * as jsvat from 'jsvat-next';

// Node cannot detect the named exports of this CommonJS package; they are on `default` then.
const vat = (jsvat as { default?: typeof jsvat }).default ?? jsvat;

/** SIREN of La Poste, whose establishments follow a different numbering rule. */
const LA_POSTE = '356000000';

export const EU_MEMBERS: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/** Countries whose VAT prefix differs from their country code (Council Directive 2006/112/EC art. 215). */
const VAT_PREFIX: ReadonlyMap<string, string> = new Map([
  ['GR', 'EL'],
  ...['MC', 'GP', 'MQ', 'RE'].map((country) => [country, 'FR'] as const),
]);

const VAT_RULES = [
  vat.austria,
  vat.belgium,
  vat.bulgaria,
  vat.croatia,
  vat.cyprus,
  vat.czechRepublic,
  vat.denmark,
  vat.estonia,
  vat.finland,
  vat.france,
  vat.germany,
  vat.greece,
  vat.hungary,
  vat.ireland,
  vat.italy,
  vat.latvia,
  vat.lithuania,
  vat.luxembourg,
  vat.malta,
  vat.netherlands,
  vat.poland,
  vat.portugal,
  vat.romania,
  vat.slovakiaRepublic,
  vat.slovenia,
  vat.spain,
  vat.sweden,
];

/** Drops the separators people type between groups. */
export function normalizeNumber(entered: string): string {
  return entered.toUpperCase().replace(/[\s.\-\u00a0\u202f]/g, '');
}

/**
 * Whether 14 digits can be a SIRET (INSEE): Luhn over SIREN and SIRET; for La Poste the digit sum of every
 * establishment but the seat is a multiple of five.
 */
export function isSiret(siret: string): boolean {
  if (!/^\d{14}$/.test(siret) || /^0+$/.test(siret)) return false;
  const siren = siret.slice(0, 9);
  if (siren === LA_POSTE) return hasLuhn(siret) || digitSum(siret) % 5 === 0;
  return hasLuhn(siren) && hasLuhn(siret);
}

/** Message code for an invalid normalised EU VAT number, or null. */
export function vatProblem(country: string, number: string): string | null {
  const prefix = VAT_PREFIX.get(country) ?? country;
  if (!EU_MEMBERS.has(country) && !VAT_PREFIX.has(country)) return 'vat_number_country';
  if (!isVatNumber(number)) return 'vat_number_invalid';
  return number.startsWith(prefix) ? null : 'vat_number_country';
}

/** Whether a normalised number is valid in any EU country. */
export function isVatNumber(number: string): boolean {
  return vat.checkVAT(number, VAT_RULES).isValid || isMonacoVat(number);
}

/** A French VAT number ends with the SIREN that its SIRET starts with. */
export function isSameBusiness(vatNumber: string, siret: string): boolean {
  return !/^FR/.test(vatNumber) || vatNumber.slice(4) === siret.slice(0, 9);
}

/** Numbers of Monaco start with 000 in place of a SIREN and have no Luhn digit; the key is the French one. */
function isMonacoVat(number: string): boolean {
  const [, key, siren] = /^FR(\d{2})(000\d{6})$/.exec(number) ?? [];
  return siren !== undefined && Number(key) === (12 + 3 * (Number(siren) % 97)) % 97;
}

/** Verifies the check digit of a number of a company or a card (ISO/IEC 7812-1, annex B). */
export function hasLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function digitSum(digits: string): number {
  return [...digits].reduce((total, digit) => total + Number(digit), 0);
}
