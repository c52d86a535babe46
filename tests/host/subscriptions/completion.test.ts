import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { listAddresses } from '#host/addresses/store';
import { codes } from '#host/db/codes.tables';
import { orders } from '#host/db/subscriptions.tables';
import type { SavedCard } from '#host/http/payment-provider';
import { findMethod } from '#host/payments/store';
import { confirmOrder } from '#host/subscriptions/billing-work';
import { storeEvent } from '#host/subscriptions/charge/provider-events';
import { endAtPeriodEnd } from '#host/subscriptions/contract/ending';
import { findSubscription, lockSubscription } from '#host/subscriptions/contract/store';
import { findOrderByIntent, listHeldOrders } from '#host/subscriptions/order/store';
import { readBooks } from '../../support/books';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { checkout, enterCard, type Placed, placeOrder, statusOf } from '../../support/ordering';

const nothing = async () => undefined;

let meanwhile: () => Promise<unknown> = nothing;
/** Customers whose last entered card was made their default. */
const preferring: string[] = [];
/** The card that stays the default at the provider, and how many attempts to change that fail. */
let preferred: SavedCard | null = null;
let outages = 0;
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost({
    payments: (sandbox) => ({
      ...sandbox,
      getSetup: async (id) => {
        const setup = await sandbox.getSetup(id);
        await meanwhile();
        return setup;
      },
      findCard: async (customerId) => preferred ?? sandbox.findCard(customerId),
      preferCard: async (customerId, methodId) => {
        outages -= 1;
        if (outages >= 0) throw new Error('the provider cannot be reached');
        preferred = null;
        preferring.push(customerId);
        await sandbox.preferCard(customerId, methodId);
      },
    }),
  });
});
afterEach(() => {
  meanwhile = nothing;
  preferred = null;
  outages = 0;
});
afterAll(() => host.close());

async function orderSignedIn() {
  const account = await host.account({ access: false });
  const placed = await placeOrder(host, checkout(), account.token);
  const erase = () => send(host, 'DELETE', '/api/account', { password: account.password }, account);
  return { account, placed, erase };
}

async function expectNothing({ account, placed }: Awaited<ReturnType<typeof orderSignedIn>>) {
  host.clock.advance(3 * DAY_MS);
  await host.runBilling();
  const { orm } = host.db;
  const [order] = await orm.select().from(orders).where(eq(orders.paymentIntent, placed.paymentIntent));
  expect(order).toMatchObject({ status: 'failed', failure: 'account_deleted', subscriptionId: null });
  expect(await findSubscription(orm, account.id)).toBeNull();
  expect(await findMethod(orm, account.id)).toBeNull();
  expect(await listAddresses(orm, account.id)).toEqual([]);
  expect(await readBooks(host)).toMatchObject({ charged: 0, charges: 0 });
}

/** The number of cards that the provider keeps for the customer of an order. */
async function countCards({ paymentIntent }: Placed): Promise<number> {
  const { rows } = (await host.db.orm.execute(
    `select count(*)::int as cards from sandbox_objects m join orders o on o.customer_id = m.customer_id
      where m.kind = 'method' and o.payment_intent = '${paymentIntent}'`,
  )) as unknown as { rows: { cards: number }[] };
  return rows[0]?.cards ?? 0;
}

/** Saves a design without signing in; returns its id. */
async function keepDraft(visitor: string): Promise<string> {
  const form = new FormData();
  form.set('visitor', visitor);
  form.set('fields', JSON.stringify({ type: 'text', content: 'Back again' }));
  const answered = await host.request('/api/drafts', { method: 'POST', body: form });
  return (await answered.json()).data.id;
}

test('a card entered after the account was erased starts no contract', async () => {
  const ordered = await orderSignedIn();
  expect((await ordered.erase()).status).toBe(200);
  await enterCard(host, ordered.placed.redirectUrl);
  await expectNothing(ordered);
});

test('an account erased while its order is fulfilled is not charged, and its card is deleted', async () => {
  const ordered = await orderSignedIn();
  meanwhile = async () => {
    meanwhile = nothing;
    expect((await ordered.erase()).status).toBe(200);
  };
  await enterCard(host, ordered.placed.redirectUrl);
  await expectNothing(ordered);
  expect(await countCards(ordered.placed)).toBe(0);
});

test('the design of a returning customer who orders signed out becomes a code on confirmation', async () => {
  const account = await host.account({ access: false });
  const visitor = 'a browser with a long random key';
  const draft = await keepDraft(visitor);
  const body = checkout({ email: account.email, draft, visitor });
  const placed = await placeOrder(host, body);
  await enterCard(host, placed.redirectUrl, 'good', 'Back Again');
  for (const { id } of await listHeldOrders(host.db.orm, account.email)) {
    await confirmOrder(host.deps, id, host.clock.now());
  }
  const made = await host.db.orm.select().from(codes).where(eq(codes.accountId, account.id));
  expect(made).toMatchObject([{ type: 'text', content: 'Back again' }]);
});

test('the design of another browser cannot be ordered, even with its id', async () => {
  const account = await host.account({ access: false });
  const visitor = 'the browser that drew it';
  const draft = await keepDraft(visitor);
  const draftOf = async (fields: Record<string, unknown>) => {
    const placed = await placeOrder(host, checkout({ draft, ...fields }), account.token);
    return (await findOrderByIntent(host.db.orm, placed.paymentIntent))?.draftId;
  };
  expect(await draftOf({})).toBeNull();
  expect(await draftOf({ visitor: 'another browser' })).toBeNull();
  expect(await draftOf({ visitor })).toBe(draft);
});

/** Ends the contract while card pages of other orders are still open. */
function endContractOf(accountId: string): Promise<unknown> {
  return host.db.orm.transaction(async (transaction) => {
    const contract = await lockSubscription(transaction, accountId);
    return contract && endAtPeriodEnd(transaction, host.deps, contract, host.clock.now());
  });
}

const customerOf = async ({ paymentIntent }: Placed) =>
  (await findOrderByIntent(host.db.orm, paymentIntent))?.customerId ?? '';

test('signed in, the card of a refused order is deleted, but never the one in use', async () => {
  const { token, id } = await host.account({ access: false });
  const [first, second] = [
    await placeOrder(host, checkout(), token),
    await placeOrder(host, checkout(), token),
  ];
  await enterCard(host, first.redirectUrl, 'good', 'First Card');
  await enterCard(host, second.redirectUrl, 'good', 'Second Card');
  await host.runBilling();
  expect((await findOrderByIntent(host.db.orm, second.paymentIntent))?.status).toBe('refused');
  expect((await findMethod(host.db.orm, id))?.customerId).toBe(await customerOf(first));
  expect([await countCards(first), await countCards(second)]).toEqual([1, 0]);
});

test('signed in, an order refused because another one is active is not shown as a success', async () => {
  const { token } = await host.account({ access: false });
  const [first, second] = [
    await placeOrder(host, checkout(), token),
    await placeOrder(host, checkout(), token),
  ];
  for (const { redirectUrl } of [first, second]) await enterCard(host, redirectUrl);
  await host.runBilling();
  expect(await statusOf(host, first.paymentIntent)).toMatchObject({ state: 'succeeded' });
  const refused = { state: 'failed', failure: 'already_running', canResend: false, canCorrect: false };
  expect(await statusOf(host, second.paymentIntent)).toMatchObject(refused);
  const again = { payment_intent_id: second.paymentIntent };
  expect((await send(host, 'POST', '/api/subscriptions/mail', again)).status).toBe(404);
});

test('only the card of a fulfilled order becomes the default', async () => {
  const { token } = await host.account({ access: false });
  const orderOf = () => placeOrder(host, checkout({ trial: false }), token);
  const [first, second] = [await orderOf(), await orderOf()];
  preferring.length = 0;
  for (const { redirectUrl } of [first, second]) await enterCard(host, redirectUrl, 'good', 'Any Card');
  await host.runBilling();
  expect(preferring).toEqual([await customerOf(first)]);
});

test('a card that could not be made the default is made so later, and stays the one in use', async () => {
  const { token, id } = await host.account({ access: false });
  const first = await placeOrder(host, checkout({ trial: false }), token);
  await enterCard(host, first.redirectUrl, 'good', 'Old Card');
  await host.runBilling();
  const customerId = await customerOf(first);
  preferred = await host.deps.payments.findCard(customerId);
  await endContractOf(id);
  const second = await placeOrder(host, checkout({ trial: false }), token);
  outages = 1;
  await enterCard(host, second.redirectUrl, 'good', 'New Card');
  await host.runBilling();
  const entered = (await findMethod(host.db.orm, id))?.methodId;
  expect(entered).not.toBe(preferred?.methodId);
  await host.db.orm.execute(`update jobs set claimed_until = now() - interval '1 second'`);
  await host.runBilling();
  const event = {
    id: 'changed',
    type: 'customer.updated',
    object: 'customer' as const,
    objectId: customerId,
  };
  await storeEvent(host.deps, event, host.clock.now());
  await host.runBilling();
  expect(await findMethod(host.db.orm, id)).toMatchObject({ customerId, methodId: entered });
});

test('signed in, a card that replaces another is the only one kept', async () => {
  const { token, id } = await host.account({ access: false });
  const [first, second] = [
    await placeOrder(host, checkout(), token),
    await placeOrder(host, checkout({ trial: false }), token),
  ];
  await enterCard(host, first.redirectUrl, 'good', 'Old Card');
  await endContractOf(id);
  await enterCard(host, second.redirectUrl, 'good', 'New Card');
  await host.runBilling();
  expect((await findMethod(host.db.orm, id))?.customerId).toBe(await customerOf(second));
  expect([await countCards(first), await countCards(second)]).toEqual([0, 1]);
  // Both orders now share one customer: one of them is refused, and the card stays.
  await endContractOf(id);
  const [third, fourth] = [
    await placeOrder(host, checkout({ trial: false }), token),
    await placeOrder(host, checkout({ trial: false }), token),
  ];
  for (const { redirectUrl } of [third, fourth]) await enterCard(host, redirectUrl, 'good', 'New Card');
  await host.runBilling();
  expect(await customerOf(fourth)).toBe(await customerOf(second));
  expect(await host.deps.payments.findCard(await customerOf(fourth))).not.toBeNull();
});
