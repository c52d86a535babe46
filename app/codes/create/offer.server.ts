import { LOCALES } from '#contract/locales';
import { listPlans } from '#contract/plans';
import { callHost, isUnavailable } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { isSignedIn, type Scope } from '~/http/scope.server';
import { staleIfError } from '~/http/stale-if-error.server';
import { formatMoney } from '~/ui/format';

const readPlans = staleIfError(async (scope) => (await callHost(scope, listPlans)).data);

/** What a visitor pays after creating a code; null for those who need not order, or while it cannot be read. */
export async function findOffer(scope: Scope): Promise<{ amount: string; hours: number } | null> {
  if (isSignedIn(scope)) return null;
  try {
    const monthly = (await readPlans(scope)).find(({ interval }) => interval === 'month');
    if (!monthly) return null;
    const amount = formatMoney(monthly.priceCents, LOCALES[scope.locale].tag);
    return { amount, hours: monthly.trialHours };
  } catch (thrown) {
    if (thrown instanceof HostError || isUnavailable(thrown)) return null;
    throw thrown;
  }
}
