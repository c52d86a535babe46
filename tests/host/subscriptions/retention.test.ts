import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { invoices } from '#host/db/invoices.tables';
import { paymentAttempts, payments, refunds } from '#host/db/payments.tables';
import { declarations, orders } from '#host/db/subscriptions.tables';
import { dropOldBilling } from '#host/subscriptions/billing-work';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { buy, checkout, enterCard, onboard, placeOrder, signIn } from '../../support/ordering';

let host: TestHost;

beforeEach(async () => {
  host = await createTestHost();
});
afterEach(() => host.close());

const dropAt = (at: string) => dropOldBilling(host.deps, new Date(at));

async function statuses(): Promise<string[]> {
  const rows = await host.db.orm.select().from(orders).orderBy(orders.createdAt);
  return rows.map(({ status }) => status);
}

/** Orders, pays the first period after two days of trial, and erases the account. */
async function buyAndErase(fields: Partial<typeof orders.$inferInsert> = {}) {
  const { email, accountId, placed } = await buy(host);
  await onboard(host, email);
  host.clock.advance(2 * DAY_MS);
  await host.runBilling();
  const isPlaced = eq(orders.paymentIntent, placed.paymentIntent);
  await host.db.orm
    .update(orders)
    .set({ priceCents: 990, ...fields })
    .where(isPlaced);
  const token = await signIn(host, email);
  const body = { password: 'three quiet lamps over water' };
  expect((await send(host, 'DELETE', '/api/account', body, { token })).status).toBe(200);
  return accountId;
}

test('an order without a contract is dropped after thirty days, placed signed in or not', async () => {
  const account = await host.account({ access: false });
  const { email } = await buy(host);
  await placeOrder(host, checkout());
  await placeOrder(host, checkout(), account.token);
  const refused = await placeOrder(host, checkout({ email, trial: false }));
  await enterCard(host, refused.redirectUrl);
  const failed = await placeOrder(host, checkout({ trial: false }));
  await enterCard(host, failed.redirectUrl, 'neverAgain');
  host.clock.advance(26 * 3_600_000);
  await host.runBilling();
  expect((await statuses()).sort()).toEqual(['complete', 'failed', 'failed', 'failed', 'refused']);
  await dropAt('2026-04-01T09:59:59.000Z');
  expect(await statuses()).toHaveLength(5);
  await dropAt('2026-04-01T10:00:01.000Z');
  expect(await statuses()).toEqual(['complete']);
});

test('a withdrawal from a failed order that was dropped is processed', async () => {
  const { email, token } = await host.account({ access: false });
  const { body } = await buy(host, { trial: false, email }, 'neverAgain', token);
  await dropAt('2026-04-02T10:00:00.000Z');
  expect(await statuses()).toEqual([]);
  const declared = { name: body.name, email, confirmed: true };
  await send(host, 'POST', '/api/contract/withdraw', declared, { token });
  await host.runBilling();
  const [declaration] = await host.db.orm.select().from(declarations);
  expect(declaration?.outcome).toBe('nothing_to_do');
});

test('the proof of an order is dropped five years after the end of the contract, never while the account exists', async () => {
  await buy(host);
  await buyAndErase();
  await dropAt('2031-03-04T09:59:59.000Z');
  expect(await statuses()).toHaveLength(2);
  await dropAt('2031-03-04T10:00:01.000Z');
  expect(await statuses()).toHaveLength(1);
  await dropAt('2060-01-01T00:00:00.000Z');
  expect(await statuses()).toHaveLength(1);
});

test('the proof of an order of 120 euros is kept for ten years', async () => {
  await buyAndErase({ priceCents: 12_000 });
  await buyAndErase({ priceCents: 11_999 });
  await dropAt('2036-03-01T00:00:00.000Z');
  expect(await statuses()).toHaveLength(1);
  await dropAt('2036-03-07T00:00:00.000Z');
  expect(await statuses()).toEqual([]);
});

test('a declaration is dropped after five years', async () => {
  await send(host, 'POST', '/api/contract/cancel', {
    name: 'Ada',
    email: 'ada@shop.example',
    confirmed: true,
  });
  const { orm } = host.db;
  await dropAt('2031-03-02T09:59:59.000Z');
  expect(await orm.select().from(declarations)).toHaveLength(1);
  await dropAt('2031-03-02T10:00:01.000Z');
  expect(await orm.select().from(declarations)).toEqual([]);
});

test('documents and payments are kept until ten more full years have passed in Paris', async () => {
  const { orm } = host.db;
  const { body, email, reference } = await buy(host, { trial: false });
  const declared = { name: body.name, email, reference, confirmed: true };
  await send(host, 'POST', '/api/contract/withdraw', declared);
  await host.runBilling();
  const count = async () =>
    Promise.all(
      [invoices, payments, paymentAttempts, refunds].map(
        async (table) => (await orm.select().from(table)).length,
      ),
    );
  expect(await count()).toEqual([2, 1, 1, 1]);
  await dropAt('2036-12-31T22:59:59.000Z');
  expect(await count()).toEqual([2, 1, 1, 1]);
  await dropAt('2036-12-31T23:00:00.000Z');
  expect(await count()).toEqual([0, 0, 0, 0]);
});
