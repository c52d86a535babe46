import { expect } from 'vitest';
import { enqueueJob } from '#host/jobs/queue';
import type { TestHost } from '../../support/host';
import { test } from '../../support/host-test';
import { send } from '../../support/json-calls';
import { act, advance, type Bought, buy, onboard, replaceCard, signIn, view } from '../../support/ordering';

/** The texts of a buyer's mails with one template, newest first, with plain spaces. */
async function textsOf(host: TestHost, { email }: Bought, template: string): Promise<string[]> {
  await host.runBilling();
  const mails = (await host.mails()).filter(
    (mail) => mail.to === email && mail.template === `billing-mail.${template}`,
  );
  return mails.map(({ subject, text }) => `${subject}\n${text}`.replace(/[\u00a0\u202f]/g, ' '));
}

async function resendOrder(host: TestHost, { placed }: Bought): Promise<void> {
  host.clock.advance(1_000);
  const body = { payment_intent_id: placed.paymentIntent };
  expect((await send(host, 'POST', '/api/subscriptions/mail', body)).status).toBe(200);
}

async function resendInvoice(host: TestHost, subject: string): Promise<void> {
  host.clock.advance(1_000);
  const dueAt = host.clock.now();
  const dedupeKey = `again:${dueAt.toISOString()}`;
  await enqueueJob(host.db.orm, { kind: 'document_mail', subject, dedupeKey, dueAt });
  await host.runBilling();
}

test('while a renewal is in progress, the view says that cancelling ends the contract at once', async ({
  host,
}) => {
  const bought = await buy(host);
  const first = await onboard(host, bought.email);
  const cancellation = { endsAt: '2026-03-04T10:00:00.000Z', atOnce: false };
  expect(await view(host, first)).toMatchObject({ cancellation });
  await advance(host, '49h');
  const paid = await signIn(host, bought.email);
  expect(await view(host, paid)).toMatchObject({
    cancellation: { endsAt: '2026-04-04T10:00:00.000Z', atOnce: false },
  });
  await replaceCard(host, paid, 'processing');
  await advance(host, '32d');
  const token = await signIn(host, bought.email);
  const before = await view(host, token);
  expect(before).toMatchObject({
    status: 'active',
    running: true,
    cancellation: { endsAt: '2026-04-04T10:00:00.000Z', atOnce: true },
  });
  expect(Date.parse(before.accessUntil)).toBeGreaterThan(host.clock.now().getTime());
  // No change of plan is offered either, as it would start in the past.
  expect(before.switch).toBeNull();
  expect((await act(host, token, 'switch', { plan: 'basic_yearly' })).status).toBe(409);
  expect((await act(host, token, 'cancel')).body.data).toMatchObject({
    status: 'canceled',
    running: false,
    cancellation: null,
    accessUntil: '2026-04-04T10:00:00.000Z',
  });
});

test('while a renewal with a new plan is in progress, the change of plan cannot be undone', async ({
  host,
}) => {
  const bought = await buy(host, { trial: false });
  const first = await onboard(host, bought.email);
  await act(host, first, 'switch', { plan: 'basic_yearly' });
  await replaceCard(host, first, 'processing');
  await advance(host, '32d');
  const token = await signIn(host, bought.email);
  expect((await act(host, token, 'switch', { plan: 'basic_monthly' })).status).toBe(409);
  expect(await view(host, token)).toMatchObject({ status: 'active', amountCents: 990, switch: null });
});

test('cancelling while a charge is overdue takes effect at once', async ({ host }) => {
  const bought = await buy(host, {}, 'onlyOnce');
  await onboard(host, bought.email);
  await advance(host, '34d');
  const token = await signIn(host, bought.email);
  expect(await view(host, token)).toMatchObject({
    status: 'due_date',
    cancellation: { endsAt: '2026-04-04T10:00:00.000Z', atOnce: true },
  });
});

test('a receipt names the next charge only if there will be one', async ({ host }) => {
  const bought = await buy(host, { trial: false });
  const [first] = await textsOf(host, bought, 'receipt');
  expect(first).toContain('Next charge: €9.90 on 2 April 2026');
  const token = await onboard(host, bought.email);
  await act(host, token, 'switch', { plan: 'basic_yearly' });
  await resendInvoice(host, 'F2026-000001');
  expect((await textsOf(host, bought, 'receipt'))[0]).toContain('Next charge: €106.92 on 2 April 2026');
  await act(host, token, 'cancel');
  await resendInvoice(host, 'F2026-000001');
  const receipts = await textsOf(host, bought, 'receipt');
  expect(receipts).toHaveLength(3);
  expect(receipts[0]).toContain('Invoice F2026-000001');
  expect(receipts[0]).not.toContain('Next charge');
});

test('a resent invoice of an earlier period names no next charge', async ({ host }) => {
  const bought = await buy(host, { trial: false });
  await advance(host, '40d');
  await resendInvoice(host, 'F2026-000001');
  const [again, second] = await textsOf(host, bought, 'receipt');
  expect(second).toContain('Next charge: €9.90 on 2 May 2026');
  expect(again).toContain('Invoice F2026-000001');
  expect(again).not.toContain('Next charge');
});

test('the receipt of a charge that arrives after the end of the contract names no next charge', async ({
  host,
}) => {
  const bought = await buy(host, {}, 'processing');
  await onboard(host, bought.email);
  await advance(host, '50h');
  await act(host, await signIn(host, bought.email), 'cancel');
  await advance(host, '6d');
  const receipts = await textsOf(host, bought, 'receipt');
  expect(receipts).toHaveLength(1);
  expect(receipts[0]).not.toContain('Next charge');
});

test('an order confirmation resent after a cancellation names no charge', async ({ host }) => {
  for (const [fields, template] of [
    [{}, 'order_confirmed'],
    [{ trial: false }, 'order_paid'],
  ] as const) {
    const bought = await buy(host, fields);
    await act(host, await onboard(host, bought.email), 'cancel');
    await resendOrder(host, bought);
    const [again, first] = await textsOf(host, bought, template);
    expect(first).toMatch(/(First|Next) charge: €9\.90 on/);
    expect(again).not.toMatch(/(First|Next) charge: |We will remind you/);
    expect(again).toContain('You have cancelled: nothing more will be charged');
  }
});

test('an order confirmation resent after a change of plan names the new price', async ({ host }) => {
  const trial = await buy(host);
  await act(host, await onboard(host, trial.email), 'switch', { plan: 'basic_yearly' });
  await resendOrder(host, trial);
  const [confirmed] = await textsOf(host, trial, 'order_confirmed');
  expect(confirmed).toContain('Plan: Basic, yearly\nPrice: €106.92 per year');
  expect(confirmed).toContain('First charge: €106.92 on 4 March 2026');
  const paid = await buy(host, { trial: false });
  await act(host, await onboard(host, paid.email), 'switch', { plan: 'basic_yearly' });
  await resendOrder(host, paid);
  const [again] = await textsOf(host, paid, 'order_paid');
  expect(again).toContain('Plan: Basic, monthly\nPaid today: €9.90\nNext charge: €106.92 on 2 April 2026');
});

test('the renewal notice says that a yearly plan becomes a monthly one', async ({ host }) => {
  const bought = await buy(host, { slug: 'basic_yearly', trial: false });
  const token = await onboard(host, bought.email);
  expect((await act(host, token, 'switch', { plan: 'basic_monthly' })).status).toBe(200);
  await advance(host, '330d');
  expect(await textsOf(host, bought, 'renewal_notice')).toEqual([]);
  const [notice] = await textsOf(host, bought, 'renewal_notice_switch');
  expect(notice).toContain('Your yearly plan ends on 2 March 2027');
  expect(notice).toContain('with the plan you chose, “Basic, monthly”');
  expect(notice).toContain('€9.90 is then charged');
  expect(notice).toContain('Last day to refuse the renewal: 1 March 2027');
  expect(notice).not.toContain('another year');
  expect((await act(host, await signIn(host, bought.email), 'switch', { plan: 'basic_yearly' })).status).toBe(
    200,
  );
  await advance(host, '1h');
  expect(await textsOf(host, bought, 'renewal_notice')).toEqual([expect.stringContaining('€106.92')]);
});
