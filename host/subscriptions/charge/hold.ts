import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { addHours } from '#host/subscriptions/calendar';
import { paidUntil } from '#host/subscriptions/contract/ending';
import { changeSubscription, type SubscriptionRow } from '#host/subscriptions/contract/store';
import { listWaiting } from '#host/subscriptions/declaration/store';
import { expediteCharges } from '#host/subscriptions/jobs';

/** After the end of the waiting period, as the job that ends it runs at that moment. */
const MARGIN_HOURS = 1 / 60;

/**
 * Until when a charge has to wait: nobody whose contract may have been ended is charged before that is decided. Null if
 * it need not wait. Successive declarations cannot delay it for longer than one objection period.
 */
export async function heldUntil(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  subscription: SubscriptionRow,
  now: Date,
): Promise<Date | null> {
  const waiting = await listWaiting(orm, subscription.id);
  if (waiting.length === 0) return null;
  const decidedBy = Math.max(now.getTime(), ...waiting.map(({ effectiveAt }) => effectiveAt.getTime()));
  const until = addHours(new Date(decidedBy), MARGIN_HOURS);
  // An overdue charge may wait without limit: it gives no access meanwhile.
  if (subscription.status === 'due_date') return until;
  const latest = addHours(paidUntil(subscription), settings.plans.objectionHours + MARGIN_HOURS);
  const held = new Date(Math.min(until.getTime(), latest.getTime()));
  return held > now ? held : null;
}

/** Keeps the access open while a charge waits, in case the owner undoes the declaration. */
export async function extendAccess(orm: Orm, subscription: SubscriptionRow, until: Date): Promise<void> {
  const isOpen = subscription.status === 'trialing' || subscription.status === 'active';
  if (isOpen && until > subscription.accessUntil) {
    await changeSubscription(orm, subscription, { accessUntil: addHours(until, 1) });
  }
}

/** Releases charges that waited for a decision. */
export async function releaseCharges(orm: Orm, subscription: SubscriptionRow, now: Date): Promise<void> {
  const isHeld = subscription.status !== 'due_date' && paidUntil(subscription) <= now;
  if (isHeld) await expediteCharges(orm, subscription, now);
}
