import type { SubscriptionRow } from './contract/store';
import type { OrderRow } from './order/store';

type Transitions<S extends string> = Record<S, readonly S[]>;

/**
 * What may follow each status of an order. Nothing follows `complete`, `failed` and `refused`.
 *
 *   placed ──▶ incomplete ──card, address in use──▶ unconfirmed
 *               │    ▲                              │  │
 *               │    └──confirmed, charged at once──┘  │
 *               ▼                                      ▼
 *               ├──trial, or first charge succeeded──▶ complete
 *               ├──expired, trial used, not paid, replaced, discarded, account erased──▶ failed
 *               └──another contract is running──▶ refused
 */
export const ORDER_TRANSITIONS: Transitions<OrderRow['status']> = {
  incomplete: ['unconfirmed', 'complete', 'failed', 'refused'],
  unconfirmed: ['incomplete', 'complete', 'failed', 'refused'],
  complete: [],
  failed: [],
  refused: [],
};

/**
 * What may follow each status of a contract. After its end the account's next contract takes its place, as it does if the
 * first charge has not been decided.
 *
 *   order with a trial ──▶ trialing ────charged────▶ active ◀──charged again and again
 *   order without ──▶ incomplete ──charged──▶ active  │  ▲
 *                        │          trialing, active ──charge failed──▶ due_date ──charged──▶ active
 *                        └──charge failed──▶ expired ◀──last attempt failed──┘
 *   each of these ──cancelled, withdrawn, account erased──▶ canceled
 */
export const CONTRACT_TRANSITIONS: Transitions<SubscriptionRow['status']> = {
  incomplete: ['active', 'expired', 'canceled'],
  trialing: ['active', 'due_date', 'canceled'],
  active: ['due_date', 'canceled'],
  due_date: ['active', 'expired', 'canceled'],
  expired: [],
  canceled: [],
};
