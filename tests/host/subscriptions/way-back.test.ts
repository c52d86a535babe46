import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAccountByEmail } from '#host/accounts/store';
import { listAddresses } from '#host/addresses/store';
import { createTestHost, type TestHost } from '../../support/host';
import { checkout, enterCard, placeOrder } from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('an order corrected after returning from the card page is a new order with the correction', async () => {
  const body = checkout();
  const first = await placeOrder(host, body);
  const second = await placeOrder(host, { ...body, address: '10 rue du Papier' });
  expect(second.paymentIntent).not.toBe(first.paymentIntent);
  await enterCard(host, second.redirectUrl, 'good', body.name);
  const account = await findAccountByEmail(host.db.orm, body.email);
  expect(await listAddresses(host.db.orm, account?.id ?? '')).toMatchObject([{ street: '10 rue du Papier' }]);
});

test('the card page links back to the order page it was opened from', async () => {
  const account = await host.account({ access: false });
  const placed = [
    await placeOrder(host, checkout()),
    await placeOrder(host, checkout({ slug: 'basic_yearly', trial: false })),
    await placeOrder(host, checkout(), account.token),
    await placeOrder(host, checkout({ trial: false }), account.token),
  ];
  const pages = await Promise.all(
    placed.map(async ({ redirectUrl }) => (await host.request(new URL(redirectUrl).pathname)).text()),
  );
  const links = pages.map((page) => /<a href="https:\/\/www\.quadrille\.example([^"]*)"/.exec(page)?.[1]);
  expect(links).toEqual([
    '/subscribe/basic_monthly',
    '/subscribe/basic_yearly?trial=no',
    '/user/subscription/order/basic_monthly',
    '/user/subscription/order/basic_monthly?trial=no',
  ]);
});
