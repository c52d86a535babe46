import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentProvider, SetupRequest } from '#host/http/payment-provider';
import { createStripe } from '#host/payments/stripe';
import { openStripeStandIn, STAND_IN_KEY, STAND_IN_SECRET } from './stripe-stand-in';

let stripe: Awaited<ReturnType<typeof openStripeStandIn>>;
let payments: PaymentProvider;

beforeAll(async () => {
  stripe = await openStripeStandIn();
  const { connection } = stripe;
  payments = createStripe({
    secretKey: STAND_IN_KEY,
    webhookSecrets: ['whsec_older', STAND_IN_SECRET],
    connection,
  });
});
afterAll(() => stripe.close());

const CARD = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034, fingerprint: 'fp_1' };
const method = (card: object | null) => ({ id: 'pm_1', object: 'payment_method', card });
const REQUEST: Omit<SetupRequest, 'key'> = {
  customerId: null,
  email: 'ada@shop.example',
  name: 'Ada Byron',
  locale: 'de',
  amountCents: 990,
  firstChargeAt: null,
  successUrl: 'https://www.quadrille.example/done',
  cancelUrl: 'https://www.quadrille.example/back',
};

/** A customer with a card that can be charged. */
async function customer(key: string) {
  const { customerId, setupId } = await payments.openSetup({ ...REQUEST, key });
  stripe.enterCard(setupId);
  const { card } = await payments.getSetup(setupId);
  const methodId = card?.methodId ?? '';
  const charge = (of: string) =>
    payments.charge({ key: of, customerId, methodId, amountCents: 990, description: 'A test' });
  return { customerId, setupId, methodId, charge };
}

test.each([
  ['an open page', { status: 'open', setup_intent: null }, 'open', null],
  ['an expired page', { status: 'expired', setup_intent: null }, 'expired', null],
  ['a page whose attempt is known by its id alone', { status: 'open', setup_intent: 'seti_1' }, 'open', null],
  [
    'a page whose card was declined',
    { status: 'open', setup_intent: { status: 'requires_payment_method', payment_method: method(CARD) } },
    ...(['open', null] as const),
  ],
  [
    'a page on which something other than a card was saved',
    { status: 'complete', setup_intent: { status: 'succeeded', payment_method: method(null) } },
    ...(['open', null] as const),
  ],
  [
    'a page whose card is known by its id alone',
    { status: 'complete', setup_intent: { status: 'succeeded', payment_method: 'pm_1' } },
    ...(['open', null] as const),
  ],
  [
    'a page whose card is gone',
    { status: 'complete', setup_intent: { status: 'succeeded', payment_method: null } },
    ...(['open', null] as const),
  ],
  [
    'a page with a saved card',
    { status: 'complete', setup_intent: { status: 'succeeded', payment_method: method(CARD) } },
    'succeeded',
    {
      methodId: 'pm_1',
      brand: 'visa',
      last4: '4242',
      expMonth: 12,
      expYear: 2034,
      fingerprint: 'fp_1',
    },
  ],
])('%s of Stripe has succeeded only with a saved card', async (_, session, state, card) => {
  stripe.change('cs_1', { object: 'checkout.session', customer: 'cus_1', ...session });
  expect(await payments.getSetup('cs_1')).toEqual({ id: 'cs_1', state, customerId: 'cus_1', card });
});

test.each([
  ['cus_1', 'cus_1'],
  [{ id: 'cus_2' }, 'cus_2'],
  [null, ''],
])('the customer %j of a card page has the id %j', async (customer, customerId) => {
  stripe.change('cs_2', { object: 'checkout.session', status: 'open', setup_intent: null, customer });
  expect(await payments.getSetup('cs_2')).toMatchObject({ customerId });
});

test('a card without a fingerprint is known by its own id, so that it is not mistaken for another', async () => {
  const payment_method = method({ ...CARD, fingerprint: null });
  const setup_intent = { status: 'succeeded', payment_method };
  stripe.change('cs_3', { object: 'checkout.session', customer: 'cus_1', status: 'complete', setup_intent });
  expect((await payments.getSetup('cs_3')).card).toMatchObject({ fingerprint: 'pm_1' });
});

test.each([
  ['succeeded', null, 'succeeded', null],
  ['processing', null, 'pending', null],
  ['requires_action', null, 'failed', 'authentication_required'],
  ['requires_payment_method', { code: 'authentication_required' }, 'failed', 'authentication_required'],
  ['requires_payment_method', { code: 'card_declined', decline_code: 'lost_card' }, 'failed', 'lost_card'],
  ['requires_payment_method', { code: 'expired_card' }, 'failed', 'expired_card'],
  ['requires_payment_method', null, 'failed', 'card_declined'],
  ['canceled', null, 'failed', 'card_declined'],
])('a charge that is %s at Stripe with the error %j is %s because of %s', async (...row) => {
  const [status, last_payment_error, state, failure] = row;
  const intent = { object: 'payment_intent', metadata: { key: 'a key' }, status, last_payment_error };
  stripe.change('pi_1', intent);
  expect(await payments.getCharge('pi_1')).toEqual({ id: 'pi_1', key: 'a key', state, failure });
});

test('a charge made by hand in the dashboard has no key', async () => {
  stripe.change('pi_2', { object: 'payment_intent', metadata: {}, status: 'succeeded' });
  expect(await payments.getCharge('pi_2')).toMatchObject({ key: '', state: 'succeeded' });
});

test.each([
  ['succeeded', 'succeeded'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['pending', 'pending'],
  ['requires_action', 'pending'],
  [null, 'pending'],
])('a refund that is %s at Stripe is %s', async (status, state) => {
  for (const payment_intent of ['pi_1', { id: 'pi_1' }]) {
    stripe.change('re_1', { object: 'refund', status, amount: 990, payment_intent });
    const refund = { id: 're_1', chargeId: 'pi_1', amountCents: 990, state };
    expect(await payments.getRefund('re_1')).toEqual(refund);
  }
});

test.each([
  ['checkout.session.completed', { id: 'cs_1' }, 'setup', 'cs_1'],
  ['checkout.session.expired', { id: 'cs_1' }, 'setup', 'cs_1'],
  ['payment_intent.succeeded', { id: 'pi_1' }, 'charge', 'pi_1'],
  ['payment_intent.payment_failed', { id: 'pi_1' }, 'charge', 'pi_1'],
  ['refund.created', { id: 're_1' }, 'refund', 're_1'],
  ['refund.updated', { id: 're_1' }, 'refund', 're_1'],
  ['refund.failed', { id: 're_1' }, 'refund', 're_1'],
  ['customer.updated', { id: 'cus_1' }, 'customer', 'cus_1'],
  ['payment_method.automatically_updated', { id: 'pm_1', customer: 'cus_1' }, 'customer', 'cus_1'],
  ['payment_method.automatically_updated', { id: 'pm_1', customer: { id: 'cus_1' } }, 'customer', 'cus_1'],
  ['charge.dispute.created', { id: 'dp_1', payment_intent: 'pi_1' }, 'dispute', 'pi_1'],
  ['charge.dispute.closed', { id: 'dp_1', payment_intent: { id: 'pi_1' } }, 'dispute', 'pi_1'],
])('the webhook %s about %j concerns the %s %s', async (type, data, object, objectId) => {
  const { payload, signature } = stripe.event(type, data, 'evt_1');
  expect(await payments.readEvent(payload, () => signature)).toEqual({ id: 'evt_1', type, object, objectId });
});

test.each([
  ['invoice.created', { id: 'in_1' }],
  ['payment_method.automatically_updated', { id: 'pm_1', customer: null }],
  ['charge.dispute.created', { id: 'dp_1' }],
])('the webhook %s about %j concerns nothing of ours', async (type, data) => {
  const { payload, signature } = stripe.event(type, data);
  expect(await payments.readEvent(payload, () => signature)).toBeNull();
});

test('a webhook is refused without a signature, and for its format if it is signed but not JSON', async () => {
  const secret = STAND_IN_SECRET;
  const sign = (payload: string) =>
    new Stripe(STAND_IN_KEY).webhooks.generateTestHeaderString({ payload, secret });
  const read = (payload: string, signature: string | undefined) =>
    payments.readEvent(payload, () => signature);
  await expect(read('{}', undefined)).rejects.toThrow('webhook refused: wrong signature');
  await expect(read('not JSON', sign('not JSON'))).rejects.toThrow('webhook refused: unknown format');
});

test('a known customer gets a card page without a new customer at Stripe', async () => {
  const { customerId } = await customer('known before');
  const customers = stripe.count('customer');
  const again = await payments.openSetup({ ...REQUEST, key: 'known again', customerId });
  expect(again.customerId).toBe(customerId);
  expect(stripe.count('customer')).toBe(customers);
  expect(stripe.posted('/v1/customers').at(-1)).toMatchObject({
    key: 'customer:known before',
    fields: { email: 'ada@shop.example', name: 'Ada Byron', 'preferred_locales[0]': 'de' },
  });
  expect(stripe.posted('/v1/checkout/sessions').at(-1)).toMatchObject({
    key: 'setup:known again',
    fields: { mode: 'setup', customer: customerId, currency: 'eur', cancel_url: REQUEST.cancelUrl },
  });
});

test('a lost charge is found by its key among all charges of its customer', async () => {
  const { customerId, charge } = await customer('with two charges');
  await charge('the first');
  const second = await charge('the second');
  expect(await payments.findCharge(customerId, 'the second')).toEqual(second);
  expect(await payments.findCharge(customerId, 'a third')).toBeNull();
  expect(stripe.posted('/v1/payment_intents').at(-1)).toMatchObject({
    key: 'charge:the second',
    fields: { off_session: 'true', confirm: 'true', 'allowed_payment_method_types[0]': 'card' },
  });
});

test('the result of a charge names its key, even if it was declined or its card is gone', async () => {
  const { charge, methodId } = await customer('declined');
  stripe.decline('insufficient_funds');
  expect(await charge('declined')).toMatchObject({ key: 'declined', failure: 'insufficient_funds' });
  stripe.decline(null);
  stripe.remove(methodId);
  expect(await charge('gone')).toEqual({
    id: '',
    key: 'gone',
    state: 'failed',
    failure: 'payment_method_detached',
  });
});

test('a charge that was refunded by hand counts as refunded only by the same amount', async () => {
  const { charge } = await customer('refunded by hand');
  const { id: chargeId } = await charge('refunded by hand');
  const byHand = stripe.refund(chargeId, 500);
  const same = await payments.refund({ key: 'same', chargeId, amountCents: 500 });
  expect(stripe.posted('/v1/refunds').at(-1)?.key).toBe('refund:same');
  expect(same).toEqual({ id: byHand.id, chargeId, amountCents: 500, state: 'succeeded' });
  const other = await payments.refund({ key: 'other', chargeId, amountCents: 990 });
  expect(other).toEqual({ id: '', chargeId, amountCents: 990, state: 'failed' });
});

test('a refund by hand that failed does not count as one', async () => {
  const { charge } = await customer('failed by hand');
  const { id: chargeId } = await charge('failed by hand');
  stripe.change(String(stripe.refund(chargeId, 990).id), { status: 'failed' });
  stripe.refund(chargeId, 400);
  const refund = await payments.refund({ key: 'after a failed one', chargeId, amountCents: 990 });
  expect(refund).toMatchObject({ id: '', state: 'failed' });
});

test('a customer who is gone has no card and no charges, and needs no further change', async () => {
  const { customerId, methodId } = await customer('gone');
  await payments.preferCard(customerId, methodId);
  expect(await payments.findCard(customerId)).toMatchObject({ methodId, last4: '4242' });
  await payments.forgetCustomer(customerId);
  expect(stripe.requests.at(-1)).toMatchObject({ method: 'DELETE', path: `/v1/customers/${customerId}` });
  stripe.change(customerId, { object: 'customer', deleted: true });
  expect(await payments.findCard(customerId)).toBeNull();
  stripe.remove(customerId);
  await payments.preferCard(customerId, methodId);
  await payments.changeEmail(customerId, 'new@shop.example');
  await payments.forgetCustomer(customerId);
  expect(await payments.findCharge(customerId, 'gone')).toBeNull();
});

test('a change that Stripe refuses for another reason is not taken for done', async () => {
  const { customerId } = await customer('refused');
  stripe.refuse('email_invalid');
  try {
    await expect(payments.changeEmail(customerId, 'no address')).rejects.toThrow('Refused');
  } finally {
    stripe.refuse(null);
  }
});

test('a request that Stripe refuses as a mistake of ours is neither a failed charge nor a failed refund', async () => {
  const { charge } = await customer('mistaken');
  const { id: chargeId } = await charge('charged before');
  stripe.refuse('parameter_unknown');
  try {
    await expect(charge('mistaken')).rejects.toThrow('Refused');
    await expect(payments.refund({ key: 'mistaken', chargeId, amountCents: 990 })).rejects.toThrow('Refused');
  } finally {
    stripe.refuse(null);
  }
});

test('a new address reaches Stripe, for its receipts', async () => {
  const { customerId } = await customer('moved');
  await payments.changeEmail(customerId, 'new@shop.example');
  expect(stripe.posted(`/v1/customers/${customerId}`).at(-1)?.fields).toEqual({ email: 'new@shop.example' });
});
