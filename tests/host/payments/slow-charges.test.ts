import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPayments } from '#host/payments/payments.store';
import { createTestHost, type TestHost } from '../../support/host';
import {
  advance,
  buy,
  checkout,
  enterCard,
  onboard,
  placeOrder,
  signIn,
  statusOf,
  subscriptionOf,
  transactions,
} from '../../support/ordering';

const PROCESSING = '4000000000001034';
const UNCONFIRMED = '4000000000001042';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const statusesOf = async (token: string) => (await transactions(host, token)).map(({ status }) => status);

test('a charge that the bank works at is pending for days, then paid with its invoice', async () => {
  const { email, accountId, placed } = await buy(host, { trial: false }, PROCESSING as 'good');
  expect((await statusOf(host, placed.paymentIntent)).state).toBe('pending');
  const waiting = await subscriptionOf(host, accountId);
  expect(waiting.status).toBe('incomplete');
  await advance(host, '4d');
  expect((await statusOf(host, placed.paymentIntent)).state).toBe('pending');
  await advance(host, '2d');
  const token = await onboard(host, email);
  expect(await transactions(host, token)).toMatchObject([
    { status: 'paid', invoice: { path: expect.stringMatching(/^\/api\/invoices\/F2026-/) } },
  ]);
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
  expect((await statusOf(host, placed.paymentIntent)).state).toBe('succeeded');
});

test('a renewal that waits for its holder is open while access goes on, then fails and is tried again', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  const { body } = await (
    await host.request('/api/account/billing-portal', { method: 'POST', token, body: '{}' })
  )
    .json()
    .then((answer) => ({ body: answer }));
  const saved = await enterCard(host, body.data.url, UNCONFIRMED, bought.body.name);
  expect(saved.status).toBe(303);
  await advance(host, '32d');
  const later = await signIn(host, bought.email);
  expect(await statusesOf(later)).toEqual(['open', 'paid']);
  const { status, accessUntil } = await subscriptionOf(host, bought.accountId);
  expect(status).toBe('active');
  expect(accessUntil.getTime()).toBeGreaterThan(host.clock.now().getTime());
  await advance(host, '3d');
  expect((await transactions(host, await signIn(host, bought.email)))[0]).toMatchObject({
    status: expect.stringMatching(/^(?:failed|open)$/),
  });
  expect(await mailedFailure(bought.email)).toBe(true);
});

test('an order can be placed again while the first charge waits; what arrives late is paid back', async () => {
  const body = checkout({ trial: false });
  const first = await placeOrder(host, body);
  await enterCard(host, first.redirectUrl, PROCESSING, body.name);
  const second = await placeOrder(host, { ...body, key: `${body.key}-again` });
  await enterCard(host, second.redirectUrl, 'good', body.name);
  const token = await onboard(host, body.email);
  expect((await statusesOf(token)).sort()).toEqual(['paid', 'pending']);
  await advance(host, '6d');
  expect((await statusesOf(await signIn(host, body.email))).sort()).toEqual(['paid', 'refunded']);
});

test('an order whose charge is refused leaves a failed transaction and nothing owed', async () => {
  const { accountId } = await buy(host, { trial: false }, 'neverAgain');
  const { rows } = await listPayments(host.db.orm, accountId, { page: 1, limit: 10 });
  expect(rows).toMatchObject([{ status: 'failed', failure: 'card_declined' }]);
});

async function mailedFailure(email: string): Promise<boolean> {
  return (await host.mails()).some(
    ({ to, template }) => to === email && template === 'billing-mail.charge_failed',
  );
}
