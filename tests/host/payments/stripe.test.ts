import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { findMethod, findMethodOfCustomer, hashFingerprint } from '#host/payments/store';
import type { TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  checkout,
  onboard,
  placeOrder,
  signIn,
  statusOf,
  subscriptionOf,
  transactions,
} from '../../support/ordering';
import { openStripeHost, type StripeHost } from './stripe-host';

let host: TestHost;
let stripe: StripeHost['stripe'];
let webhook: StripeHost['webhook'];
let buy: StripeHost['buy'];
let waitOut: StripeHost['waitOut'];
let close: StripeHost['close'];

beforeEach(async () => {
  ({ host, stripe, webhook, buy, waitOut, close } = await openStripeHost());
});
afterEach(() => close());

test('an order opens hosted Checkout in setup mode, once per form key, with its own idempotency keys', async () => {
  const body = checkout({ locale: 'gb' });
  const placed = await placeOrder(host, body);
  await placeOrder(host, body);
  expect(placed.redirectUrl).toMatch(/^https:\/\/checkout\.stripe\.com\//);
  const [session, ...others] = stripe.posted('/v1/checkout/sessions');
  expect(others).toEqual([]);
  expect(session?.key).toMatch(/^setup:[\w-]{36}$/);
  expect(session?.fields).toMatchObject({
    mode: 'setup',
    ui_mode: 'hosted_page',
    currency: 'eur',
    locale: 'en-GB',
    success_url: `https://www.quadrille.example/payment-success?payment_intent=${placed.paymentIntent}`,
  });
  expect(stripe.posted('/v1/customers')[0]?.fields).toMatchObject({ email: body.email, name: body.name });
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'pending' });
});

test('the saved card starts the trial, by webhook or by the return page, and is charged at its end', async () => {
  const { accountId, email, placed } = await buy();
  expect((await subscriptionOf(host, accountId)).status).toBe('trialing');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'succeeded' });
  const method = await findMethod(host.db.orm, accountId);
  expect(method).toMatchObject({ provider: 'stripe', brand: 'visa', last4: '4242' });
  host.clock.advance(2 * DAY_MS);
  await host.runBilling();
  const [charge] = stripe.posted('/v1/payment_intents');
  expect(charge?.key).toMatch(/^charge:[\w-]{36}:0:1$/);
  expect(charge?.fields).toMatchObject({
    amount: '990',
    currency: 'eur',
    off_session: 'true',
    confirm: 'true',
    customer: method?.customerId,
    payment_method: method?.methodId,
    'allowed_payment_method_types[0]': 'card',
  });
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
  await onboard(host, email);
  expect(await transactions(host, await signIn(host, email))).toMatchObject([
    { status: 'paid', amountCents: 990 },
  ]);
  const other = checkout();
  const open = await placeOrder(host, other);
  stripe.enterCard(open.redirectUrl.split('/').at(-1) ?? '');
  expect(await statusOf(host, open.paymentIntent)).toMatchObject({ state: 'succeeded' });
});

test('a request whose response is lost is retried and charges once', async () => {
  const { accountId } = await buy();
  host.clock.advance(2 * DAY_MS);
  stripe.loseAnswers(1);
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
  stripe.loseAnswers(9);
  host.clock.advance(32 * DAY_MS);
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).nextPeriod).toBe(1);
  stripe.loseAnswers(0);
  await waitOut();
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).nextPeriod).toBe(2);
  expect(stripe.count('payment_intent')).toBe(2);
});

test('a decline is recorded with its reason, and a card changed in the portal is charged at once', async () => {
  const { accountId, email } = await buy();
  await onboard(host, email);
  host.clock.advance(2 * DAY_MS);
  stripe.decline('insufficient_funds');
  await host.runBilling();
  const token = await signIn(host, email);
  expect(await transactions(host, token)).toMatchObject([
    { status: 'failed', failure: 'insufficient_funds' },
  ]);
  stripe.decline(null);
  const portal = await send(host, 'POST', '/api/account/billing-portal', { locale: 'fr' }, { token });
  expect(portal.body.data).toEqual({ url: 'https://billing.stripe.com/p/session/x' });
  expect(stripe.posted('/v1/billing_portal/sessions')[0]?.fields).toMatchObject({ locale: 'fr' });
  const customerId = (await findMethod(host.db.orm, accountId))?.customerId ?? '';
  stripe.changeCard(customerId, '4444');
  await webhook('customer.updated', { id: customerId, object: 'customer' });
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
  expect(await findMethod(host.db.orm, accountId)).toMatchObject({ last4: '4444' });
});

test('a card renewed by its bank gets its new number and expiry, and is charged for overdue amounts at once', async () => {
  const { accountId } = await buy();
  const before = await findMethod(host.db.orm, accountId);
  const customer = before?.customerId ?? '';
  const renew = async (card: { last4: string; exp_year: number; fingerprint: string }) => {
    const renewed = { brand: 'visa', exp_month: 3, ...card };
    const method = stripe.change(before?.methodId ?? '', { card: renewed, customer });
    await webhook('payment_method.automatically_updated', method);
  };
  await renew({ last4: '4242', exp_year: 2038, fingerprint: 'same number' });
  expect(await findMethod(host.db.orm, accountId)).toMatchObject({
    methodId: before?.methodId,
    last4: '4242',
    expMonth: 3,
    expYear: 2038,
  });
  expect(stripe.count('payment_intent')).toBe(0);
  stripe.decline('expired_card');
  host.clock.advance(2 * DAY_MS);
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).status).toBe('due_date');
  const attempts = stripe.posted('/v1/payment_intents').length;
  await renew({ last4: '4242', exp_year: 2040, fingerprint: 'same number' });
  await renew({ last4: '4242', exp_year: 2040, fingerprint: 'same number' });
  expect(stripe.posted('/v1/payment_intents')).toHaveLength(attempts + 1);
  stripe.decline(null);
  await renew({ last4: '0077', exp_year: 2042, fingerprint: 'another number' });
  expect(stripe.posted('/v1/payment_intents')).toHaveLength(attempts + 2);
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
  expect(await findMethod(host.db.orm, accountId)).toMatchObject({
    methodId: before?.methodId,
    last4: '0077',
    expYear: 2042,
    fingerprintHash: hashFingerprint('another number'),
  });
  await host.runBilling();
  const reported = (await host.mails()).find(({ template }) => template === 'billing-mail.receipt');
  expect(reported?.text).toContain('ending in 0077');
});

test.each(['methodId', 'customerId'] as const)(
  'a charge whose %s Stripe no longer knows fails: the owner is notified, and it is not requested again',
  async (gone) => {
    const { accountId, email } = await buy();
    const method = await findMethod(host.db.orm, accountId);
    stripe.remove(method?.[gone] ?? '');
    host.clock.advance(2 * DAY_MS);
    await host.runBilling();
    await waitOut();
    await host.runBilling();
    expect(stripe.posted('/v1/payment_intents')).toHaveLength(1);
    const trialEnd = host.clock.now();
    expect(await subscriptionOf(host, accountId)).toMatchObject({
      status: 'due_date',
      accessUntil: trialEnd,
    });
    const reported = (await host.mails()).filter(({ to }) => to === email).map(({ template }) => template);
    expect(reported).toContain('billing-mail.charge_failed');
    if (gone === 'customerId') return;
    stripe.changeCard(method?.customerId ?? '', '4444');
    await webhook('customer.updated', { id: method?.customerId, object: 'customer' });
    expect((await subscriptionOf(host, accountId)).status).toBe('active');
  },
);

test('a card that is deleted before it became the default at Stripe does not block others', async () => {
  const { redirectUrl } = await placeOrder(host, checkout());
  const sessionId = redirectUrl.split('/').at(-1) ?? '';
  stripe.enterCard(sessionId);
  const { card, customerId } = await host.deps.payments.getSetup(sessionId);
  stripe.remove(card?.methodId ?? '');
  await webhook('checkout.session.completed', { id: sessionId, object: 'checkout.session' });
  stripe.changeCard(customerId, '4444');
  await webhook('customer.updated', { id: customerId, object: 'customer' });
  expect(await findMethodOfCustomer(host.db.orm, customerId)).toMatchObject({ last4: '4444' });
});

test('refunds are idempotent and have a credit note', async () => {
  const { body, email, accountId, placed } = await buy({ trial: false });
  const { reference } = await statusOf(host, placed.paymentIntent);
  const declared = { name: body.name, email, reference, confirmed: true };
  await send(host, 'POST', '/api/contract/withdraw', declared);
  await host.runBilling();
  const [refund] = stripe.posted('/v1/refunds');
  expect(refund?.key).toMatch(/^refund:[\w-]{36}:0$/);
  expect(refund?.fields).toMatchObject({ amount: '990', reason: 'requested_by_customer' });
  const { rows } = (await host.db.orm.execute(
    `select series, gross_cents from invoices where account_id = '${accountId}' order by series`,
  )) as unknown as { rows: object[] };
  expect(rows).toEqual([
    { series: 'A', gross_cents: 990 },
    { series: 'F', gross_cents: 990 },
  ]);
});

test('an erased account’s customer is deleted at Stripe', async () => {
  const { email, accountId } = await buy();
  await onboard(host, email);
  const customerId = (await findMethod(host.db.orm, accountId))?.customerId;
  const token = await signIn(host, email);
  await send(host, 'DELETE', '/api/account', { password: 'three quiet lamps over water' }, { token });
  await host.runBilling();
  await waitOut();
  await host.runBilling();
  expect(stripe.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([
    `/v1/customers/${customerId}`,
  ]);
});

test('webhooks need a signature over their exact bytes, and irrelevant ones are accepted and ignored', async () => {
  const { payload, signature } = stripe.event('payment_intent.succeeded', {
    id: 'pi_x',
    object: 'payment_intent',
  });
  const post = (body: string, header: string) =>
    host.request('/api/webhooks/payments', { method: 'POST', body, headers: { 'stripe-signature': header } });
  for (const [body, header] of [
    [payload, ''],
    [payload, 'nonsense'],
    [`${payload} `, signature],
    [payload, signature.replace(/v1=./, 'v1=0x')],
    [payload, signature.replace(/t=\d+/, 't=1700000000')],
  ] as const) {
    expect((await post(body, header)).status).toBe(400);
  }
  expect((await webhook('invoice.created', { id: 'in_x', object: 'invoice' })).status).toBe(200);
});

test('while Stripe is unreachable an order is refused as unavailable, and the same form works later', async () => {
  stripe.loseAnswers(20);
  const body = checkout();
  const answered = await send(host, 'POST', '/api/subscriptions', body);
  expect(answered).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  stripe.loseAnswers(0);
  await placeOrder(host, body);
  expect([stripe.count('customer'), stripe.count('checkout.session')]).toEqual([1, 1]);
});
