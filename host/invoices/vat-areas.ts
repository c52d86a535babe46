import { normalizePostalCode } from '#contract/postal-codes';

export type FrenchVat = 'mainland' | 'overseas' | 'not_applicable' | 'outside';

/**
 * What holds in France, Monaco and each overseas part, by its code in ISO 3166-1 (CGI articles 256-0, 294 and 296;
 * Directive 2006/112/EC, article 6). Corsica is mainland for services.
 */
const FRENCH: Partial<Record<string, FrenchVat>> = {
  ...{ FR: 'mainland', MC: 'mainland' },
  ...{ GP: 'overseas', MQ: 'overseas', RE: 'overseas' },
  ...{ GF: 'not_applicable', YT: 'not_applicable' },
  ...{ PM: 'outside', BL: 'outside', MF: 'outside' },
  ...{ NC: 'outside', PF: 'outside', WF: 'outside', TF: 'outside' },
};

/** Where French postal codes lead, the longest first: two islands have codes among those of Guadeloupe. */
const FRENCH_CODES: [form: RegExp, country: string][] = [
  [/^97133$|^977/, 'BL'],
  [/^97150$|^978/, 'MF'],
  [/^971/, 'GP'],
  [/^972/, 'MQ'],
  [/^973/, 'GF'],
  [/^974/, 'RE'],
  [/^975/, 'PM'],
  [/^976/, 'YT'],
  [/^980/, 'MC'],
  [/^984/, 'TF'],
  [/^986/, 'WF'],
  [/^98[79]/, 'PF'],
  [/^988/, 'NC'],
  [/^(?:0[1-9]|[1-8]|9[0-5])/, 'FR'],
];

/** Postal codes of other members that lie outside the Union's VAT area (Directive 2006/112/EC, article 6). */
const OUTSIDE: Partial<Record<string, RegExp>> = {
  // Büsingen and Heligoland.
  DE: /^(?:78266|27498)$/,
  // The Canary Islands, Ceuta and Melilla.
  ES: /^(?:35|38|51|52)\d{3}$/,
  // Åland.
  FI: /^22\d{3}$/,
  // Mount Athos.
  GR: /^6308[67]$/,
  // Campione and Livigno.
  IT: /^(?:22061|23041)$/,
};

/**
 * Which French VAT holds at an address, null where it is not in France or Monaco. People overseas often choose France:
 * a postal code that belongs to one part alone decides, and the country where it does not.
 */
export function frenchVatAt(country: string, postalCode: string): FrenchVat | null {
  const named = FRENCH[country];
  if (!named) return null;
  const code = normalizePostalCode(postalCode);
  const part = /^\d{5}$/.test(code) && FRENCH_CODES.find(([form]) => form.test(code))?.[1];
  return (part && FRENCH[part]) || named;
}

/** Whether an address of another member state lies where the Union's VAT does not hold. */
export function isOutsideVatArea(country: string, postalCode: string): boolean {
  return OUTSIDE[country]?.test(normalizePostalCode(postalCode)) ?? false;
}
