import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { paymentAttempts } from '#host/db/payments.tables';
import { listPayments } from '#host/payments/store';
import type { TestHost } from '../../support/host';
import { checkout, placeOrder, statusOf, subscriptionOf } from '../../support/ordering';
import { openStripeHost, type StripeHost } from './stripe-host';

let host: TestHost;
let stripe: StripeHost['stripe'];
let shop: StripeHost;

beforeEach(async () => {
  shop = await openStripeHost();
  ({ host, stripe } = shop);
});
afterEach(() => shop.close());

const paymentsOf = async (accountId: string) =>
  (await listPayments(host.db.orm, accountId, { page: 1, limit: 10 })).rows;

test('a charge that Stripe is still processing is pending, and paid when Stripe says so', async () => {
  stripe.answerWith({ charge: 'processing' });
  const { accountId, placed } = await shop.buy({ trial: false });
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'pending' });
  expect(await paymentsOf(accountId)).toMatchObject([{ status: 'pending', failure: null }]);
  const [attempt] = await host.db.orm.select().from(paymentAttempts);
  const intent = stripe.change(attempt?.chargeId ?? '', { status: 'succeeded' });
  await shop.webhook('payment_intent.succeeded', intent);
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'succeeded' });
  expect(await paymentsOf(accountId)).toMatchObject([{ status: 'paid', amountCents: 990 }]);
});

test('a charge that the cardholder would have to confirm fails with that reason', async () => {
  stripe.answerWith({ charge: 'requires_action' });
  const { accountId, placed } = await shop.buy({ trial: false });
  const failure = 'authentication_required';
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'failed', failure });
  expect(await paymentsOf(accountId)).toMatchObject([{ status: 'failed', failure }]);
});

test.each(['parameter_unknown', 'parameter_missing'])(
  'a request that Stripe refuses with %s is not a card failure, and is retried later',
  async (code) => {
    const { accountId, email } = await shop.buy();
    host.clock.advance(2 * DAY_MS);
    stripe.refuse(code);
    await host.runBilling();
    expect((await subscriptionOf(host, accountId)).status).toBe('trialing');
    expect((await paymentsOf(accountId)).map(({ status }) => status)).toEqual(['open']);
    stripe.refuse(null);
    await shop.waitOut();
    await host.runBilling();
    expect((await subscriptionOf(host, accountId)).status).toBe('active');
    const reported = (await host.mails()).filter(({ to }) => to === email).map(({ template }) => template);
    expect(reported).not.toContain('billing-mail.charge_failed');
  },
);

test('a card gets one trial, whoever enters it', async () => {
  await shop.buy({}, 'fp_of_one_card');
  const placed = await placeOrder(host, checkout());
  stripe.enterCard(placed.redirectUrl.split('/').at(-1) ?? '', '4242', 'fp_of_one_card');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({
    state: 'failed',
    failure: 'trial_used',
  });
});

test('a renewal that never reached Stripe is charged later, not mistaken for that of another period', async () => {
  const { accountId } = await shop.buy({ trial: false });
  host.clock.advance(32 * DAY_MS);
  stripe.refuse('parameter_unknown');
  await host.runBilling();
  stripe.refuse(null);
  await shop.waitOut();
  await host.runBilling();
  expect(stripe.count('payment_intent')).toBe(2);
  expect((await paymentsOf(accountId)).map(({ status }) => status)).toEqual(['paid', 'paid']);
});

test('a charge whose response was lost is found after Stripe has forgotten its key, and not repeated', async () => {
  const { accountId } = await shop.buy();
  host.clock.advance(2 * DAY_MS);
  stripe.loseAnswers(9);
  await host.runBilling();
  stripe.loseAnswers(0);
  stripe.forgetKeys();
  host.clock.advance(2 * DAY_MS);
  await shop.waitOut();
  await host.runBilling();
  expect(stripe.count('payment_intent')).toBe(1);
  expect((await paymentsOf(accountId)).map(({ status }) => status)).toEqual(['paid']);
});
