import type { PlanSettings, PlanSlug } from '#contract/plans';
import { priceFor, type TaxedBuyer, vatOf } from '#host/invoices/tax';
import { plansOf } from '#host/plans/plans';

/** What one period of a plan costs at an address, in cents, and the rate of the French VAT within. */
export function priceAt(
  settings: PlanSettings,
  slug: PlanSlug,
  place: TaxedBuyer,
): { priceCents: number; vatPercent: number } {
  const plan = plansOf(settings).find((offered) => offered.slug === slug);
  return { priceCents: priceFor(plan?.priceCents ?? 0, place), vatPercent: vatOf(place).vatPercent };
}
