import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { getOffer } from '#contract/subscriptions';
import { HOUR_MS } from '#contract/time';
import { invoices } from '#host/db/invoices.tables';
import { getChargeId, listPayments } from '#host/payments/store';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  advance,
  type Bought,
  billingMail,
  buy,
  type CardKind,
  checkout,
  replaceCard,
  statusOf,
  subscriptionOf,
  view,
} from '../../support/ordering';

const BERLIN = {
  country: 'DE',
  zip_code: '10115',
  city: 'Berlin',
  professional: true,
  company: 'Tinte und Papier',
  vat_number: 'DE136695976',
};

let isReachable = true;
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost({
    payments: (sandbox) => ({
      ...sandbox,
      charge: async (request) => {
        if (!isReachable) throw new Error('the provider cannot be reached');
        return sandbox.charge(request);
      },
    }),
  });
});
afterEach(() => {
  isReachable = true;
});
afterAll(() => host.close());

/** A signed-in customer who places one order after another, each with a different cardholder. */
async function customer() {
  const account: TestAccount = await host.account({ access: false });
  const order = async (fields: Record<string, unknown>, card: CardKind = 'good') => {
    const name = checkout().name;
    return buy(host, { ...fields, name, email: account.email }, card, account.token);
  };
  const statuses = async () =>
    (await listPayments(host.db.orm, account.id, { page: 1, limit: 20 })).rows
      .reverse()
      .map(({ status }) => status);
  return { ...account, order, statuses };
}

async function declare(what: 'withdraw' | 'money-back' | 'cancel', { body, email, reference }: Bought) {
  const declared = { name: body.name, email, reference, confirmed: true };
  await send(host, 'POST', `/api/contract/${what}`, declared);
  await host.runBilling();
}

test('the planned charge of a withdrawn trial is not made for the next contract', async () => {
  const { id, order, statuses } = await customer();
  await declare('withdraw', await order({}));
  await order({ trial: false });
  const { periodEnd } = await subscriptionOf(host, id);
  await advance(host, '5d');
  expect(await statuses()).toEqual(['paid']);
  expect((await subscriptionOf(host, id)).periodEnd).toEqual(periodEnd);
});

test('money that arrives for an earlier contract is refunded, and the trial of the new one continues', async () => {
  const { id, order, statuses } = await customer();
  await order({ trial: false }, 'processing');
  await advance(host, '4d');
  await order({});
  const trialEnd = host.clock.now().getTime() + 48 * HOUR_MS;
  await advance(host, '30h');
  expect(await statuses()).toEqual(['refunded']);
  const present = await subscriptionOf(host, id);
  expect(present).toMatchObject({ status: 'trialing', accessUntil: new Date(trialEnd), nextPeriod: 0 });
});

test('money that arrives for an earlier contract is invoiced to the buyer of that contract', async () => {
  const { id, order } = await customer();
  const first = await order({ trial: false }, 'processing');
  await order({ ...BERLIN, trial: false });
  expect((await statusOf(host, first.placed.paymentIntent)).state).toBe('pending');
  await advance(host, '6d');
  const documents = await host.db.orm.select().from(invoices).where(eq(invoices.accountId, id));
  const of = ({ reference }: { reference: string }) =>
    documents.filter((document) => document.reference === reference);
  const own = {
    tax: 'standard',
    vatCents: 165,
    grossCents: 990,
    buyer: expect.objectContaining({ name: first.body.name, company: '', country: 'FR' }),
  };
  expect(
    of(first)
      .map(({ series }) => series)
      .sort(),
  ).toEqual(['A', 'F']);
  expect(of(first)).toMatchObject([own, own]);
  expect(documents.filter(({ tax }) => tax === 'reverse_charge')).toMatchObject([
    { series: 'F', grossCents: 825, buyer: { company: 'Tinte und Papier' } },
  ]);
  expect(await statusOf(host, first.placed.paymentIntent)).toMatchObject({
    state: 'failed',
    failure: 'replaced',
  });
  expect((await subscriptionOf(host, id)).status).toBe('active');
});

test('an order replaced by another fails when its pending charge fails', async () => {
  const { order, statuses } = await customer();
  const first = await order({ trial: false }, 'unconfirmed');
  await order({ trial: false });
  expect((await statuses()).sort(), 'the bank may still take it').toEqual(['open', 'paid']);
  await advance(host, '6d');
  expect((await statuses()).sort()).toEqual(['paid', 'voided']);
  expect((await statusOf(host, first.placed.paymentIntent)).state).toBe('failed');
});

test('an order whose charge never reached the provider fails when another replaces it', async () => {
  const { order, statuses } = await customer();
  isReachable = false;
  const first = await order({ trial: false });
  isReachable = true;
  expect(await statuses()).toEqual(['open']);
  await order({ trial: false });
  expect((await statuses()).sort()).toEqual(['paid', 'voided']);
  expect((await statusOf(host, first.placed.paymentIntent)).state).toBe('failed');
});

test('the reference of an ended contract does not end the next one', async () => {
  const { id, order } = await customer();
  const first = await order({ trial: false });
  await declare('withdraw', first);
  await order({ trial: false });
  await declare('cancel', first);
  await declare('withdraw', first);
  expect(await subscriptionOf(host, id)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false });
});

test.each([
  ['without a trial', { trial: false }],
  ['after a trial', {}],
])('the legal withdrawal %s does not use up the money-back promise', async (_, fields) => {
  const { id, order, statuses } = await customer();
  const withdrawn = await order(fields);
  await advance(host, '3d');
  await declare('withdraw', withdrawn);
  await declare('money-back', await order({ trial: false, professional: true, company: 'Atelier' }));
  expect((await subscriptionOf(host, id)).status).toBe('canceled');
  expect(await statuses()).toEqual(['refunded', 'refunded']);
});

test('a customer who used the money-back promise is not given it again with another order', async () => {
  const { email, token, order } = await customer();
  const business = { trial: false, professional: true, company: 'Atelier' };
  const isOffered = async () => {
    const { data } = (await send(host, 'POST', '/api/subscriptions/offer', {}, { token })).body;
    return getOffer.response.parse({ data }).data.account?.moneyBackAvailable;
  };
  const confirmation = async () => (await billingMail(host, { email }, 'order_paid')).text;
  expect(await isOffered()).toBe(true);
  const bought = await order(business);
  expect(await confirmation()).toContain('Money back: within 14 days');
  await declare('money-back', bought);
  host.clock.advance(HOUR_MS);
  await order(business);
  expect(await isOffered()).toBe(false);
  expect(await confirmation()).not.toContain('Money back');
});

test('the promise covers the first payment: a renewal is not refunded, even if the first one was', async () => {
  const { id, order, statuses } = await customer();
  const bought = await order({ trial: false, professional: true, company: 'Atelier' });
  const [first] = (await listPayments(host.db.orm, id, { page: 1, limit: 1 })).rows;
  const chargeId = await getChargeId(host.db.orm, first?.id ?? '');
  await host.deps.payments.refund({ key: 'by hand', chargeId, amountCents: 990 });
  await advance(host, '32d');
  expect(await statuses()).toEqual(['refunded', 'paid']);
  await declare('money-back', bought);
  expect(await statuses()).toEqual(['refunded', 'paid']);
  expect((await subscriptionOf(host, id)).status).toBe('active');
});

test('what comes next is of the present contract, not a charge that an earlier one had planned', async () => {
  const { id, email, password, order } = await customer();
  await declare('withdraw', await order({ trial: false, slug: 'basic_yearly' }));
  await order({ trial: false }, 'onlyOnce');
  await advance(host, '33d');
  expect((await subscriptionOf(host, id)).status).toBe('due_date');
  const credentials = { email, password, remember: true };
  const token = String((await send(host, 'POST', '/api/login_check', credentials)).body.token);
  await replaceCard(host, token, 'processing');
  await advance(host, '36h');
  expect((await view(host, token)).next).toMatchObject({ code: 'charging', amountCents: 990 });
});

test('an account erased while its first charge is pending gets no contract, and the money is refunded', async () => {
  const { id, order, statuses, password, token } = await customer();
  await order({ trial: false }, 'processing');
  expect((await send(host, 'DELETE', '/api/account', { password }, { token })).status).toBe(200);
  await advance(host, '6d');
  expect(await statuses()).toEqual(['refunded']);
  expect((await subscriptionOf(host, id)).status).toBe('canceled');
});
