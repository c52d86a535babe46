import { data } from '@remix-run/node';
import { LOCALES } from '#contract/locales';
import { getSite as getSiteCall, listPlans as listPlansCall, type Plan } from '#contract/plans';
import { env } from '~/http/env.server';
import { callHost } from '~/http/host.server';
import { isSignedIn, type Scope } from '~/http/scope.server';
import { staleIfError } from '~/http/stale-if-error.server';
import { formatMoney, formatNumber } from '~/ui/format';

/** The plans that are sold, monthly first. */
export const listPlans = staleIfError(
  async (scope): Promise<Plan[]> => (await callHost(scope, listPlansCall)).data,
);

/** Name, contact, seller and terms of the service, with its URL. */
export const getSite = staleIfError(async (scope) => {
  const { data } = await callHost(scope, getSiteCall);
  return { ...data, publicUrl: env.PUBLIC_URL };
});
export type Site = Awaited<ReturnType<typeof getSite>>;

/** The plans, with amounts formatted on the server because browsers' locale data may differ. */
export async function pricingData(scope: Scope) {
  const plans = await listPlans(scope);
  const { tag } = LOCALES[scope.locale];
  const monthly = findPlan(plans, 'month');
  const yearly = findPlan(plans, 'year');
  const { trialHours, withdrawalDays, refundMinDays, refundMaxDays, features } = monthly;
  const saved = monthly.priceCents * 12 - yearly.priceCents;
  return {
    monthly: { slug: monthly.slug, price: formatMoney(monthly.priceCents, tag) },
    yearly: {
      slug: yearly.slug,
      price: formatMoney(yearly.priceCents, tag),
      equivalent: formatMoney(yearly.monthlyEquivalentCents, tag),
      saving: formatMoney(saved, tag),
      percent: formatNumber(yearly.discountPercent / 100, tag, { style: 'percent' }),
    },
    nothing: formatMoney(0, tag),
    terms: { trialHours, withdrawalDays, refundMinDays, refundMaxDays },
    features,
    /** Folder of the pages where a plan is ordered. */
    orderPath: isSignedIn(scope) ? '/user/subscription/order' : '/subscribe',
  };
}
export type PricingData = Awaited<ReturnType<typeof pricingData>>;

function findPlan(plans: Plan[], interval: Plan['interval']): Plan {
  const plan = plans.find((candidate) => candidate.interval === interval);
  if (!plan) throw data(null, { status: 503 });
  return plan;
}
