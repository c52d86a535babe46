import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { invoices } from '#host/db/invoices.tables';
import { paymentAttempts, payments, refunds } from '#host/db/payments.tables';
import { settleRefund } from '#host/subscriptions/charge/refunds';
import { listContracts } from '#host/subscriptions/order/store';
import type { TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { billingMail } from '../../support/ordering';
import { openStripeHost, type StripeHost } from '../payments/stripe-host';

let host: TestHost;
let stripe: StripeHost['stripe'];
let webhook: StripeHost['webhook'];
let lines: string[];
let shop: StripeHost;

beforeEach(async () => {
  shop = await openStripeHost();
  ({ host, stripe, webhook, lines } = shop);
});
afterEach(() => shop.close());

/** An order of 9.90 euros that was charged at once, and Stripe's charge. */
async function buy() {
  const bought = await shop.buy({ trial: false });
  const [attempt] = await host.db.orm.select().from(paymentAttempts);
  return { ...bought, chargeId: attempt?.chargeId ?? '' };
}

async function withdraw({ name, email }: { name: string; email: string }): Promise<void> {
  const [order] = await listContracts(host.db.orm, email);
  const declared = { name, email, reference: order?.reference, confirmed: true };
  await send(host, 'POST', '/api/contract/withdraw', declared);
  await host.runBilling();
}

const creditNotes = async () =>
  (await host.db.orm.select().from(invoices).where(eq(invoices.series, 'A'))).map(
    ({ grossCents }) => grossCents,
  );
const paid = async () =>
  (await host.db.orm.select().from(payments)).map(({ status, refundedCents }) => [status, refundedCents]);

test('a manual refund at the provider is booked once, with its credit note', async () => {
  const { body, chargeId } = await buy();
  const refund = stripe.refund(chargeId, 990);
  await webhook('refund.created', refund);
  await webhook('refund.updated', refund);
  expect(await creditNotes()).toEqual([990]);
  expect(await paid()).toEqual([['refunded', 990]]);
  await withdraw(body);
  expect(stripe.posted('/v1/refunds')).toEqual([]);
  expect(await creditNotes()).toEqual([990]);
  const { text } = await billingMail(host, body, 'withdrawn_free');
  expect(text).toContain('Everything you had paid for it has been refunded already');
});

test('a manual partial refund has a credit note for that part; the missing rest is logged as an error', async () => {
  const { body, chargeId } = await buy();
  await webhook('refund.created', stripe.refund(chargeId, 300));
  expect(await creditNotes()).toEqual([300]);
  expect(await paid()).toEqual([['paid', 300]]);
  await withdraw(body);
  expect(lines.join()).toContain('"missingCents":690');
  expect((await billingMail(host, body, 'withdrawn')).text).toContain('paying back €6.90 to');
  await webhook('refund.created', stripe.refund(chargeId, 690));
  expect(lines.join()).toContain('book this refund by hand');
});

test('the rest of a manual partial refund that is on its way is logged as an error too', async () => {
  const { body, chargeId } = await buy();
  stripe.answerWith({ refund: 'pending' });
  await webhook('refund.created', stripe.refund(chargeId, 300));
  expect(await paid()).toEqual([['paid', 0]]);
  await withdraw(body);
  expect(lines.join()).toContain('"missingCents":690');
});

test('a manual refund made before our own is taken as our own', async () => {
  const { body, chargeId } = await buy();
  stripe.refund(chargeId, 990);
  await withdraw(body);
  expect(await creditNotes()).toEqual([990]);
  expect(await host.db.orm.select().from(refunds)).toMatchObject([
    { status: 'succeeded', reason: 'withdrawal' },
  ]);
});

test('a refund the provider keeps refusing is given up after five attempts, with an error in the log', async () => {
  const { body, chargeId } = await buy();
  stripe.refund(chargeId, 500);
  await withdraw(body);
  for (let day = 0; day < 8; day += 1) {
    host.clock.advance(DAY_MS + 1000);
    await host.runBilling();
  }
  expect(stripe.posted('/v1/refunds')).toHaveLength(5);
  expect(lines.filter((line) => line.includes('refund given up'))).toHaveLength(1);
  expect(await creditNotes()).toEqual([]);
});

test('a dispute is logged with its account', async () => {
  const { accountId, chargeId } = await buy();
  const dispute = { id: 'du_1', object: 'dispute', payment_intent: chargeId };
  expect((await webhook('charge.dispute.created', dispute)).status).toBe(200);
  const [line] = lines.map((text) => JSON.parse(text));
  expect(line).toMatchObject({ audit: 'payment_disputed', account: accountId, charge: chargeId });
});

test('refunds and disputes of charges that are not ours change nothing', async () => {
  await buy();
  await webhook('refund.created', stripe.refund('pi_other', 500));
  await webhook('charge.dispute.closed', { id: 'du_2', object: 'dispute', payment_intent: 'pi_other' });
  expect(await host.db.orm.select().from(refunds)).toEqual([]);
  expect(await paid()).toEqual([['paid', 0]]);
});

test('a failed manual refund moved no money: nothing is booked or sent', async () => {
  const { chargeId } = await buy();
  const refund = stripe.change(stripe.refund(chargeId, 990).id, { status: 'failed' });
  await webhook('refund.failed', refund);
  host.clock.advance(2 * DAY_MS);
  await host.runBilling();
  expect(await host.db.orm.select().from(refunds)).toEqual([]);
  expect(stripe.posted('/v1/refunds')).toEqual([]);
  expect(await paid()).toEqual([['paid', 0]]);
});

test.each(['failed', 'canceled'])(
  'a manual refund that is pending and then %s moved no money: the payment stays, and can be refunded whole',
  async (status) => {
    const { body, chargeId } = await buy();
    stripe.answerWith({ refund: 'pending' });
    const refund = stripe.refund(chargeId, 300);
    await webhook('refund.created', refund);
    const ended = stripe.change(refund.id, { status });
    for (const type of ['refund.failed', 'refund.updated']) await webhook(type, ended);
    host.clock.advance(2 * DAY_MS);
    await host.runBilling();
    expect(stripe.posted('/v1/refunds')).toEqual([]);
    expect(await paid()).toEqual([['paid', 0]]);
    expect(lines.filter((line) => line.includes('repeat it there if it is owed'))).toHaveLength(1);
    stripe.answerWith({ refund: 'succeeded' });
    await withdraw(body);
    expect(await paid()).toEqual([['refunded', 990]]);
  },
);

test('a failed manual refund is not taken as our own', async () => {
  const { body, chargeId } = await buy();
  stripe.change(stripe.refund(chargeId, 990).id, { status: 'failed' });
  stripe.refund(chargeId, 500);
  await withdraw(body);
  expect(await host.db.orm.select().from(refunds)).toMatchObject([{ status: 'failed', attempts: 1 }]);
  expect(await creditNotes()).toEqual([]);
  expect(await paid()).toEqual([['paid', 0]]);
});

test.each(['failed', 'canceled'])(
  'a refund that ends as %s is counted once, sent again under another key, and has one credit note',
  async (status) => {
    const { body, chargeId } = await buy();
    stripe.answerWith({ refund: 'pending' });
    await withdraw(body);
    const [first] = stripe.listRefunds(chargeId);
    const failed = stripe.change(first?.id ?? '', { status });
    for (const type of ['refund.failed', 'refund.updated']) await webhook(type, failed);
    expect(await creditNotes()).toEqual([]);
    stripe.answerWith({});
    host.clock.advance(DAY_MS);
    await host.runBilling();
    const [refund] = await host.db.orm.select().from(refunds);
    expect(refund).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(stripe.posted('/v1/refunds').map(({ key }) => key?.split(':').at(-1))).toEqual(['0', '1']);
    expect(await creditNotes()).toEqual([990]);
    // A late response about the first refund.
    const stale = { id: failed.id, chargeId, amountCents: 990, state: 'failed' as const };
    await settleRefund(host.deps, refund?.id ?? '', stale, host.clock.now());
    host.clock.advance(3 * DAY_MS);
    await host.runBilling();
    expect(await host.db.orm.select().from(refunds)).toEqual([refund]);
    expect(stripe.posted('/v1/refunds')).toHaveLength(2);
    expect(await creditNotes()).toEqual([990]);
  },
);

test('a refund that waits for the customer at Stripe is neither booked nor sent again', async () => {
  const { body } = await buy();
  stripe.answerWith({ refund: 'requires_action' });
  await withdraw(body);
  host.clock.advance(2 * DAY_MS);
  await host.runBilling();
  expect(await host.db.orm.select().from(refunds)).toMatchObject([{ status: 'pending', attempts: 0 }]);
  expect(stripe.posted('/v1/refunds')).toHaveLength(1);
  expect(await creditNotes()).toEqual([]);
});

test('a refund that Stripe refuses as an invalid request is retried with the same key', async () => {
  const { body } = await buy();
  stripe.refuse('parameter_unknown');
  await withdraw(body);
  expect(await host.db.orm.select().from(refunds)).toMatchObject([{ status: 'requested', attempts: 0 }]);
  stripe.refuse(null);
  await shop.waitOut();
  await host.runBilling();
  expect(await creditNotes()).toEqual([990]);
});

test('a manual partial refund while our own is due is not taken as our own', async () => {
  const { body, chargeId } = await buy();
  stripe.refuse('parameter_unknown');
  await withdraw(body);
  stripe.refuse(null);
  await webhook('refund.created', stripe.refund(chargeId, 300));
  expect(await host.db.orm.select().from(refunds)).toMatchObject([
    { status: 'requested', amountCents: 990, refundId: null },
  ]);
  expect(await creditNotes()).toEqual([]);
  expect(lines.join()).toContain('book this refund by hand');
});
