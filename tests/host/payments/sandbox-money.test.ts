import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandboxObjects } from '#host/db/payments.tables';
import { findMethod } from '#host/payments/payments.store';
import { deliverEvents, emit } from '#host/payments/sandbox/events';
import { listOfCustomer } from '#host/payments/sandbox/objects';
import { findOrderByIntent } from '#host/subscriptions/orders.store';
import { createTestHost, type TestHost } from '../../support/host';
import { buy, checkout, enterCard, placeOrder } from '../../support/ordering';

const PROCESSING = '4000000000001034';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

/** A sandbox customer with a saved card, with functions that charge and refund. */
async function customer(card = '4242424242424242') {
  const { payments } = host.deps;
  const { accountId } = await buy(host, {}, card as 'good');
  const method = await findMethod(host.db.orm, accountId);
  if (!method) throw new Error('no card was saved');
  const { customerId, methodId } = method;
  return {
    customerId,
    methodId,
    charge: (key: string, fields: { methodId?: string; customerId?: string; amountCents?: number } = {}) =>
      payments.charge({ key, customerId, methodId, amountCents: 990, description: 'A test', ...fields }),
    refund: (key: string, chargeId: string, amountCents: number) =>
      payments.refund({ key, chargeId, amountCents }),
  };
}

const refundedOf = async (chargeId: string) => {
  const [row] = await host.db.orm.select().from(sandboxObjects).where(eq(sandboxObjects.id, chargeId));
  return (row?.data as { refundedCents: number } | undefined)?.refundedCents;
};

test('no more is refunded than was charged, neither at once nor in parts', async () => {
  const { charge, refund } = await customer();
  const { id } = await charge('refunded in parts');
  await expect(refund('too much', id, 991)).rejects.toThrow('cannot refund 991 cents');
  expect(await refund('first part', id, 500)).toMatchObject({ state: 'succeeded', amountCents: 500 });
  await expect(refund('more than is left', id, 491)).rejects.toThrow('cannot refund 491 cents');
  expect(await refund('the rest', id, 490)).toMatchObject({ state: 'succeeded', amountCents: 490 });
  await expect(refund('one cent more', id, 1)).rejects.toThrow('cannot refund 1 cents');
  expect(await refundedOf(id)).toBe(990);
});

test('the same key charges once and refunds once', async () => {
  const { charge, refund } = await customer();
  const first = await charge('charged once');
  expect(await charge('charged once')).toEqual(first);
  const back = await refund('paid back once', first.id, 990);
  expect(await refund('paid back once', first.id, 990)).toEqual(back);
  expect(await refundedOf(first.id)).toBe(990);
});

test('a pending charge cannot be refunded', async () => {
  const { charge, refund } = await customer(PROCESSING);
  const { id, state } = await charge('still at the bank');
  expect(state).toBe('pending');
  await expect(refund('too early', id, 990)).rejects.toThrow('cannot refund 990 cents');
});

test('a card can be charged only for its own customer', async () => {
  const [one, other] = [await customer(), await customer()];
  const refused = { state: 'failed', failure: 'payment_method_detached' };
  expect(await one.charge('a stranger’s card', { methodId: other.methodId })).toMatchObject(refused);
  expect(await one.charge('a card that never was', { methodId: 'pm_nothing' })).toMatchObject(refused);
  expect(await one.charge('the own card')).toMatchObject({ state: 'succeeded', failure: null });
});

test('a link to the portal works for an hour, for viewing and for changing the card', async () => {
  const { customerId } = await customer();
  const { payments } = host.deps;
  const returnUrl = 'https://www.quadrille.example/user/subscription';
  const url = await payments.openPortal({ customerId, locale: 'gb', returnUrl });
  const open = () => host.request(new URL(url).pathname);
  host.clock.advance(3_599_000);
  expect((await open()).status).toBe(200);
  expect((await enterCard(host, url, '5555555555554444')).status).toBe(303);
  host.clock.advance(1_000);
  expect((await open()).status).toBe(404);
  expect((await enterCard(host, url)).status).toBe(404);
  expect(await payments.findCard(customerId)).toMatchObject({ last4: '4444' });
});

test('a card page posted twice concurrently saves one card', async () => {
  const { redirectUrl, paymentIntent } = await placeOrder(host, checkout());
  const answers = await Promise.all(
    ['4242424242424242', '5555555555554444'].map((number) => enterCard(host, redirectUrl, number)),
  );
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  const order = await findOrderByIntent(host.db.orm, paymentIntent);
  const cards = await listOfCustomer(host.db.orm, 'method', order?.customerId ?? '');
  expect(cards).toHaveLength(1);
});

test('a webhook that is not accepted is retried, at first after a minute, and never again once it is accepted', async () => {
  const { orm } = host.db;
  const log = host.deps.log;
  await host.runBilling();
  await emit(orm, host.deps.random, 'customer.updated', 'cus_told', host.clock.now());
  const sent: number[] = [];
  const start = host.clock.now().getTime();
  const post = (status: number) => async () => {
    sent.push(host.clock.now().getTime() - start);
    return status;
  };
  const deliver = (status: number) => deliverEvents(orm, post(status), log, host.clock.now());
  await deliver(500);
  await deliver(200);
  expect(sent).toEqual([0]);
  host.clock.advance(60_000);
  await deliver(404);
  host.clock.advance(4 * 60_000);
  await deliver(200);
  expect(sent).toEqual([0, 60_000]);
  host.clock.advance(60_000);
  await deliver(200);
  host.clock.advance(4 * 24 * 3_600_000);
  await deliver(200);
  expect(sent).toEqual([0, 60_000, 360_000]);
});
