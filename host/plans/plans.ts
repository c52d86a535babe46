import type { Plan, PlanSettings, PlanSlug } from '#contract/plans';
import { priceFor, type TaxedBuyer, VAT_PERCENT, vatOf } from '#host/invoices/tax';

const YEARLY_DISCOUNT_PERCENT = 10;

const FEATURES: Plan['features'] = ['unlimited', 'customise', 'statistics', 'redirects', 'support'];

/** The plans that are sold, monthly first. */
export function plansOf({ priceMonthlyCents, ...terms }: PlanSettings): [monthly: Plan, yearly: Plan] {
  const both = {
    currency: 'EUR' as const,
    vatIncluded: true as const,
    vatRatePercent: VAT_PERCENT,
    ...terms,
    features: FEATURES,
  };
  const priceYearlyCents = yearlyCents(priceMonthlyCents);
  return [
    {
      slug: 'basic_monthly',
      name: 'Basic, monthly',
      description: 'Everything included, paid month by month',
      interval: 'month',
      priceCents: priceMonthlyCents,
      discountPercent: 0,
      monthlyEquivalentCents: priceMonthlyCents,
      ...both,
    },
    {
      slug: 'basic_yearly',
      name: 'Basic, yearly',
      description: `Everything included, paid once a year, ${YEARLY_DISCOUNT_PERCENT} % cheaper`,
      interval: 'year',
      priceCents: priceYearlyCents,
      discountPercent: YEARLY_DISCOUNT_PERCENT,
      monthlyEquivalentCents: equivalentCents(priceYearlyCents),
      ...both,
    },
  ];
}

/** Twelve months less the discount. Rounded down to the cent: the discount is never less than announced. */
function yearlyCents(monthlyCents: number): number {
  return Math.floor((monthlyCents * 12 * (100 - YEARLY_DISCOUNT_PERCENT)) / 100);
}

/** A twelfth of the yearly price. Rounded up to the cent: it never looks cheaper than it is. */
function equivalentCents(priceYearlyCents: number): number {
  return Math.ceil(priceYearlyCents / 12);
}

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
