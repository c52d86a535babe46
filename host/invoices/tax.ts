import { EU_MEMBERS, vatProblem } from '#contract/business-numbers';
import { normalizePostalCode } from '#contract/postal-codes';

/**
 * `standard`: French VAT, at the local rate. Without French VAT: `reverse_charge` if the buyer owes it,
 * `not_applicable` in French Guiana and Mayotte, `outside_eu` beyond the Union's VAT area.
 */
type Tax = 'standard' | 'reverse_charge' | 'not_applicable' | 'outside_eu';

export interface Vat {
  tax: Tax;
  /** At most two decimals; 0 if no French VAT is charged. */
  vatPercent: number;
}

/** Standard rate in France, where the seller is established, and which prices include (CGI article 278). */
export const VAT_PERCENT = 20;
const OUTSIDE: Vat = { tax: 'outside_eu', vatPercent: 0 };

const FRENCH_VAT: Record<FrenchVat, Vat> = {
  mainland: { tax: 'standard', vatPercent: VAT_PERCENT },
  overseas: { tax: 'standard', vatPercent: 8.5 },
  not_applicable: { tax: 'not_applicable', vatPercent: 0 },
  outside: OUTSIDE,
};

/** Who an order or invoice is addressed to. Numbers are normalised, and empty for private persons. */
export interface Buyer {
  name: string;
  company: string;
  street: string;
  postalCode: string;
  city: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  professional: boolean;
  siret: string;
  vatNumber: string;
  /** Proof for the reverse charge, also on the invoices. */
  vatCheck?: VatCheck;
}

/** What a register of VAT numbers said about a number when an order was placed. */
export interface VatCheck {
  number: string;
  checkedAt: string;
  /** `unchecked` if none was asked, or gave no verdict. */
  result: 'valid' | 'unchecked';
  /** The register's number of the request; empty if it gave none. */
  consultation: string;
}

/** The details of a buyer that determine the VAT. */
export type TaxedBuyer = Pick<Buyer, 'country' | 'postalCode' | 'professional' | 'vatNumber'>;

interface Amounts extends Vat {
  netCents: number;
  vatCents: number;
  grossCents: number;
}

/**
 * Which VAT applies: French VAT in France, at the rate of each part (CGI articles 278, 294 and 296), and for consumers
 * in the European Union; none for businesses of other member states, who owe it themselves (CGI article 283-2); none
 * outside the Union's VAT area (CGI articles 259 and 259 D).
 */
export function vatOf({ country, postalCode, professional, vatNumber }: TaxedBuyer): Vat {
  const french = frenchVatAt(country, postalCode);
  if (french) return FRENCH_VAT[french];
  if (!EU_MEMBERS.has(country) || isOutsideVatArea(country, postalCode)) return OUTSIDE;
  const isReversed = professional && vatNumber !== '' && vatProblem(country, vatNumber) === null;
  return isReversed ? { tax: 'reverse_charge', vatPercent: 0 } : FRENCH_VAT.mainland;
}

/**
 * What a price including VAT comes to at an address: the same at every VAT rate, so that the seller keeps the
 * difference of a lower one. If no VAT is charged, the price less the standard VAT.
 */
export function priceFor(priceCents: number, buyer: TaxedBuyer): number {
  return vatOf(buyer).vatPercent > 0 ? priceCents : priceCents - vatWithin(priceCents, VAT_PERCENT);
}

/** Splits what was paid. VAT is rounded to the nearest cent, half a cent up; the net amount is the rest. */
export function amountsOf(paidCents: number, { tax, vatPercent }: Vat): Amounts {
  const vatCents = vatWithin(paidCents, vatPercent);
  return { tax, netCents: paidCents - vatCents, vatPercent, vatCents, grossCents: paidCents };
}

/** Calculated in whole numbers: cents, and hundredths of a percent. */
function vatWithin(grossCents: number, vatPercent: number): number {
  const rate = Math.round(vatPercent * 100);
  const divisor = 10_000 + rate;
  return Math.floor((2 * grossCents * rate + divisor) / (2 * divisor));
}

type FrenchVat = 'mainland' | 'overseas' | 'not_applicable' | 'outside';

/**
 * What applies in France, Monaco and each overseas part, by ISO 3166-1 code (CGI articles 256-0, 294 and 296; Directive
 * 2006/112/EC, article 6). For services, Corsica counts as mainland.
 */
const FRENCH_PARTS: ReadonlyMap<string, FrenchVat> = new Map(
  Object.entries({
    FR: 'mainland',
    MC: 'mainland',
    GP: 'overseas',
    MQ: 'overseas',
    RE: 'overseas',
    GF: 'not_applicable',
    YT: 'not_applicable',
    PM: 'outside',
    BL: 'outside',
    MF: 'outside',
    NC: 'outside',
    PF: 'outside',
    WF: 'outside',
    TF: 'outside',
  }),
);

/** Which part a French postal code belongs to, longest prefix first: two islands share Guadeloupe's prefix. */
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

/** Postal codes of other member states outside the Union's VAT area (Directive 2006/112/EC, article 6). */
const OUTSIDE_CODES: ReadonlyMap<string, RegExp> = new Map([
  // Büsingen and Heligoland.
  ['DE', /^(?:78266|27498)$/],
  // The Canary Islands, Ceuta and Melilla.
  ['ES', /^(?:35|38|51|52)\d{3}$/],
  // Åland.
  ['FI', /^22\d{3}$/],
  // Mount Athos.
  ['GR', /^6308[67]$/],
  // Campione and Livigno.
  ['IT', /^(?:22061|23041)$/],
]);

/**
 * Which French VAT applies at an address, null if it is not in France or Monaco. People overseas often choose France,
 * so a postal code that belongs to one part alone decides, and otherwise the country.
 */
function frenchVatAt(country: string, postalCode: string): FrenchVat | null {
  const countryVat = FRENCH_PARTS.get(country);
  if (!countryVat) return null;
  const code = normalizePostalCode(postalCode);
  const part = /^\d{5}$/.test(code) && FRENCH_CODES.find(([form]) => form.test(code))?.[1];
  return (part && FRENCH_PARTS.get(part)) || countryVat;
}

/** Whether an address in another member state is outside the Union's VAT area. */
function isOutsideVatArea(country: string, postalCode: string): boolean {
  return OUTSIDE_CODES.get(country)?.test(normalizePostalCode(postalCode)) ?? false;
}
