import { getPlan, getSite, listPlans } from '#contract/plans';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { plansOf } from './plans';

export function mountPlans({ mount }: Router, { settings }: Pick<Deps, 'settings'>): void {
  const { appName, contactEmail, plans: terms, identity } = settings;
  const plans = plansOf(terms);

  mount(listPlans, async () => ({ data: plans }));

  mount(getPlan, async ({ params }) => {
    const plan = plans.find(({ slug }) => slug === params.slug);
    if (!plan) throw new ApiError('not_found');
    return { data: plan };
  });

  mount(getSite, async () => ({ data: { appName, contactEmail, ...identity, ...terms } }));
}
