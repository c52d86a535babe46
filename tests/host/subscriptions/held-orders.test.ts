import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '#host/db/accounts.tables';
import { orders } from '#host/db/subscriptions.tables';
import { insertPasskey } from '#host/factors/passkeys.store';
import { findMethod } from '#host/payments/payments.store';
import { emit } from '#host/payments/sandbox/events';
import { findOrderByIntent } from '#host/subscriptions/orders.store';
import { createTestHost, engines, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  advance,
  type Bought,
  billingMails,
  buy,
  type CardKind,
  checkout,
  enterCard,
  onboard,
  placeOrder,
  signIn,
  statusOf,
  subscriptionOf,
  transactions,
} from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

/** A customer whose contract has ended and whose card is still saved. */
async function lapsed(shop: TestHost, fields: Record<string, unknown> = {}): Promise<Bought> {
  const bought = await buy(shop, fields);
  const token = await onboard(shop, bought.email);
  await send(shop, 'POST', '/api/account/subscription/cancel', undefined, { token });
  await advance(shop, '49h');
  expect((await subscriptionOf(shop, bought.accountId)).status).toBe('canceled');
  return bought;
}

interface Held {
  id: string;
  amountCents: number;
}

/** The held orders that a signed-in owner sees. */
async function heldOf(token: string): Promise<Held[]> {
  const answered = await send(host, 'GET', '/api/account/subscriptions', undefined, { token });
  return (answered.body.data as { heldOrders: Held[] }).heldOrders;
}

/** Orders with somebody else's e-mail address, and the stranger's own card. */
async function orderAs(
  shop: TestHost,
  email: string,
  { card = 'good', ...fields }: { card?: CardKind | (string & {}) } & Record<string, unknown> = {},
) {
  const body = checkout({ trial: false, ...fields, email, name: 'A Stranger' });
  const placed = await placeOrder(shop, body);
  await enterCard(shop, placed.redirectUrl, card, 'A Stranger');
  return placed;
}

async function linkOf(shop: TestHost, email: string): Promise<string> {
  const links = (await shop.mails()).flatMap(({ to, text }) =>
    to === email ? (/confirm-order\?token=([\w-]{43})/.exec(text ?? '')?.[1] ?? []) : [],
  );
  return links[0] ?? '';
}

async function decide(shop: TestHost, token: string, decision: string) {
  const answered = await send(shop, 'POST', '/api/subscriptions/held/decision', { token, decision });
  return (answered.body.data as { state: string } | undefined)?.state ?? answered.body.errors;
}

const orderOf = async (paymentIntent: string) => {
  const order = await findOrderByIntent(host.db.orm, paymentIntent);
  if (!order) throw new Error('no order');
  return order;
};

test('an order with a lapsed account’s address changes nothing until the owner confirms it', async () => {
  const owner = await lapsed(host, { locale: 'fr' });
  const before = await findMethod(host.db.orm, owner.accountId);
  const placed = await orderAs(host, owner.email, { locale: 'de' });
  await host.runBilling();
  expect(await findMethod(host.db.orm, owner.accountId)).toEqual(before);
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('canceled');
  expect(await transactions(host, await signIn(host, owner.email))).toEqual([]);
  expect(await orderOf(placed.paymentIntent)).toMatchObject({ status: 'unconfirmed', subscriptionId: null });
  const mail = (await host.mails()).find(
    ({ to, template }) => to === owner.email && template.includes('held'),
  );
  const text = (mail?.text ?? '').replace(/[\u00a0\u202f]/g, ' ');
  for (const part of ['Cette commande vient-elle de vous ?', '9,90 €', '/confirm-order?token=']) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain('Stranger');
});

test('an order with the address of an account that only has a passkey waits for its owner', async () => {
  const { id: accountId, email } = await host.account({ access: false });
  await host.db.orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, accountId));
  await insertPasskey(host.db.orm, {
    ...{ id: randomUUID(), accountId, credentialId: randomUUID(), publicKey: Buffer.of(1), counter: 0 },
    ...{ transports: [], name: 'Phone', createdAt: host.clock.now(), lastUsedAt: null },
  });
  const placed = await orderAs(host, email);
  expect(await orderOf(placed.paymentIntent)).toMatchObject({ status: 'unconfirmed', subscriptionId: null });
});

test('the person who ordered sees the same as with an unused address', async () => {
  const owner = await lapsed(host);
  const held = await statusOf(host, (await orderAs(host, owner.email)).paymentIntent);
  const fresh = await statusOf(host, (await orderAs(host, `new-${owner.email}`)).paymentIntent);
  const same = ({ reference: _, email: __, ...told }: Record<string, unknown>) => told;
  expect(same(held)).toEqual(same(fresh));
});

test('opening the link decides nothing; a confirmed order is fulfilled once, with its card', async () => {
  const owner = await lapsed(host);
  const before = await findMethod(host.db.orm, owner.accountId);
  const placed = await orderAs(host, owner.email);
  const token = await linkOf(host, owner.email);
  const read = () => send(host, 'POST', '/api/subscriptions/held', { token });
  expect((await read()).body.data).toMatchObject({ state: 'held', plan: 'basic_monthly', amountCents: 990 });
  expect((await read()).body.data).toMatchObject({ state: 'held' });
  expect(JSON.stringify(await orderOf(placed.paymentIntent))).not.toContain(token);
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

test('a repeated webhook does not fulfil a held order', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const { setupId } = await orderOf(placed.paymentIntent);
  await emit(host.db.orm, host.deps.random, 'setup.succeeded', setupId ?? '', host.clock.now());
  await host.runBilling();
  expect(await orderOf(placed.paymentIntent)).toMatchObject({ status: 'unconfirmed', subscriptionId: null });
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('canceled');
});

test('a discarded order fails and its card is deleted', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const { customerId } = await orderOf(placed.paymentIntent);
  const token = await linkOf(host, owner.email);
  expect(await decide(host, token, 'discard')).toBe('over');
  expect(await decide(host, token, 'confirm')).toBe('over');
  await host.runBilling();
  expect(await orderOf(placed.paymentIntent)).toMatchObject({ status: 'failed', failure: 'discarded' });
  expect(await host.deps.payments.findCard(customerId ?? '')).toBeNull();
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('canceled');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'succeeded', failure: null });
});

test('an order not confirmed within a week fails', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const token = await linkOf(host, owner.email);
  await advance(host, '6d');
  expect((await orderOf(placed.paymentIntent)).status).toBe('unconfirmed');
  await advance(host, '1d');
  expect(await orderOf(placed.paymentIntent)).toMatchObject({ status: 'failed', failure: 'unconfirmed' });
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
  expect(await orderOf(placed.paymentIntent)).toMatchObject({ status: 'refused', subscriptionId: null });
  // The person who placed it sees the same as for any order.
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'succeeded', failure: null });
});

test('the trial of an account that never had one begins with the confirmation', async () => {
  const account = await host.account({ access: false });
  await orderAs(host, account.email, { trial: true });
  expect(await billingMails(host, account)).toEqual(['order_held_trial']);
  host.clock.advance(5 * 3_600_000);
  expect(await decide(host, await linkOf(host, account.email), 'confirm')).toBe('confirmed');
  const { status, trialEnd } = await subscriptionOf(host, account.id);
  expect([status, trialEnd?.getTime()]).toEqual(['trialing', host.clock.now().getTime() + 48 * 3_600_000]);
});

test('a confirmed order whose card is refused charges nothing and leaves no contract', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email, { card: 'neverAgain' });
  expect(await decide(host, await linkOf(host, owner.email), 'confirm')).toBe('confirmed');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({
    state: 'failed',
    failure: 'card_declined',
  });
});

test('a confirmed order with a pending charge can no longer be discarded or expire after a week', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email, { card: '4000000000001034' });
  const token = await linkOf(host, owner.email);
  expect(await decide(host, token, 'confirm')).toBe('confirmed');
  expect(await decide(host, token, 'discard')).toBe('confirmed');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'pending' });
  await advance(host, '8d');
  expect(await orderOf(placed.paymentIntent)).toMatchObject({ status: 'complete', failure: null });
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('active');
  const kept = (await findMethod(host.db.orm, owner.accountId))?.customerId ?? '';
  expect(await host.deps.payments.findCard(kept)).not.toBeNull();
});

test('after a failed order only, the next order with that address needs no confirmation', async () => {
  const body = checkout({ trial: false });
  const first = await placeOrder(host, body);
  await enterCard(host, first.redirectUrl, 'neverAgain', body.name);
  await orderAs(host, body.email);
  expect(await billingMails(host, body)).toContain('order_paid');
});

test('an order held for a mistyped address is moved when the address is corrected', async () => {
  const owner = await lapsed(host);
  const visitor = 'a browser with a long random key';
  const placed = await orderAs(host, owner.email, { visitor });
  const wrong = await linkOf(host, owner.email);
  const email = `right-${owner.email}`;
  const correction = { payment_intent_id: placed.paymentIntent, visitor, email };
  expect((await send(host, 'POST', '/api/subscriptions/email', correction)).status).toBe(200);
  expect(await decide(host, wrong, 'confirm')).toEqual({ token: ['token_unknown'] });
  expect(await decide(host, await linkOf(host, email), 'confirm')).toBe('confirmed');
  await host.runBilling();
  expect(await billingMails(host, { email })).toContain('order_paid');
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('canceled');
});

test('the mail of a held order is resent with a link that replaces the previous one', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const first = await linkOf(host, owner.email);
  const again = await send(host, 'POST', '/api/subscriptions/mail', {
    payment_intent_id: placed.paymentIntent,
  });
  expect(again.status).toBe(200);
  expect(await decide(host, first, 'confirm')).toEqual({ token: ['token_unknown'] });
  expect(await decide(host, await linkOf(host, owner.email), 'discard')).toBe('over');
});

test('an erased account leaves no held order', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const link = await linkOf(host, owner.email);
  const token = await signIn(host, owner.email);
  await send(host, 'DELETE', '/api/account', { password: 'three quiet lamps over water' }, { token });
  expect(await orderOf(placed.paymentIntent)).toMatchObject({ status: 'failed', failure: 'account_deleted' });
  expect(await decide(host, link, 'confirm')).toBe('over');
});

test.each(engines)(
  'when confirmed, discarded and due concurrently, exactly one takes effect (%s)',
  async (_, open) => {
    const shop = await createTestHost({ db: await open() });
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
  },
);
