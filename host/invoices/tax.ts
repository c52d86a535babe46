import { EU_MEMBERS, vatProblem } from '#contract/business-numbers';
import { type FrenchVat, frenchVatAt, isOutsideVatArea } from './vat-areas';

/**
 * `standard`: French VAT, at the rate of the place. Without French VAT: `reverse_charge` where the buyer owes it,
 * `not_applicable` in French Guiana and Mayotte, `outside_eu` beyond the Union's VAT area.
 */
type Tax = 'standard' | 'reverse_charge' | 'not_applicable' | 'outside_eu';

export interface Vat {
  tax: Tax;
  /** Two decimals at most; 0 where no French VAT is charged. */
  vatPercent: number;
}

/** Standard rate in France, which is in the prices (CGI article 278). */
const VAT_PERCENT = 20;
const OUTSIDE: Vat = { tax: 'outside_eu', vatPercent: 0 };

const FRENCH: Record<FrenchVat, Vat> = {
  mainland: { tax: 'standard', vatPercent: VAT_PERCENT },
  overseas: { tax: 'standard', vatPercent: 8.5 },
  not_applicable: { tax: 'not_applicable', vatPercent: 0 },
  outside: OUTSIDE,
};

/** Who an order or invoice is made out to. Numbers are normalised and empty for private persons. */
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
}

/** What of a buyer decides the VAT. */
export type TaxedBuyer = Pick<Buyer, 'country' | 'postalCode' | 'professional' | 'vatNumber'>;

interface Amounts extends Vat {
  netCents: number;
  vatCents: number;
  grossCents: number;
}

/**
 * Which VAT holds: French VAT in France, at the rate of each part (CGI articles 278, 294 and 296), and for consumers in
 * the European Union; none for businesses of other member states, who owe it themselves (CGI article 283-2); none
 * outside the Union's VAT area (CGI articles 259 and 259 D).
 */
export function vatOf({ country, postalCode, professional, vatNumber }: TaxedBuyer): Vat {
  const french = frenchVatAt(country, postalCode);
  if (french) return FRENCH[french];
  if (!EU_MEMBERS.has(country) || isOutsideVatArea(country, postalCode)) return OUTSIDE;
  const isReversed = professional && vatNumber !== '' && vatProblem(country, vatNumber) === null;
  return isReversed ? { tax: 'reverse_charge', vatPercent: 0 } : FRENCH.mainland;
}

/**
 * What a price with VAT comes to at an address. The whole of it at any rate: a lower one is the seller's, as the price
 * is one with VAT. Where none is charged, what is left without the standard rate.
 */
export function priceFor(priceCents: number, place: TaxedBuyer): number {
  return vatOf(place).vatPercent > 0 ? priceCents : priceCents - vatWithin(priceCents, VAT_PERCENT);
}

/** Splits what was paid. VAT is rounded to the nearest cent, half a cent up; the net amount is the rest. */
export function amountsOf(paidCents: number, { tax, vatPercent }: Vat): Amounts {
  const vatCents = vatWithin(paidCents, vatPercent);
  return { tax, netCents: paidCents - vatCents, vatPercent, vatCents, grossCents: paidCents };
}

/** In whole numbers: cents, and hundredths of a percent. */
function vatWithin(grossCents: number, vatPercent: number): number {
  const rate = Math.round(vatPercent * 100);
  const whole = 10_000 + rate;
  return Math.floor((2 * grossCents * rate + whole) / (2 * whole));
}
