import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { TransactionStatus } from '#contract/transactions';
import { purchaseSamplePlans } from '#host/demo-purchases';
import { createTestHost, START, type TestAccount, type TestHost } from '../support/host';
import { send } from '../support/json-calls';
import { type transactions, view } from '../support/ordering';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account({ access: false });
  const { app, deps } = host;
  const buyer = { id: account.id, email: account.email, roles: ['ROLE_USER'] };
  const now = new Date(START.getTime() + 321 * DAY_MS);
  await purchaseSamplePlans({ deps, app, account: buyer }, now, async () => {});
  expect(host.clock.now()).toEqual(now);
}, 120_000);
afterAll(() => host.close());

test('the sample purchases create a running plan, an address and a transaction in every status', async () => {
  const body = { email: account.email, password: account.password };
  const token = String((await send(host, 'POST', '/api/login_check', body)).body.token);
  const found = await send(host, 'GET', '/api/account/transactions?limit=100', undefined, { token });
  const listed = found.body.data as Awaited<ReturnType<typeof transactions>>;
  expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(TransactionStatus.options));
  const hasDocuments = listed.map(({ status, invoice, creditNote }) => [
    ['paid', 'refunded'].includes(status) === (invoice !== null),
    (status === 'refunded') === (creditNote !== null),
  ]);
  expect(hasDocuments.flat()).not.toContain(false);
  expect(await view(host, token)).toMatchObject({
    status: 'active',
    plan: 'basic_yearly',
    running: true,
    next: { code: 'renewal', amountCents: 10_692 },
  });
  const addresses = await send(host, 'GET', '/api/account/billing-addresses', undefined, { token });
  expect(addresses.body.data).toMatchObject([{ city: 'Paris', is_default: true }]);
});
