import { EU_MEMBERS, vatProblem } from '#contract/business-numbers';

export type Tax = 'standard' | 'reverse_charge' | 'outside_eu';

/** Standard rate in France (CGI article 278). */
export const VAT_PERCENT = 20;

/** Countries and territories where the seller charges French VAT: France, Monaco and the overseas parts. */
const FRENCH = new Set(['FR', 'MC', 'GP', 'MQ', 'RE', 'GF', 'YT', 'BL', 'MF', 'PM', 'NC', 'PF', 'WF', 'TF']);

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

export interface Amounts {
  tax: Tax;
  netCents: number;
  vatPercent: number;
  vatCents: number;
  grossCents: number;
}

/**
 * Which VAT holds: French VAT in France and for consumers in the European Union; none for businesses of other member
 * states, who owe it themselves (CGI article 283-2); none outside the Union (CGI articles 259 and 259 D).
 */
export function taxOf({ country, professional, vatNumber }: Buyer): Tax {
  if (FRENCH.has(country)) return 'standard';
  if (!EU_MEMBERS.has(country)) return 'outside_eu';
  return professional && vatNumber !== '' && vatProblem(country, vatNumber) === null
    ? 'reverse_charge'
    : 'standard';
}

/** What a price with VAT comes to for this buyer: the whole of it, or without the VAT where none is charged. */
export function priceFor(priceCents: number, buyer: Buyer): number {
  return taxOf(buyer) === 'standard' ? priceCents : priceCents - vatWithin(priceCents);
}

/** Splits what was paid. VAT is rounded to the nearest cent, half a cent up; the net amount is the rest. */
export function amountsOf(paidCents: number, tax: Tax): Amounts {
  const vatCents = tax === 'standard' ? vatWithin(paidCents) : 0;
  return {
    tax,
    netCents: paidCents - vatCents,
    vatPercent: tax === 'standard' ? VAT_PERCENT : 0,
    vatCents,
    grossCents: paidCents,
  };
}

function vatWithin(grossCents: number): number {
  const [over, under] = [grossCents * VAT_PERCENT * 2 + 100 + VAT_PERCENT, 2 * (100 + VAT_PERCENT)];
  return Math.floor(over / under);
}
