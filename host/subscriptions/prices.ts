import type { Plan, PlanSettings, PlanSlug } from '#contract/plans';
import { priceFor, type TaxedBuyer, vatOf } from '#host/invoices/tax';
import { plansOf } from '#host/plans/plans';

/** What one period of a plan costs at an address, in cents, and the rate of the French VAT included. */
interface Price {
  priceCents: number;
  vatPercent: number;
}

export function priceAt(settings: PlanSettings, slug: PlanSlug, buyer: TaxedBuyer): Price {
  const plan = plansOf(settings).find((offered) => offered.slug === slug);
  return { priceCents: priceFor(plan?.priceCents ?? 0, buyer), vatPercent: vatOf(buyer).vatPercent };
}

/** Every plan with its price at an address; with VAT if no address is known. */
export function offeredAt(settings: PlanSettings, buyer: TaxedBuyer | null): (Plan & { due: Price })[] {
  return plansOf(settings).map((plan) => {
    const usual = { priceCents: plan.priceCents, vatPercent: plan.vatRatePercent };
    return { ...plan, due: buyer ? priceAt(settings, plan.slug, buyer) : usual };
  });
}
