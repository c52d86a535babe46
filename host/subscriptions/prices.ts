import type { z } from 'zod';
import type { getOrderPrice } from '#contract/subscriptions';
import type { Deps } from '#host/http/deps';
import { priceFor, vatOf } from '#host/invoices/tax';
import { plansOf } from '#host/plans/plans';

/** What one period of a plan costs at an address, in cents, and the rate of the French VAT within. */
export function priceOf(
  settings: Deps['settings']['plans'],
  { slug, country, zip_code, professional, vat_number }: z.output<typeof getOrderPrice.body>,
): { priceCents: number; vatPercent: number } {
  const place = { country, postalCode: zip_code, professional, vatNumber: professional ? vat_number : '' };
  const plan = plansOf(settings).find((offered) => offered.slug === slug);
  return { priceCents: priceFor(plan?.priceCents ?? 0, place), vatPercent: vatOf(place).vatPercent };
}
