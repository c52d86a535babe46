import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { orders } from '#host/db/subscriptions.tables';
import { findMethod } from '#host/payments/store';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  advance,
  billingMails,
  signIn,
  statusOf,
  subscriptionOf,
  transactions,
} from '../../support/ordering';
import { decide, lapsed, linkOf, orderAs, orderOf } from './strangers-orders';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

interface Held {
  id: string;
  amountCents: number;
}

/** The held orders that a signed-in owner sees. */
async function heldOf(token: string): Promise<Held[]> {
  const answered = await send(host, 'GET', '/api/account/subscriptions', undefined, { token });
  return (answered.body.data as { heldOrders: Held[] }).heldOrders;
}

test('opening the link decides nothing; a confirmed order is fulfilled once, with its card', async () => {
  const owner = await lapsed(host);
  const before = await findMethod(host.db.orm, owner.accountId);
  const placed = await orderAs(host, owner.email);
  const token = await linkOf(host, owner.email);
  const read = () => send(host, 'POST', '/api/subscriptions/held', { token });
  expect((await read()).body.data).toMatchObject({ state: 'held', plan: 'basic_monthly', amountCents: 990 });
  expect((await read()).body.data).toMatchObject({ state: 'held' });
  expect(JSON.stringify(await orderOf(host, placed.paymentIntent))).not.toContain(token);
  expect(await decide(host, token, 'confirm')).toBe('confirmed');
  expect(await decide(host, token, 'confirm')).toBe('confirmed');
  expect(await decide(host, token, 'discard')).toBe('confirmed');
  await host.runBilling();
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('active');
  const kept = (await findMethod(host.db.orm, owner.accountId))?.customerId ?? '';
  expect(kept).not.toBe(before?.customerId);
  expect(await host.deps.payments.findCard(kept)).toMatchObject({ last4: '4242' });
  // The replaced card is deleted at the provider.
  expect(await host.deps.payments.findCard(before?.customerId ?? '')).toBeNull();
  expect(await transactions(host, await signIn(host, owner.email))).toMatchObject([{ status: 'paid' }]);
  expect(await billingMails(host, owner)).toEqual(expect.arrayContaining(['order_paid', 'receipt']));
});

test('a discarded order fails and its card is deleted', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const { customerId } = await orderOf(host, placed.paymentIntent);
  const token = await linkOf(host, owner.email);
  expect(await decide(host, token, 'discard')).toBe('over');
  expect(await decide(host, token, 'confirm')).toBe('over');
  await host.runBilling();
  expect(await orderOf(host, placed.paymentIntent)).toMatchObject({ status: 'failed', failure: 'discarded' });
  expect(await host.deps.payments.findCard(customerId ?? '')).toBeNull();
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('canceled');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'succeeded', failure: null });
});

test('an order not confirmed within a week fails', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const token = await linkOf(host, owner.email);
  await advance(host, '6d');
  expect((await orderOf(host, placed.paymentIntent)).status).toBe('unconfirmed');
  await advance(host, '1d');
  expect(await orderOf(host, placed.paymentIntent)).toMatchObject({
    status: 'failed',
    failure: 'unconfirmed',
  });
  expect(await decide(host, token, 'confirm')).toBe('over');
});

test('signed in, the owner sees the order and decides it; nobody else can', async () => {
  const owner = await lapsed(host);
  await orderAs(host, owner.email);
  const token = await signIn(host, owner.email);
  const [held] = await heldOf(token);
  expect(held).toMatchObject({ amountCents: 990 });
  const stranger = await host.account();
  expect(await heldOf(stranger.token)).toEqual([]);
  const decideOwn = (who: string) =>
    send(host, 'POST', `/api/account/orders/${held?.id}`, { decision: 'confirm' }, { token: who });
  expect((await decideOwn(stranger.token)).status).toBe(404);
  expect((await decideOwn(token)).body.data).toMatchObject({ state: 'confirmed' });
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('active');
  expect(await heldOf(token)).toEqual([]);
});

test('of two held orders the second cannot be confirmed while the first one is active', async () => {
  const owner = await lapsed(host);
  await orderAs(host, owner.email);
  const first = await linkOf(host, owner.email);
  host.clock.advance(1_000);
  const placed = await orderAs(host, owner.email);
  const second = await linkOf(host, owner.email);
  const token = await signIn(host, owner.email);
  const [, other] = await heldOf(token);
  expect(await decide(host, first, 'confirm')).toBe('confirmed');
  expect(await heldOf(token)).toEqual([]);
  const read = await send(host, 'POST', '/api/subscriptions/held', { token: second });
  expect(read.body.data).toMatchObject({ state: 'over' });
  const path = `/api/account/orders/${other?.id}`;
  const decided = await send(host, 'POST', path, { decision: 'confirm' }, { token });
  expect(decided.body.data).toEqual({ state: 'over', paymentIntent: null });
  expect(await decide(host, second, 'confirm')).toBe('over');
  expect(await orderOf(host, placed.paymentIntent)).toMatchObject({
    status: 'refused',
    subscriptionId: null,
  });
  // The person who placed it sees the same as for any order.
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'succeeded', failure: null });
});

test('when confirmed, discarded and due concurrently, exactly one takes effect', async () => {
  const shop = await createTestHost();
  try {
    for (let round = 0; round < 3; round += 1) {
      const owner = await lapsed(shop);
      const placed = await orderAs(shop, owner.email);
      const token = await linkOf(shop, owner.email);
      await Promise.all([
        decide(shop, token, 'confirm'),
        decide(shop, token, 'discard'),
        decide(shop, token, 'confirm'),
        shop.runBilling(),
      ]);
      await shop.runBilling();
      const [order] = await shop.db.orm
        .select()
        .from(orders)
        .where(eq(orders.paymentIntent, placed.paymentIntent));
      const { status } = await subscriptionOf(shop, owner.accountId);
      const charges = await transactions(shop, await signIn(shop, owner.email));
      const isCarriedOut = order?.status === 'complete';
      expect([order?.status, status, charges.length]).toEqual(
        isCarriedOut ? ['complete', 'active', 1] : ['failed', 'canceled', 0],
      );
    }
  } finally {
    await shop.close();
  }
});
