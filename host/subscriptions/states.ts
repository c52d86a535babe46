import type { orders, subscriptions } from '#host/db/subscriptions.tables';

type Transitions<S extends string> = Record<S, readonly S[]>;

/**
 * What may follow each status, by table. Tests refuse every other change.
 *
 * An order:
 *
 *   placed ──▶ incomplete ──card, but the address is in use──▶ unconfirmed
 *                  │   ◀──────confirmed, charged at once──────────│
 *                  └──────────────────────┬───────────────────────┘
 *                                         ├──trial, or first charge succeeded──▶ complete
 *                                         ├──another contract is running──▶ refused
 *                                         └──given up, not paid, replaced──▶ failed
 *
 * A contract; the account's next one takes its place:
 *
 *   order with a trial ──▶ trialing ──charged──▶ active ◀──────charged──────┐
 *                             └────charge failed────┴────charge failed──▶ due_date ──last attempt failed──▶ expired
 *   order without ──▶ incomplete ──charged──▶ active
 *                             └────charge failed──▶ expired
 *   from any of these ──cancelled, withdrawn, account erased──▶ canceled
 */
export const TRANSITIONS: {
  orders: Transitions<(typeof orders.$inferSelect)['status']>;
  subscriptions: Transitions<(typeof subscriptions.$inferSelect)['status']>;
} = {
  orders: {
    incomplete: ['unconfirmed', 'complete', 'failed', 'refused'],
    unconfirmed: ['incomplete', 'complete', 'failed', 'refused'],
    complete: [],
    failed: [],
    refused: [],
  },
  subscriptions: {
    incomplete: ['active', 'expired', 'canceled'],
    trialing: ['active', 'due_date', 'canceled'],
    active: ['due_date', 'canceled'],
    due_date: ['active', 'expired', 'canceled'],
    expired: [],
    canceled: [],
  },
};
