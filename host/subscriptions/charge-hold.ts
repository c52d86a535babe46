import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { addHours } from './calendar';
import { listWaiting } from './declarations.store';
import { paidUntil } from './ending';
import { expediteCharges } from './jobs';
import { changeSubscription, type SubscriptionRow } from './subscriptions.store';

/** After the end of the waiting, whose job falls due at that moment. */
const AFTER_HOURS = 1 / 60;

/**
 * Until when a charge has to wait: nobody who may have ended the contract is charged before that is decided. Null where
 * it need not. Declarations one after the other cannot put it off for longer than one objection period.
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
  const until = addHours(new Date(decidedBy), AFTER_HOURS);
  // What is overdue opens nothing while it waits.
  if (subscription.status === 'due_date') return until;
  const latest = addHours(paidUntil(subscription), settings.plans.objectionHours + AFTER_HOURS);
  const held = new Date(Math.min(until.getTime(), latest.getTime()));
  return held > now ? held : null;
}

/** Whoever undoes a declaration loses no access to the waiting. */
export async function extendAccess(orm: Orm, subscription: SubscriptionRow, until: Date): Promise<void> {
  const isOpen = subscription.status === 'trialing' || subscription.status === 'active';
  if (isOpen && until > subscription.accessUntil) {
    await changeSubscription(orm, subscription, { accessUntil: addHours(until, 1) });
  }
}

/** Charges that waited for a decision wait no longer. */
export async function releaseCharges(orm: Orm, subscription: SubscriptionRow, now: Date): Promise<void> {
  const isHeld = subscription.status !== 'due_date' && paidUntil(subscription) <= now;
  if (isHeld) await expediteCharges(orm, subscription.accountId, now);
}
