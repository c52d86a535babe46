import { expect } from 'vitest';
import { findOrderByIntent } from '#host/subscriptions/order/store';
import type { TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  advance,
  type Bought,
  buy,
  type CardKind,
  checkout,
  enterCard,
  onboard,
  placeOrder,
  subscriptionOf,
} from '../../support/ordering';

/** A customer whose contract has ended and whose card is still saved. */
export async function lapsed(shop: TestHost, fields: Record<string, unknown> = {}): Promise<Bought> {
  const bought = await buy(shop, fields);
  const token = await onboard(shop, bought.email);
  await send(shop, 'POST', '/api/account/subscription/cancel', undefined, { token });
  await advance(shop, '49h');
  expect((await subscriptionOf(shop, bought.accountId)).status).toBe('canceled');
  return bought;
}

/** Orders with somebody else's e-mail address, and the stranger's own card. */
export async function orderAs(
  shop: TestHost,
  email: string,
  { card = 'good', ...fields }: { card?: CardKind | (string & {}) } & Record<string, unknown> = {},
) {
  const body = checkout({ trial: false, ...fields, email, name: 'A Stranger' });
  const placed = await placeOrder(shop, body);
  await enterCard(shop, placed.redirectUrl, card, 'A Stranger');
  return placed;
}

export async function linkOf(shop: TestHost, email: string): Promise<string> {
  const links = (await shop.mails()).flatMap(({ to, text }) =>
    to === email ? (/confirm-order\?token=([\w-]{43})/.exec(text ?? '')?.[1] ?? []) : [],
  );
  return links[0] ?? '';
}

export async function decide(shop: TestHost, token: string, decision: string) {
  const answered = await send(shop, 'POST', '/api/subscriptions/held/decision', { token, decision });
  return (answered.body.data as { state: string } | undefined)?.state ?? answered.body.errors;
}

/** The stored order of a payment intent. */
export const orderOf = async (shop: TestHost, paymentIntent: string) => {
  const order = await findOrderByIntent(shop.db.orm, paymentIntent);
  if (!order) throw new Error('no order');
  return order;
};
