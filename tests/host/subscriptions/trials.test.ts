import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { changeAccount } from '#host/accounts/store';
import { readRows } from '#host/db/orm';
import { sandboxObjects } from '#host/db/payments.tables';
import { orders } from '#host/db/subscriptions.tables';
import { findMethod } from '#host/payments/store';
import { findOrderByIntent } from '#host/subscriptions/order/store';
import { createTestHost, type TestHost } from '../../support/host';
import { mailedToken, send } from '../../support/json-calls';
import { act, buy, checkout, enterCard, onboard, placeOrder, statusOf } from '../../support/ordering';

const PASSWORD = 'three quiet lamps over water';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function changeEmail(token: string, email: string): Promise<void> {
  const body = { firstName: 'Ada', lastName: 'Byron', email, currentPassword: PASSWORD };
  await send(host, 'PUT', '/api/account/profile', body, { token });
  const link = { token: await mailedToken(host, email) };
  const answered = await send(host, 'POST', '/api/account/confirm-email', link, { token });
  expect(answered.status).toBe(200);
}

async function isTrialOffered(token: string): Promise<boolean> {
  const answered = await send(host, 'GET', '/api/account/subscriptions', undefined, { token });
  return (answered.body.data as { trialAvailable: boolean }).trialAvailable;
}

const orderOf = (paymentIntent: string) => findOrderByIntent(host.db.orm, paymentIntent);

/** A customer whose trial has ended unpaid. */
async function tryOut() {
  const { email, accountId } = await buy(host);
  const token = await onboard(host, email);
  await act(host, token, 'cancel');
  host.clock.advance(49 * 3_600_000);
  await host.runBilling();
  const session = await send(host, 'POST', '/api/login_check', { email, password: PASSWORD });
  return { accountId, email, token: String(session.body.token) };
}

test('a new e-mail address brings no second trial, neither to the account nor after its erasure', async () => {
  const { token } = await tryOut();
  const email = 'moved@shop.example';
  await changeEmail(token, email);
  expect(await isTrialOffered(token)).toBe(false);
  const placed = await placeOrder(host, checkout(), token);
  expect((await orderOf(placed.paymentIntent))?.trialHours).toBe(0);
  await send(host, 'DELETE', '/api/account', { password: PASSWORD }, { token });
  const again = await placeOrder(host, checkout({ email }));
  await enterCard(host, again.redirectUrl, 'good', 'Another Holder');
  expect((await orderOf(again.paymentIntent))?.failure).toBe('trial_used');
});

test('a buyer who was shown a trial that has since been used up is not charged at once instead', async () => {
  const { email, token } = await tryOut();
  const body = { ...checkout(), email };
  const refused = await send(host, 'POST', '/api/subscriptions', { ...body, trial: true }, { token });
  expect([refused.status, refused.body.errors]).toEqual([422, { trial: ['trial_differs'] }]);
  const count = () => host.db.orm.$count(orders, eq(orders.email, email));
  expect(await count()).toBe(1);
  const answered = await send(host, 'POST', '/api/subscriptions', { ...body, trial: false }, { token });
  expect([answered.status, await count()]).toEqual([201, 2]);
});

test('signed out, an order with a trial is accepted whether or not the address had one', async () => {
  const { email } = await tryOut();
  const body = { ...checkout(), email, trial: true };
  expect((await send(host, 'POST', '/api/subscriptions', body)).status).toBe(201);
});

test('an order placed before a change of e-mail address uses up the trial of both addresses', async () => {
  const account = await host.account({ access: false });
  const placed = await placeOrder(host, checkout(), account.token);
  const email = 'between@shop.example';
  const body = { firstName: 'Ada', lastName: 'Byron', email, currentPassword: account.password };
  await send(host, 'PUT', '/api/account/profile', body, account);
  await send(host, 'POST', '/api/account/confirm-email', { token: await mailedToken(host, email) }, account);
  await enterCard(host, placed.redirectUrl, 'good', 'In Between');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'succeeded' });
  await send(host, 'DELETE', '/api/account', { password: account.password }, account);
  const again = await placeOrder(host, checkout({ email }));
  await enterCard(host, again.redirectUrl, 'good', 'Next Holder');
  expect((await orderOf(again.paymentIntent))?.failure).toBe('trial_used');
});

test('an unused trial is kept through a change of e-mail address', async () => {
  const account = await host.account({ access: false });
  expect(await isTrialOffered(account.token)).toBe(true);
  const body = { firstName: 'Ada', lastName: 'Byron', email: 'untried@shop.example' };
  await send(host, 'PUT', '/api/account/profile', { ...body, currentPassword: account.password }, account);
  const link = { token: await mailedToken(host, body.email) };
  await send(host, 'POST', '/api/account/confirm-email', link, account);
  expect(await isTrialOffered(account.token)).toBe(true);
});

test('the payment provider is told of a confirmed new address', async () => {
  const { accountId, token } = await tryOut();
  await changeEmail(token, 'told@shop.example');
  await host.runBilling();
  const method = await findMethod(host.db.orm, accountId);
  const [customer] = await host.db.orm
    .select()
    .from(sandboxObjects)
    .where(eq(sandboxObjects.id, method?.customerId ?? ''));
  expect(customer?.data).toMatchObject({ email: 'told@shop.example' });
});

test('an account that had its trial has none with any address, even one without a record of it', async () => {
  const { accountId, token } = await tryOut();
  const stranger = await placeOrder(host, checkout({ email: 'anew@shop.example' }));
  await changeAccount(host.db.orm, accountId, { email: 'anew@shop.example' });
  expect(await isTrialOffered(token)).toBe(false);
  const own = await placeOrder(host, checkout(), token);
  expect((await orderOf(own.paymentIntent))?.trialHours).toBe(0);
  const signedOut = await placeOrder(host, checkout({ email: 'anew@shop.example' }));
  expect((await orderOf(signedOut.paymentIntent))?.failure).toBe('trial_used');
  // Placed while the address was unknown, paid when it belonged to the account.
  await enterCard(host, stranger.redirectUrl, 'good', 'Yet Another');
  expect((await orderOf(stranger.paymentIntent))?.failure).toBe('trial_used');
});

test('a held order has no trial if its card was used for one in the meantime', async () => {
  const { email, token } = await host.account({ access: false });
  const held = await placeOrder(host, checkout({ email }));
  await enterCard(host, held.redirectUrl, 'good', 'One Card');
  expect((await orderOf(held.paymentIntent))?.status).toBe('unconfirmed');
  const other = checkout();
  const first = await placeOrder(host, other);
  await enterCard(host, first.redirectUrl, 'good', 'One Card');
  expect((await orderOf(first.paymentIntent))?.status).toBe('complete');
  const id = (await orderOf(held.paymentIntent))?.id;
  await send(host, 'POST', `/api/account/orders/${id}`, { decision: 'confirm' }, { token });
  expect(await orderOf(held.paymentIntent)).toMatchObject({ status: 'failed', failure: 'trial_used' });
});

test('of two concurrent orders with one card, both past the first check, one gets a trial', async () => {
  const server = await createTestHost();
  onTestFinished(() => server.close());
  const { orm } = server.db;
  const placed = [await placeOrder(server, checkout()), await placeOrder(server, checkout())];
  const held = sql`select 1 from pg_locks where not granted and relation = 'accounts'::regclass`;
  const waiting = async () => (await readRows(orm, held)).length;
  const enterAndFulfill = async ({ redirectUrl, paymentIntent }: (typeof placed)[number]) => {
    await enterCard(server, redirectUrl, 'good', 'One Card');
    await statusOf(server, paymentIntent);
  };
  const { entered } = await orm.transaction(async (blocking) => {
    // Blocks the creation of accounts, the next step of an order.
    await blocking.execute(sql`lock table accounts in share mode`);
    const entered: Promise<void>[] = [];
    for (const order of placed) {
      entered.push(enterAndFulfill(order));
      // One after the other, because a running worker would also claim the next order's job.
      await expect.poll(waiting).toBe(entered.length);
    }
    return { entered: Promise.all(entered) };
  });
  await entered;
  server.clock.advance(3_600_000);
  await server.runBilling();
  const ended = await Promise.all(placed.map(({ paymentIntent }) => findOrderByIntent(orm, paymentIntent)));
  expect(ended.map((order) => order?.failure ?? order?.status).sort()).toEqual(['complete', 'trial_used']);
});
