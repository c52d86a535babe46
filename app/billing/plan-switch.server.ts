import { PlanSlug } from '#contract/plans';
import type { RequestContext } from '~/http/scope.server';
import { requireChangeable, switchTo } from './subscription.server';

/** The change between monthly and yearly that is possible now, or the pending one that can be taken back. */
export async function requireSwitch(requestContext: RequestContext, token: string) {
  const subscription = await requireChangeable(requestContext, token, (one) => one.switch !== null);
  const { plan = 'basic_monthly', pending = false, date = '', amount = '' } = subscription.switch ?? {};
  return {
    ...{ plan, pending, date, amount },
    /** Nothing is switched that was not ordered, and every order names a plan. */
    present: PlanSlug.catch('basic_monthly').parse(subscription.plan),
    isAtOnce: subscription.status === 'trialing',
  };
}

export async function switchOver(requestContext: RequestContext, token: string) {
  const { plan, pending, present } = await requireSwitch(requestContext, token);
  return switchTo(requestContext, pending ? present : plan, token);
}
