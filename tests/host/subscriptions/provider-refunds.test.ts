import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAccountByEmail } from '#host/accounts/accounts.store';
import { invoices } from '#host/db/invoices.tables';
import { paymentAttempts, payments, refunds } from '#host/db/payments.tables';
import { createStripe } from '#host/payments/stripe/stripe';
import { listContracts } from '#host/subscriptions/orders.store';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { checkout, placeOrder } from '../../support/ordering';
import { openStripeStandIn, STAND_IN_KEY, STAND_IN_SECRET } from '../payments/stripe-stand-in';

const DAY_MS = 24 * 3_600_000;

let host: TestHost;
let stripe: Awaited<ReturnType<typeof openStripeStandIn>>;
const lines: string[] = [];

beforeEach(async () => {
  lines.length = 0;
  stripe = await openStripeStandIn();
  const { connection } = stripe;
  host = await createTestHost({
    log: pino({ level: 'error' }, { write: (line: string) => lines.push(line) }),
    payments: () => createStripe({ secretKey: STAND_IN_KEY, webhookSecrets: [STAND_IN_SECRET], connection }),
  });
});
afterEach(async () => {
  await host.close();
  await stripe.close();
});

function webhook(type: string, object: Record<string, unknown>) {
  const { payload, signature } = stripe.event(type, object);
  const headers = { 'stripe-signature': signature };
  return host.request('/api/webhooks/payments', { method: 'POST', body: payload, headers });
}

/** An order of 9.90 euros that was charged at once, and Stripe's charge. */
async function buy() {
  const body = checkout({ trial: false });
  const placed = await placeOrder(host, body);
  const id = placed.redirectUrl.split('/').at(-1) ?? '';
  stripe.enterCard(id);
  await webhook('checkout.session.completed', { id, object: 'checkout.session' });
  const account = await findAccountByEmail(host.db.orm, body.email);
  const [attempt] = await host.db.orm.select().from(paymentAttempts);
  return { body, accountId: account?.id ?? '', chargeId: attempt?.chargeId ?? '' };
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

test('a refund made by hand at the provider is booked once, with its credit note', async () => {
  const { body, chargeId } = await buy();
  const refund = stripe.refund(chargeId, 990);
  await webhook('refund.created', refund);
  await webhook('refund.updated', refund);
  expect(await creditNotes()).toEqual([990]);
  expect(await paid()).toEqual([['refunded', 990]]);
  await withdraw(body);
  expect(stripe.posted('/v1/refunds')).toEqual([]);
  expect(await creditNotes()).toEqual([990]);
});

test('a part that is paid back by hand has a credit note over the part; what it leaves is said loudly', async () => {
  const { body, chargeId } = await buy();
  await webhook('refund.created', stripe.refund(chargeId, 300));
  expect(await creditNotes()).toEqual([300]);
  expect(await paid()).toEqual([['paid', 300]]);
  await withdraw(body);
  expect(lines.join()).toContain('"missingCents":690');
  await webhook('refund.created', stripe.refund(chargeId, 690));
  expect(lines.join()).toContain('book this refund by hand');
});

test('money that went back by hand before our own refund is taken for it', async () => {
  const { body, chargeId } = await buy();
  stripe.refund(chargeId, 990);
  await withdraw(body);
  expect(await creditNotes()).toEqual([990]);
  expect(await host.db.orm.select().from(refunds)).toMatchObject([
    { status: 'succeeded', reason: 'withdrawal' },
  ]);
});

test('a refund the provider keeps refusing is given up loudly after five tries', async () => {
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

test('a dispute is reported with its account', async () => {
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
