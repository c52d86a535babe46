import { expect } from 'vitest';
import { readCard } from '#host/payment-sandbox/cards';
import { emit } from '#host/payment-sandbox/events';
import { saveCard } from '#host/payment-sandbox/setups';
import { findMethod, listPayments } from '#host/payments/store';
import { addMonths } from '#host/subscriptions/calendar';
import { syncCard } from '#host/subscriptions/charge/card-sync';
import { createTestHost, START, type TestHost } from '../../support/host';
import { afterDays, test } from '../../support/host-test';
import { send } from '../../support/json-calls';
import {
  act,
  advance,
  billingMails,
  buy,
  enterCard,
  onboard,
  replaceCard,
  signIn,
  subscriptionOf,
  transactions,
  view,
} from '../../support/ordering';

async function chargeFailedText(host: TestHost, email: string): Promise<string> {
  const mails = await host.mails();
  return (
    mails.find((mail) => mail.to === email && mail.template === 'billing-mail.charge_failed')?.text ?? ''
  );
}

async function renewalsOf(host: TestHost, accountId: string) {
  const { rows } = await listPayments(host.db.orm, accountId, { page: 1, limit: 10 });
  return rows.filter(({ period }) => period > 0);
}

test('a failed first charge ends access with the trial; after four retries the subscription expires', async ({
  host,
}) => {
  const bought = await buy(host, {}, 'neverAgain');
  await onboard(host, bought.email);
  await advance(host, '49h');
  const token = await signIn(host, bought.email);
  expect(await view(host, token)).toMatchObject({
    status: 'due_date',
    running: false,
    accessUntil: afterDays(2),
    next: { code: 'retry', at: afterDays(5), amountCents: 990 },
  });
  expect(await transactions(host, token)).toMatchObject([
    { status: 'failed', failure: 'card_declined', invoice: null },
  ]);
  expect((await act(host, token, 'switch', { plan: 'basic_yearly' })).status).toBe(409);
  await advance(host, '13d');
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('due_date');
  await advance(host, '1d');
  const last = await signIn(host, bought.email);
  expect(await view(host, last)).toMatchObject({
    status: 'expired',
    running: false,
    next: null,
    accessUntil: afterDays(2),
  });
  expect(await transactions(host, last)).toMatchObject([{ status: 'uncollectible' }]);
  expect(await billingMails(host, bought)).toEqual([
    'order_confirmed',
    'trial_reminder',
    'charge_failed',
    'charge_failed',
    'charge_failed',
    'charge_failed',
    'charge_given_up',
  ]);
  const reported = await chargeFailedText(host, bought.email);
  expect(reported).toContain('not been available to you since 4 March 2026 at 10:00 GMT');
});

test('a failed renewal keeps access until the last retry', async ({ host }) => {
  const bought = await buy(host, {}, 'onlyOnce');
  await onboard(host, bought.email);
  await advance(host, '34d');
  const token = await signIn(host, bought.email);
  expect(await chargeFailedText(host, bought.email)).toContain(
    'available to you until 18 April 2026 at 11:00 BST',
  );
  expect(await view(host, token)).toMatchObject({
    status: 'due_date',
    running: true,
    accessUntil: '2026-04-18T10:00:00.000Z',
  });
  await advance(host, '8d');
  expect((await subscriptionOf(host, bought.accountId)).accessUntil.toISOString()).toBe(
    '2026-04-18T10:00:00.000Z',
  );
  await advance(host, '6d');
  const last = await signIn(host, bought.email);
  expect(await view(host, last)).toMatchObject({ status: 'expired', running: false });
  expect((await transactions(host, last)).map(({ status }) => status)).toEqual(['uncollectible', 'paid']);
});

test('a new card is charged for the overdue amount at once, and the period does not move', async ({
  host,
}) => {
  const bought = await buy(host, {}, 'onlyOnce');
  await onboard(host, bought.email);
  await advance(host, '36d');
  const token = await signIn(host, bought.email);
  const portal = await send(host, 'POST', '/api/account/billing-portal', {}, { token });
  const { url } = portal.body.data as { url: string };
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4000\/sandbox\/portal\/bps_/);
  const page = await (await host.request(new URL(url).pathname)).text();
  expect(page).toContain('ending in 1018');
  expect((await enterCard(host, url, 'declined')).status).toBe(402);
  expect((await enterCard(host, url, 'good')).headers.get('location')).toMatch(/\?saved$/);
  expect(await view(host, token)).toMatchObject({
    status: 'active',
    accessUntil: '2026-05-04T10:00:00.000Z',
  });
  expect(await transactions(host, token)).toMatchObject([
    { status: 'paid', failure: null, method: { brand: 'visa', last4: '4242' } },
    { status: 'paid', failure: null, method: { brand: 'visa', last4: '1018' } },
  ]);
  await advance(host, '14d');
  expect((await transactions(host, await signIn(host, bought.email))).map(({ status }) => status)).toEqual([
    'paid',
    'paid',
  ]);
});

test('a new card that is declined is tried once, and the planned retries continue', async ({ host }) => {
  const bought = await buy(host, {}, 'onlyOnce');
  await onboard(host, bought.email);
  await advance(host, '34d');
  const token = await signIn(host, bought.email);
  const { next } = await view(host, token);
  await replaceCard(host, token, 'neverAgain');
  expect(await renewalsOf(host, bought.accountId)).toMatchObject([{ status: 'failed', attempts: 2 }]);
  expect(await view(host, token)).toMatchObject({ status: 'due_date', next });
  // The provider reports another change of the customer.
  const method = await findMethod(host.db.orm, bought.accountId);
  const { orm } = host.db;
  await emit(orm, host.deps.random, 'customer.updated', method?.customerId ?? '', host.clock.now());
  await host.runBilling();
  expect(await renewalsOf(host, bought.accountId)).toMatchObject([{ status: 'failed', attempts: 2 }]);
  await advance(host, '14d');
  expect(await renewalsOf(host, bought.accountId)).toMatchObject([{ status: 'uncollectible', attempts: 6 }]);
});

test('while the charge of a new card is in progress and no other is planned, it is what comes next', async ({
  host,
}) => {
  const bought = await buy(host, {}, 'neverAgain');
  await onboard(host, bought.email);
  await advance(host, '4d');
  await replaceCard(host, await signIn(host, bought.email), 'processing');
  await advance(host, '36h');
  expect(await view(host, await signIn(host, bought.email))).toMatchObject({
    status: 'due_date',
    next: { code: 'charging', at: afterDays(2), amountCents: 990 },
  });
});

test('a new card whose webhook is lost is charged at the next retry', async ({ host }) => {
  const bought = await buy(host, {}, 'onlyOnce');
  await onboard(host, bought.email);
  await advance(host, '34d');
  const method = await findMethod(host.db.orm, bought.accountId);
  await saveUnnoticed(host, method?.customerId ?? '');
  await advance(host, '3d');
  expect(await renewalsOf(host, bought.accountId)).toMatchObject([{ status: 'paid', attempts: 2 }]);
  expect((await findMethod(host.db.orm, bought.accountId))?.last4).toBe('4242');
});

test('a card that changes during the lookup of the previous one is the one stored', async () => {
  let meanwhile = async (): Promise<void> => undefined;
  const host = await createTestHost({
    payments: (sandbox) => ({
      ...sandbox,
      findCard: async (customerId) => {
        const card = await sandbox.findCard(customerId);
        await meanwhile();
        return card;
      },
    }),
  });
  const bought = await buy(host, {}, 'onlyOnce');
  const customerId = (await findMethod(host.db.orm, bought.accountId))?.customerId ?? '';
  await saveUnnoticed(host, customerId, '5555555555554444');
  meanwhile = async () => {
    meanwhile = async () => undefined;
    await saveUnnoticed(host, customerId);
    await emit(host.db.orm, host.deps.random, 'customer.updated', customerId, host.clock.now());
    await host.runBilling();
  };
  await emit(host.db.orm, host.deps.random, 'customer.updated', customerId, host.clock.now());
  await host.runBilling();
  expect((await findMethod(host.db.orm, bought.accountId))?.last4).toBe('4242');
  await host.close();
});

/** Saves another card at the provider without any webhook. */
async function saveUnnoticed(host: TestHost, customerId: string, number = '4242424242424242'): Promise<void> {
  const now = host.clock.now();
  const read = readCard({ name: 'Some Holder', number, expiry: '12/34', cvc: '123' }, now);
  if (!('card' in read)) throw new Error('the card was refused');
  await saveCard(host.db.orm, host.deps.random, customerId, read.card, now);
}

test('news of a card that did not change causes no further charge', async ({ host }) => {
  const bought = await buy(host, {}, 'neverAgain');
  await advance(host, '49h');
  const method = await findMethod(host.db.orm, bought.accountId);
  host.clock.advance(1_000);
  expect(await syncCard(host.deps, method?.customerId ?? '', host.clock.now())).toEqual([]);
  expect(await findMethod(host.db.orm, bought.accountId)).toEqual(method);
});

test('a charge paid late after the trial begins the first period when it is paid', async ({ host }) => {
  const bought = await buy(host, {}, 'neverAgain');
  await onboard(host, bought.email);
  await advance(host, '4d');
  const token = await signIn(host, bought.email);
  await replaceCard(host, token, 'good');
  expect(await view(host, token)).toMatchObject({
    status: 'active',
    accessUntil: '2026-04-06T10:00:00.000Z',
  });
});

test('cancelled while a charge is overdue, the contract ends at once and nothing is retried', async ({
  host,
}) => {
  const bought = await buy(host, {}, 'onlyOnce');
  await onboard(host, bought.email);
  await advance(host, '3d');
  await act(host, await signIn(host, bought.email), 'switch', { plan: 'basic_yearly' });
  await advance(host, '31d');
  const token = await signIn(host, bought.email);
  expect(await subscriptionOf(host, bought.accountId)).toMatchObject({ nextPlan: 'basic_yearly' });
  expect((await act(host, token, 'cancel')).body.data).toMatchObject({ status: 'canceled', running: false });
  const ended = { nextPlan: null, nextPriceCents: null };
  expect(await subscriptionOf(host, bought.accountId)).toMatchObject(ended);
  await advance(host, '20d');
  const later = await transactions(host, await signIn(host, bought.email));
  expect(later.map(({ status }) => status)).toEqual(['voided', 'paid']);
});

test('a card that needs confirmation every time fails without the cardholder, with the reason', async ({
  host,
}) => {
  const bought = await buy(host, {}, 'alwaysAsks');
  await onboard(host, bought.email);
  await advance(host, '49h');
  const token = await signIn(host, bought.email);
  expect(await transactions(host, token)).toMatchObject([
    { status: 'failed', failure: 'authentication_required' },
  ]);
});

test.for([
  ['long after', new Date(afterDays(100))],
  ['exactly at', addMonths(START, 2)],
] as const)(
  'a renewal charged %s the end of its period is for one period that starts now',
  async ([_, at], { host }) => {
    const { accountId } = await buy(host, { trial: false });
    host.clock.set(at);
    await host.runBilling();
    const [renewal, ...others] = await renewalsOf(host, accountId);
    expect(others).toEqual([]);
    expect(renewal).toMatchObject({ status: 'paid', periodStart: host.clock.now() });
    expect(await subscriptionOf(host, accountId)).toMatchObject({
      status: 'active',
      periodStart: host.clock.now(),
      periodEnd: addMonths(host.clock.now(), 1),
      accessUntil: addMonths(host.clock.now(), 1),
    });
  },
);

test('a renewal declined after a long interruption is retried on future days', async ({ host }) => {
  const bought = await buy(host, { trial: false }, 'onlyOnce');
  host.clock.set(new Date(afterDays(46)));
  await host.runBilling();
  expect(await renewalsOf(host, bought.accountId)).toMatchObject([{ status: 'failed', attempts: 1 }]);
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('due_date');
  expect(await billingMails(host, bought)).toEqual(['order_paid', 'receipt', 'charge_failed']);
  expect(await chargeFailedText(host, bought.email)).toContain('try again on 20 April 2026');
  for (const day of [49, 51, 53, 60]) {
    host.clock.set(new Date(afterDays(day)));
    await host.runBilling();
  }
  expect(await renewalsOf(host, bought.accountId)).toMatchObject([{ status: 'uncollectible', attempts: 5 }]);
});

test('a renewal charged late but within its period is for that period', async ({ host }) => {
  const { accountId } = await buy(host, { trial: false });
  const end = (await subscriptionOf(host, accountId)).periodEnd ?? START;
  host.clock.set(new Date(addMonths(START, 2).getTime() - 1));
  await host.runBilling();
  expect(await renewalsOf(host, accountId)).toMatchObject([
    { status: 'paid', periodStart: end, periodEnd: addMonths(START, 2) },
  ]);
});

test.for([
  ['long', new Date(afterDays(60))],
  ['exactly a month', addMonths(new Date(afterDays(2)), 1)],
] as const)('a first charge made %s after the trial starts its period now', async ([_, at], { host }) => {
  const { accountId } = await buy(host);
  host.clock.set(at);
  await host.runBilling();
  expect(await renewalsOf(host, accountId)).toEqual([]);
  expect(await subscriptionOf(host, accountId)).toMatchObject({
    status: 'active',
    periodStart: host.clock.now(),
    periodEnd: addMonths(host.clock.now(), 1),
  });
});
