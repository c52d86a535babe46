import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { jobs } from '#host/db/jobs.tables';
import { findMethod, findOpenAttempt, listPayments } from '#host/payments/store';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  act,
  advance,
  type Bought,
  billingMail,
  billingMails,
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

let host: TestHost;
const requested: string[] = [];
/** Keys of new charges, without those of searches. */
const charged: string[] = [];
let isDown = false;

beforeAll(async () => {
  host = await createTestHost({
    payments: (sandbox) => ({
      ...sandbox,
      charge: (request) => {
        requested.push(request.key);
        charged.push(request.key);
        if (isDown) throw new Error('the provider cannot be reached');
        return sandbox.charge(request);
      },
      findCharge: (customerId, key) => {
        requested.push(key);
        return sandbox.findCharge(customerId, key);
      },
    }),
  });
});
afterAll(() => host.close());

const statusesOf = async (token: string) => (await transactions(host, token)).map(({ status }) => status);

test('a charge that the bank is processing is pending for days, then paid and invoiced', async () => {
  const { email, accountId, placed } = await buy(host, { trial: false }, 'processing');
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

test('a renewal that waits for the cardholder is open while access continues, then fails and is retried', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  const { body } = await (
    await host.request('/api/account/billing-portal', { method: 'POST', token, body: '{}' })
  )
    .json()
    .then((answer) => ({ body: answer }));
  const saved = await enterCard(host, body.data.url, 'unconfirmed', bought.body.name);
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

test('an order can be placed again while the first charge is pending; a late payment is refunded', async () => {
  const body = checkout({ trial: false });
  const first = await placeOrder(host, body);
  await enterCard(host, first.redirectUrl, 'processing', body.name);
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

/** Changes the card in the portal. */
async function changeCard({ email, body }: Bought, number: string): Promise<void> {
  const token = await signIn(host, email);
  const portal = await send(host, 'POST', '/api/account/billing-portal', {}, { token });
  const saved = await enterCard(host, (portal.body.data as { url: string }).url, number, body.name);
  expect(saved.status).toBe(303);
}

test('a pending charge is not requested again, even if another card is entered in the meantime', async () => {
  const bought = await buy(host, { trial: false }, 'onlyOnce');
  await onboard(host, bought.email);
  await advance(host, '32d');
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('due_date');
  await changeCard(bought, 'processing');
  expect(await statusesOf(await signIn(host, bought.email))).toEqual(['pending', 'paid']);
  requested.length = 0;
  await changeCard(bought, '4242424242424242');
  await advance(host, '4d');
  expect(requested).toEqual([]);
  expect(await statusesOf(await signIn(host, bought.email))).toEqual(['pending', 'paid']);
  await advance(host, '2d');
  expect(await statusesOf(await signIn(host, bought.email))).toEqual(['paid', 'paid']);
  expect(requested).toEqual([]);
});

test.each([
  ['days late, as after a restored backup, is searched for at the provider and booked', 5 * DAY_MS, false],
  ['on time is made', 0, true],
])('a renewal that is charged %s', async (_, lateMs, isCharged) => {
  const { email, accountId } = await buy(host, { trial: false });
  await onboard(host, email);
  const { id, nextPeriod, accessUntil } = await subscriptionOf(host, accountId);
  const method = await findMethod(host.db.orm, accountId);
  const key = `${id}:${nextPeriod}:1`;
  const { customerId = '', methodId = '' } = method ?? {};
  const made = { key, customerId, methodId, amountCents: 990, description: 'before the restore' };
  if (!isCharged) await host.deps.payments.charge(made);
  host.clock.set(new Date(accessUntil.getTime() + lateMs));
  await host.runBilling();
  expect(charged.filter((other) => other === key)).toHaveLength(1);
  expect(await statusesOf(await signIn(host, email))).toEqual(['paid', 'paid']);
});

test.each([
  ['that waits for the cardholder', 'unconfirmed', false],
  ['that does not reach the provider', 'neverAgain', true],
])(
  'an attempt with another card %s replaces the planned one; the rest of the schedule follows',
  async (_, card, isUnreachable) => {
    const bought = await buy(host, { trial: false }, 'onlyOnce');
    await onboard(host, bought.email);
    await advance(host, '32d');
    isDown = isUnreachable;
    await changeCard(bought, card);
    isDown = false;
    // The planned attempt is due before the failed job is retried.
    await host.db.orm.execute(
      `update jobs set claimed_until = now() + interval '1 hour' where last_error is not null`,
    );
    await advance(host, '20d');
    expect((await subscriptionOf(host, bought.accountId)).status).toBe('expired');
    const { rows } = await listPayments(host.db.orm, bought.accountId, { page: 1, limit: 1 });
    expect(rows).toMatchObject([{ period: 1, status: 'uncollectible', attempts: 5 }]);
    expect((await billingMails(host, bought)).at(-1)).toBe('charge_given_up');
  },
);

test('a charge pending when the contract ends stays pending, and is refunded when it arrives', async () => {
  const bought = await buy(host, {}, 'processing');
  await onboard(host, bought.email);
  await advance(host, '50h');
  const token = await signIn(host, bought.email);
  expect(await statusesOf(token)).toEqual(['pending']);
  expect((await act(host, token, 'cancel')).body.data).toMatchObject({ status: 'canceled' });
  expect(await statusesOf(token)).toEqual(['pending']);
  await advance(host, '6d');
  expect(await transactions(host, await signIn(host, bought.email))).toMatchObject([
    { status: 'refunded', refundedCents: 990, creditNote: { path: expect.stringContaining('A2026') } },
  ]);
});

test('a charge that waits for the cardholder when the contract ends is voided for good', async () => {
  const bought = await buy(host, {}, 'unconfirmed');
  await onboard(host, bought.email);
  await advance(host, '49h');
  const token = await signIn(host, bought.email);
  expect(await statusesOf(token)).toEqual(['open']);
  expect((await act(host, token, 'cancel')).status).toBe(200);
  expect(await statusesOf(token)).toEqual(['voided']);
  await advance(host, '5h');
  expect(await statusesOf(await signIn(host, bought.email))).toEqual(['voided']);
  await advance(host, '4d');
  expect(await statusesOf(await signIn(host, bought.email))).toEqual(['voided']);
  expect(await mailedFailure(bought.email)).toBe(false);
});

test.each([
  ['withdraw', 'withdrawn_free'],
  ['money-back', 'money_back_free'],
  ['cancel', 'contract_ended'],
])('%s ends an order whose first charge is pending; a late payment is refunded', async (what, mail) => {
  const bought = await buy(host, { trial: false }, 'processing');
  const { body, email, reference, accountId, placed } = bought;
  await send(host, 'POST', `/api/contract/${what}`, { name: body.name, email, reference, confirmed: true });
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).status).toBe('canceled');
  expect((await billingMail(host, { email }, mail)).text).toContain(
    'A charge of €9.90 may still be on its way',
  );
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'failed', failure: 'canceled' });
  await advance(host, '6d');
  expect((await subscriptionOf(host, accountId)).status).toBe('canceled');
  const { rows } = await listPayments(host.db.orm, accountId, { page: 1, limit: 10 });
  expect(rows).toMatchObject([{ status: 'refunded', refundedCents: 990 }]);
});

test('a stranger’s declaration does not end an order with a pending charge before the owner could object', async () => {
  const bought = await buy(host, { trial: false }, 'processing');
  const declared = { name: bought.body.name, email: bought.email, confirmed: true };
  await send(host, 'POST', '/api/contract/cancel', declared);
  await host.runBilling();
  expect(await billingMails(host, bought)).toEqual(['cancel_received', 'declaration_waiting']);
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('incomplete');
});

test('an order whose charge could not be requested can be cancelled by its owner, and is never charged', async () => {
  const { id, email, token } = await host.account({ access: false });
  isDown = true;
  const { placed } = await buy(host, { trial: false, email }, 'good', token);
  isDown = false;
  expect((await subscriptionOf(host, id)).status).toBe('incomplete');
  const canceled = await act(host, token, 'cancel');
  expect(canceled.body.data).toMatchObject({ status: 'canceled', running: false, cancelAtPeriodEnd: false });
  expect((await act(host, token, 'cancel')).status).toBe(409);
  expect((await statusOf(host, placed.paymentIntent)).failure).toBe('canceled');
  expect(await billingMails(host, { email })).toEqual(['contract_ended']);
  await host.db.orm.execute('update jobs set claimed_until = null where last_error is not null');
  await advance(host, '2d');
  expect((await subscriptionOf(host, id)).status).toBe('canceled');
  const { rows } = await listPayments(host.db.orm, id, { page: 1, limit: 10 });
  expect(rows).toMatchObject([{ status: 'voided', paidAt: null }]);
});

test('the first charge after a trial extends access by 45 minutes, and is asked about ever more rarely, then daily', async () => {
  const { accountId } = await buy(host, {}, 'processing');
  await advance(host, '48h');
  const { trialEnd, accessUntil } = await subscriptionOf(host, accountId);
  const hoursOf = (at: Date) => (at.getTime() - (trialEnd?.getTime() ?? 0)) / 3_600_000;
  expect(hoursOf(accessUntil)).toBe(0.75);
  await advance(host, '4d');
  const { rows } = await listPayments(host.db.orm, accountId, { page: 1, limit: 1 });
  const attempt = await findOpenAttempt(host.db.orm, rows[0]?.id ?? '');
  const checks = await host.db.orm
    .select({ dueAt: jobs.dueAt })
    .from(jobs)
    .where(eq(jobs.subject, attempt?.chargeId ?? ''))
    .orderBy(jobs.dueAt);
  expect(checks.map(({ dueAt }) => hoursOf(dueAt))).toEqual([1, 2, 4, 8, 16, 32, 56, 80, 104]);
});

async function mailedFailure(email: string): Promise<boolean> {
  return (await host.mails()).some(
    ({ to, template }) => to === email && template === 'billing-mail.charge_failed',
  );
}
