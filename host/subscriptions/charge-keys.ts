import type { SubscriptionRow } from './subscriptions.store';

/** Names the charge of the next period: `planned` is the place among the planned tries, or a word for one between. */
export function chargeKeyOf(subscription: SubscriptionRow, planned: number | string): string {
  return `charge:${subscription.id}:${subscription.nextPeriod}:${planned}`;
}
