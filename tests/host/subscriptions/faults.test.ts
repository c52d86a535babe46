import { afterEach, expect, test } from 'vitest';
import type { PaymentProvider } from '#host/http/payment-provider';
import { readBooks } from '../../support/books';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { buy, subscriptionOf } from '../../support/ordering';

type Fault = 'none' | 'before' | 'after';

const TRIAL_MS = 48 * 3_600_000;

const hosts: TestHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

/** A provider that fails before it charges or refunds, or afterwards, before the response arrives. */
function faulty(provider: PaymentProvider) {
  let fault: Fault = 'none';
  async function through<T>(act: () => Promise<T>): Promise<T> {
    if (fault === 'before') throw new Error('the provider cannot be reached');
    const answer = await act();
    if (fault === 'after') throw new Error('the connection broke before the answer');
    return answer;
  }
  const broken: PaymentProvider = {
    ...provider,
    charge: (request) => through(() => provider.charge(request)),
    refund: (request) => through(() => provider.refund(request)),
    deliver: (now) => (fault === 'none' ? (provider.deliver?.(now) ?? Promise.resolve()) : Promise.resolve()),
  };
  return {
    broken,
    set: (next: Fault) => {
      fault = next;
    },
  };
}

async function breakableHost() {
  let breaker = (_: Fault): void => undefined;
  const host = await createTestHost({
    payments: (sandbox) => {
      const { broken, set } = faulty(sandbox);
      breaker = set;
      return broken;
    },
  });
  hosts.push(host);
  return { host, set: (fault: Fault) => breaker(fault) };
}

/** Ends the delay of jobs that failed or whose node died. */
async function waitOut(host: TestHost): Promise<void> {
  await host.db.orm.execute(`update jobs set claimed_until = now() - interval '1 second'`);
}

test('a charge that was not made is retried and made once', async () => {
  const { host, set } = await breakableHost();
  const { accountId } = await buy(host);
  host.clock.advance(TRIAL_MS);
  set('before');
  await host.runBilling();
  await waitOut(host);
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({ charged: 0, paid: 0, invoiced: 0, attempts: 1 });
  set('none');
  await waitOut(host);
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({ charged: 990, paid: 990, invoiced: 990, attempts: 1 });
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
});

test('a charge whose response was lost is recorded, not repeated', async () => {
  const { host, set } = await breakableHost();
  const { accountId } = await buy(host);
  host.clock.advance(TRIAL_MS);
  set('after');
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({ charged: 990, paid: 0, attempts: 1 });
  await waitOut(host);
  await host.runBilling();
  set('none');
  await waitOut(host);
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({
    charged: 990,
    paid: 990,
    invoiced: 990,
    charges: 1,
    attempts: 1,
  });
  expect((await subscriptionOf(host, accountId)).nextPeriod).toBe(1);
});

test('the webhook alone records a charge whose node died', async () => {
  const { host, set } = await breakableHost();
  const { accountId } = await buy(host);
  host.clock.advance(TRIAL_MS);
  set('after');
  await host.runBilling();
  set('none');
  await host.deps.payments.deliver?.(host.clock.now());
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
  await waitOut(host);
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({ charged: 990, paid: 990, charges: 1 });
});

test('a refund whose response was lost is made once and has one credit note', async () => {
  const { host, set } = await breakableHost();
  const { email, body, reference } = await buy(host);
  host.clock.advance(TRIAL_MS);
  await host.runBilling();
  set('after');
  const declared = { name: body.name, email, reference, confirmed: true };
  await send(host, 'POST', '/api/contract/withdraw', declared);
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({ charged: 0, paid: 990, credited: 0 });
  set('none');
  await waitOut(host);
  await host.runBilling();
  await waitOut(host);
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({ charged: 0, paid: 0, invoiced: 990, credited: 990 });
});

test('two nodes that work concurrently charge every customer once', async () => {
  const db = await openFresh();
  const one = await createTestHost({ db });
  hosts.push(one);
  const two = await createTestHost({ db });
  for (let buyer = 0; buyer < 6; buyer += 1) await buy(one);
  for (const node of [one, two]) node.clock.advance(TRIAL_MS);
  await Promise.all([one.runBilling(), two.runBilling(), one.runBilling(), two.runBilling()]);
  await one.runBilling();
  expect(await readBooks(one)).toMatchObject({
    charges: 6,
    charged: 5_940,
    paid: 5_940,
    invoiced: 5_940,
    attempts: 6,
  });
  await one.mails();
  const numbers = await one.db.orm.execute('select number from invoices order by place');
  expect((numbers as unknown as { rows: { number: string }[] }).rows.map(({ number }) => number)).toEqual(
    Array.from({ length: 6 }, (_, place) => `F2026-00000${place + 1}`),
  );
});

test('a node whose claim on a job expired does not charge twice', async () => {
  const { host } = await breakableHost();
  await buy(host);
  host.clock.advance(TRIAL_MS);
  const first = host.runBilling();
  await waitOut(host);
  await Promise.all([first, host.runBilling()]);
  await waitOut(host);
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({ charges: 1, charged: 990, paid: 990, invoiced: 990 });
});

const WEBHOOKS = [
  ['with its webhook', true],
  ['without its webhook', false],
] as const;
test.each(WEBHOOKS)(
  'money that arrives after the end of the contract is refunded, %s',
  async (_, hasWebhook) => {
    const { host, set } = await breakableHost();
    const { email, body, accountId, reference } = await buy(host);
    host.clock.advance(TRIAL_MS);
    set('after');
    await host.runBilling();
    const declared = { name: body.name, email, reference, confirmed: true };
    await send(host, 'POST', '/api/contract/withdraw', declared);
    await host.runBilling();
    expect((await subscriptionOf(host, accountId)).status).toBe('canceled');
    set('none');
    if (!hasWebhook) {
      await host.db.orm.execute('delete from sandbox_events');
      await waitOut(host);
    }
    await host.runBilling();
    await waitOut(host);
    await host.runBilling();
    expect(await readBooks(host)).toMatchObject({
      charged: 0,
      paid: 0,
      invoiced: 990,
      credited: 990,
      charges: 1,
    });
  },
);

test('a charge whose response was lost is refunded if another order has replaced it', async () => {
  const { host, set } = await breakableHost();
  const { id, email, token } = await host.account({ access: false });
  set('after');
  await buy(host, { trial: false, email }, 'good', token);
  set('none');
  await host.db.orm.execute('delete from sandbox_events');
  await buy(host, { trial: false, email }, 'good', token);
  await waitOut(host);
  await host.runBilling();
  expect(await readBooks(host)).toMatchObject({ charged: 990, paid: 990, invoiced: 1_980, credited: 990 });
  expect((await subscriptionOf(host, id)).status).toBe('active');
});
