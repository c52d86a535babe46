import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { buy, checkout } from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const order = (node: TestHost, fields: Record<string, unknown>, address: string) =>
  send(node, 'POST', '/api/subscriptions', checkout(fields), { headers: { 'x-client-ip': address } });

test('orders with a customer’s address notify the customer up to three times an hour, and reveal nothing', async () => {
  const { email } = await buy(host);
  const statuses = [];
  for (let turn = 0; turn < 8; turn += 1) {
    statuses.push((await order(host, { email }, `203.0.113.${turn}`)).status);
  }
  expect(statuses).toEqual(Array(8).fill(201));
  const reported = async () =>
    (await host.mails()).filter(
      ({ to, template }) => to === email && template === 'billing-mail.order_known',
    );
  expect(await reported()).toHaveLength(3);
  // The used up limit must not affect link mails, which would reveal that the address is known.
  const forgot = await send(host, 'POST', '/api/account/forgot-password', { email });
  expect(forgot.status).toBe(200);
  host.clock.advance(3_600_000);
  await order(host, { email }, '203.0.113.99');
  expect(await reported()).toHaveLength(4);
});

test('orders with a bad captcha token do not use up the limit of an address', async () => {
  const guarded = await createTestHost({ captcha: async ({ token }) => token === 'a person' });
  const email = 'buyer@elsewhere.example';
  for (let turn = 0; turn < 12; turn += 1) {
    const refused = await order(guarded, { email, captcha: 'a robot' }, `203.0.113.${turn}`);
    expect(refused.body.errors).toEqual({ captcha: ['captcha_failed'] });
  }
  expect((await order(guarded, { email, captcha: 'a person' }, '198.51.100.1')).status).toBe(201);
  await guarded.close();
});

test('an e-mail address has a limit of ten orders an hour, signed in or not and from any IP address', async () => {
  const account = await host.account({ access: false });
  const place = (fields: Record<string, unknown>, turn: number) =>
    send(host, 'POST', '/api/subscriptions', checkout(fields), {
      token: account.token,
      headers: { 'x-client-ip': `203.0.113.${turn}` },
    });
  const first = { key: 'the-first-form', name: 'Ada Byron' };
  const statuses = [];
  for (let turn = 0; turn < 10; turn += 1) statuses.push((await place(turn === 0 ? first : {}, turn)).status);
  expect(statuses).toEqual(Array(10).fill(201));
  expect((await place({}, 10)).status).toBe(429);
  // A repeated post is not another order.
  expect((await place(first, 11)).status).toBe(201);
  const stranger = await order(host, { email: account.email.toUpperCase() }, '203.0.113.12');
  expect(stranger.status).toBe(429);
  host.clock.advance(3_600_000);
  expect((await place({}, 13)).status).toBe(201);
});
