/** Formats of postal codes after `normalizePostalCode`, by country; sources: the national posts. */
const FORMATS: Record<string, RegExp> = {
  ...sameFormat('AT BE BG HU SI CH', /^[1-9]\d{3}$/),
  ...sameFormat('CY DK NO', /^\d{4}$/),
  ...sameFormat('DE EE FI IT PL', /^\d{5}$/),
  // 2A and 2B are written 20; 97 and 98 are overseas; 00 is the armed forces.
  ...sameFormat('FR GP MQ GF RE YT PM BL MF', /^(?:00[1-9]|0[1-9]\d|[1-8]\d\d|9[0-578]\d)\d\d$/),
  ...sameFormat('MC', /^980\d{2}$/),
  ...sameFormat('ES', /^(?:0[1-9]|[1-4]\d|5[0-2])\d{3}$/),
  ...sameFormat('PT', /^[1-9]\d{6}$/),
  ...sameFormat('NL', /^[1-9]\d{3}(?!SA|SD|SS)[A-Z]{2}$/),
  ...sameFormat('LU', /^L?[1-9]\d{3}$/),
  ...sameFormat('IE', /^(?:[AC-FHKNPRTV-Y]\d{2}|D6W)[0-9AC-FHKNPRTV-Y]{4}$/),
  // BFPO is the armed forces; overseas territories have codes such as FIQQ 1ZZ.
  ...sameFormat('GB', /^(?:GIR0AA|BFPO\d{1,4}|[A-Z]{4}1ZZ|[A-Z]{1,2}\d[A-Z\d]?\d[ABD-HJLNP-UW-Z]{2})$/),
  ...sameFormat('SE', /^[1-9]\d{4}$/),
  ...sameFormat('CZ', /^[1-7]\d{4}$/),
  ...sameFormat('SK', /^[089]\d{4}$/),
  ...sameFormat('GR', /^[1-8]\d{4}$/),
  ...sameFormat('HR', /^[1-5]\d{4}$/),
  ...sameFormat('RO', /^\d{6}$/),
  ...sameFormat('LV', /^(?:LV)?\d{4}$/),
  ...sameFormat('LT', /^(?:LT)?\d{5}$/),
  ...sameFormat('XK', /^[1-7]\d{4}$/),
  ...sameFormat('MT', /^[A-Z]{3}\d{4}$/),
  ...sameFormat('IS', /^[1-9]\d{2}$/),
  ...sameFormat('LI', /^94(?:8[5-9]|9[0-8])$/),
  ...sameFormat('AD', /^(?:AD)?[1-7]00$/),
  ...sameFormat('US', /^\d{5}(?:\d{4})?$/),
  ...sameFormat('CA', /^[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z]\d[ABCEGHJ-NPRSTV-Z]\d$/),
};

/** Upper case without spaces, hyphens and the country's letters before one, as in D-10115: for comparing only. */
export function normalizePostalCode(entered: string): string {
  return entered
    .toUpperCase()
    .replace(/^\s*[A-Z]{1,2}\s*-\s*(?=\d)/, '')
    .replace(/[\s-]/g, '');
}

/**
 * Message code for an invalid postal code, or null. It is optional where no format is known, as some 60 countries have
 * none, and required while no country is chosen (''), as most have one.
 */
export function postalCodeProblem(country: string, entered: string): string | null {
  const format = FORMATS[country];
  const code = normalizePostalCode(entered);
  if (code === '') return format || country === '' ? 'postal_code_required' : null;
  return (format ?? /^[A-Z0-9]{1,10}$/).test(code) ? null : 'postal_code_invalid';
}

function sameFormat(countries: string, format: RegExp): Record<string, RegExp> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, format]));
}
