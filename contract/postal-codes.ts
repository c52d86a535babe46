/** Forms of postal codes after `normalizePostalCode`, by country; sources: the national posts. */
const FORMS: Record<string, RegExp> = {
  ...sameForm('AT BE BG HU SI CH', /^[1-9]\d{3}$/),
  ...sameForm('CY DK NO', /^\d{4}$/),
  ...sameForm('DE EE FI IT PL', /^\d{5}$/),
  // 2A and 2B are written 20; 97 and 98 are overseas.
  ...sameForm('FR GP MQ GF RE YT PM BL MF', /^(?:0[1-9]|[1-8]\d|9[0-578])\d{3}$/),
  ...sameForm('MC', /^980\d{2}$/),
  ...sameForm('ES', /^(?:0[1-9]|[1-4]\d|5[0-2])\d{3}$/),
  ...sameForm('PT', /^[1-9]\d{6}$/),
  ...sameForm('NL', /^[1-9]\d{3}(?!SA|SD|SS)[A-Z]{2}$/),
  ...sameForm('LU', /^L?[1-9]\d{3}$/),
  ...sameForm('IE', /^(?:[AC-FHKNPRTV-Y]\d{2}|D6W)[0-9AC-FHKNPRTV-Y]{4}$/),
  ...sameForm('GB', /^(?:GIR0AA|[A-Z]{1,2}\d[A-Z\d]?\d[ABD-HJLNP-UW-Z]{2})$/),
  ...sameForm('SE', /^[1-9]\d{4}$/),
  ...sameForm('CZ', /^[1-7]\d{4}$/),
  ...sameForm('SK', /^[089]\d{4}$/),
  ...sameForm('GR', /^[1-8]\d{4}$/),
  ...sameForm('HR', /^[1-5]\d{4}$/),
  ...sameForm('RO', /^\d{6}$/),
  ...sameForm('LV', /^(?:LV)?\d{4}$/),
  ...sameForm('LT', /^(?:LT)?\d{5}$/),
  ...sameForm('MT', /^[A-Z]{3}\d{4}$/),
  ...sameForm('IS', /^[1-9]\d{2}$/),
  ...sameForm('LI', /^94(?:8[5-9]|9[0-8])$/),
  ...sameForm('AD', /^AD[1-7]00$/),
  ...sameForm('US', /^\d{5}(?:\d{4})?$/),
  ...sameForm('CA', /^[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z]\d[ABCEGHJ-NPRSTV-Z]\d$/),
};

/** Upper case without spaces and hyphens: the form that is compared, not the one that is shown. */
export function normalizePostalCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '');
}

/**
 * Message code of what is wrong with a postal code, or null. Where no form is known the code is optional: some 60
 * countries have none. With no country chosen yet ('') it is asked for, as most countries have one.
 */
export function postalCodeProblem(country: string, typed: string): string | null {
  const form = FORMS[country];
  const code = normalizePostalCode(typed);
  if (code === '') return form || country === '' ? 'postal_code_required' : null;
  return (form ?? /^[A-Z0-9]{1,10}$/).test(code) ? null : 'postal_code_invalid';
}

function sameForm(countries: string, form: RegExp): Record<string, RegExp> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, form]));
}
