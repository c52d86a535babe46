import { afterAll, beforeAll, expect, test } from 'vitest';
import { dateTimeText } from '#host/invoices/wording';
import { statutoryWithdrawalEnd } from '#host/subscriptions/calendar';
import { listContracts } from '#host/subscriptions/order/store';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  act,
  advance,
  type Bought,
  billingMail,
  billingMails,
  buy,
  onboard,
  signIn,
  subscriptionOf,
  transactions,
  view,
} from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function declare(what: 'withdraw' | 'money-back', { body, email, reference }: Bought, token?: string) {
  const declared = { name: body.name, email, reference, confirmed: true };
  const answered = await send(host, 'POST', `/api/contract/${what}`, declared, { token });
  await host.runBilling();
  return (answered.body.data as { refund: { amountCents: number | null } | null }).refund;
}

test('a money-back request has its own receipt and confirmation', async () => {
  const bought = await buy(host);
  await advance(host, '3d');
  expect(await declare('money-back', bought)).toMatchObject({ amountCents: null });
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('canceled');
  const mails = await billingMails(host, bought);
  expect(mails).toEqual(expect.arrayContaining(['money_back_received', 'money_back_granted', 'refunded']));
  expect(mails.filter((name) => name.startsWith('withdr'))).toEqual([]);
  for (const template of ['money_back_received', 'money_back_granted']) {
    const { subject, text } = await billingMail(host, bought, template);
    expect(`${subject}${text}`).not.toMatch(/withdraw/i);
  }
  expect((await billingMail(host, bought, 'money_back_granted')).text).toContain('paying back €9.90');
});

test('a late withdrawal within the money-back period is granted as a money-back request', async () => {
  const professional = { professional: true, company: 'Atelier Deux', trial: false };
  const bought = await buy(host, professional);
  await declare('withdraw', bought);
  expect(await billingMails(host, bought)).toContain('money_back_granted');
});

test.each([
  ['withdrawn', 'a millisecond before the end of the withdrawal period', -1],
  ['money_back_granted', 'at the end of the withdrawal period', 0],
])('%s is the answer to a withdrawal declared %s, while the promise still holds', async (template, _, ms) => {
  const bought = await buy(host);
  await advance(host, '3d');
  const [order] = await listContracts(host.db.orm, bought.email);
  const end = order ? statutoryWithdrawalEnd(order).getTime() : Number.NaN;
  host.clock.set(new Date(end + ms));
  await declare('withdraw', bought);
  const mails = await billingMails(host, bought);
  expect(mails.filter((name) => /^(withdrawn|money_back)/.test(name))).toEqual([template]);
});

test('a money-back request with nothing paid ends the contract and says that there is nothing to refund', async () => {
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  expect(await view(host, token)).toMatchObject({ withdrawReason: 'withdrawal', withdrawRefundCents: 0 });
  expect(await declare('money-back', bought, token)).toMatchObject({ amountCents: 0 });
  expect(await billingMails(host, bought)).toContain('money_back_free');
  expect((await billingMail(host, bought, 'money_back_free')).text).toContain('Nothing had been charged');
});

test('a late money-back request changes nothing and says so', async () => {
  const bought = await buy(host);
  await onboard(host, bought.email);
  await advance(host, '20d');
  expect(await declare('money-back', bought, await signIn(host, bought.email))).toBeNull();
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('active');
  const { subject, text } = await billingMail(host, bought, 'money_back_late');
  expect(subject).toBe('We cannot accept your money-back request');
  expect(text).toContain('the time to ask for your money back ended on');
});

test('only the signed-in customer is shown the amount of the refund', async () => {
  const bought = await buy(host, { trial: false });
  const stranger = await host.account();
  expect(
    await declare(
      'withdraw',
      { ...bought, reference: '', body: { ...bought.body, name: 'Nobody' } },
      stranger.token,
    ),
  ).toMatchObject({
    amountCents: null,
  });
  const token = await onboard(host, bought.email);
  expect(await view(host, token)).toMatchObject({ withdrawRefundCents: 990 });
  expect(await declare('withdraw', bought, token)).toMatchObject({ amountCents: 990 });
  expect(await transactions(host, token)).toMatchObject([{ status: 'refunded' }]);
  expect(await view(host, token)).toMatchObject({ withdrawRefundCents: null });
});

test('a customer who declares for another address is shown nothing about their own contract', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  const other = { ...bought, email: 'somebody-else@shop.example', reference: '' };
  expect(await declare('withdraw', other, token)).toMatchObject({ amountCents: null });
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('active');
});

test('a contract withdrawn during the trial shows no future end of the trial', async () => {
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  const now = host.clock.now().toISOString();
  expect(Date.parse((await view(host, token)).trialEnd ?? '')).toBeGreaterThan(Date.parse(now));
  await declare('withdraw', bought);
  expect(await view(host, token)).toMatchObject({ status: 'canceled', trialEnd: now });
});

test('a cancellation says that it drops a planned change of plan, if there was one', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  await act(host, token, 'cancel');
  expect((await billingMail(host, bought, 'canceled')).text).not.toContain('is cancelled as well');
  await act(host, token, 'resume');
  await act(host, token, 'switch', { plan: 'basic_yearly' });
  const from = dateTimeText((await subscriptionOf(host, bought.accountId)).periodEnd ?? new Date(0), 'gb');
  expect((await billingMail(host, bought, 'switched')).subject).toContain(from);
  host.clock.advance(1_000);
  await act(host, token, 'cancel');
  expect((await subscriptionOf(host, bought.accountId)).nextPlan).toBeNull();
  const { text } = await billingMail(host, bought, 'canceled');
  expect(text).toMatch(
    /The change to the plan “Basic, yearly” planned for \d+ \w+ 2026 at .+ is cancelled as well\./,
  );
});
