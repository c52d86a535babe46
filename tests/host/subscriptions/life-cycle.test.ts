import { expect } from 'vitest';
import { getInvoice } from '#contract/transactions';
import { afterDays, test } from '../../support/host-test';
import { send } from '../../support/json-calls';
import {
  act,
  advance,
  billingMails,
  buy,
  onboard,
  signIn,
  subscriptionOf,
  transactions,
  view,
} from '../../support/ordering';

test('a trial shows the next charge, sends a reminder, charges, and shows the next one', async ({ host }) => {
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  expect(await view(host, token)).toMatchObject({
    status: 'trialing',
    running: true,
    cancelAtPeriodEnd: false,
    nextRenewal: afterDays(2),
    accessUntil: afterDays(2),
    next: { code: 'first_charge', at: afterDays(2), amountCents: 990 },
    switch: { plan: 'basic_yearly', at: afterDays(0), amountCents: 10_692, pending: false },
  });
  await advance(host, '49h');
  const again = await signIn(host, bought.email);
  expect(await view(host, again)).toMatchObject({
    status: 'active',
    accessUntil: '2026-04-04T10:00:00.000Z',
    next: { code: 'renewal', at: '2026-04-04T10:00:00.000Z', amountCents: 990 },
  });
  expect(await transactions(host, again)).toMatchObject([
    { status: 'paid', amountCents: 990, failure: null },
  ]);
  expect(await billingMails(host, bought)).toEqual(['order_confirmed', 'trial_reminder', 'receipt']);
});

test('the reminder names card, amount and time; the receipt has the invoice attached', async ({ host }) => {
  const bought = await buy(host, { locale: 'fr' });
  await advance(host, '49h');
  const mails = (await host.mails()).filter(({ to }) => to === bought.email);
  const reminder = mails.find(({ template }) => template === 'billing-mail.trial_reminder');
  expect(reminder?.text?.replace(/[\u00a0\u202f]/g, ' ')).toContain(
    '9,90 € seront prélevés sur votre carte Visa se terminant par 4242',
  );
  expect(reminder?.text).toContain('4 mars 2026');
  const receipt = mails.find(({ template }) => template === 'billing-mail.receipt');
  expect(receipt?.attachments.map(({ filename }) => filename)).toEqual(['F2026-000001.pdf']);
  expect(
    Buffer.from(receipt?.attachments[0]?.content ?? '', 'base64')
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
});

test('cancelled during the trial it is never charged; resumed before the end it continues', async ({
  host,
}) => {
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  expect((await act(host, token, 'cancel')).body).toMatchObject({ message: 'subscription_canceled' });
  expect((await act(host, token, 'cancel')).status).toBe(409);
  expect(await view(host, token)).toMatchObject({
    cancelAtPeriodEnd: true,
    next: { code: 'end', amountCents: 0 },
  });
  expect((await act(host, token, 'resume')).body).toMatchObject({ message: 'subscription_resumed' });
  expect((await act(host, token, 'resume')).status).toBe(409);
  await act(host, token, 'cancel');
  await advance(host, '49h');
  const again = await signIn(host, bought.email);
  expect(await view(host, again)).toMatchObject({
    status: 'canceled',
    cancelAtPeriodEnd: false,
    running: false,
    next: null,
    accessUntil: afterDays(2),
  });
  expect(await transactions(host, again)).toEqual([]);
  expect((await act(host, again, 'resume')).status).toBe(409);
  expect(await billingMails(host, bought)).toEqual([
    'order_confirmed',
    'canceled',
    'resumed',
    'canceled',
    'contract_ended',
  ]);
});

test('a cancellation cannot be undone after its end has passed, even if no job has run since', async ({
  host,
}) => {
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  await act(host, token, 'cancel');
  host.clock.advance(48 * 3_600_000);
  const later = await signIn(host, bought.email);
  expect((await act(host, later, 'resume')).status).toBe(409);
  await host.runBilling();
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('canceled');
  expect(await transactions(host, later)).toEqual([]);
});

test('at the very end of a trial its charge is due: the plan is settled, and cancelling ends the contract', async ({
  host,
}) => {
  const bought = await buy(host);
  await onboard(host, bought.email);
  host.clock.set(new Date(afterDays(2)));
  const token = await signIn(host, bought.email);
  expect(await view(host, token)).toMatchObject({
    status: 'trialing',
    running: false,
    switch: null,
    next: { code: 'charging', at: afterDays(2) },
    cancellation: { endsAt: afterDays(2), atOnce: true },
  });
  expect((await act(host, token, 'switch', { plan: 'basic_yearly' })).status).toBe(409);
  expect((await act(host, token, 'cancel')).body.data).toMatchObject({ status: 'canceled' });
  await host.runBilling();
  expect(await transactions(host, token)).toEqual([]);
});

test('cancelled later, access lasts exactly to the end of the paid period', async ({ host }) => {
  const bought = await buy(host);
  await onboard(host, bought.email);
  await advance(host, '10d');
  await act(host, await signIn(host, bought.email), 'cancel');
  host.clock.set(new Date('2026-04-04T09:59:59.000Z'));
  await host.runBilling();
  expect((await subscriptionOf(host, bought.accountId)).accessUntil.toISOString()).toBe(
    '2026-04-04T10:00:00.000Z',
  );
  const token = await signIn(host, bought.email);
  expect((await view(host, token)).running).toBe(true);
  host.clock.set(new Date('2026-04-04T10:00:00.000Z'));
  expect((await view(host, token)).running).toBe(false);
  await host.runBilling();
  expect(await view(host, token)).toMatchObject({ status: 'canceled', running: false });
  expect(await transactions(host, token)).toHaveLength(1);
});

test('a change of plan takes effect at once during the trial, and with the next renewal afterwards', async ({
  host,
}) => {
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  expect((await act(host, token, 'switch', { plan: 'basic_monthly' })).status).toBe(409);
  expect((await act(host, token, 'switch', { plan: 'gold' })).status).toBe(422);
  await act(host, token, 'switch', { plan: 'basic_yearly' });
  expect(await view(host, token)).toMatchObject({ plan: 'basic_yearly', next: { amountCents: 10_692 } });
  await act(host, token, 'switch', { plan: 'basic_monthly' });
  await advance(host, '49h');
  const later = await signIn(host, bought.email);
  await act(host, later, 'switch', { plan: 'basic_yearly' });
  expect(await view(host, later)).toMatchObject({
    plan: 'basic_monthly',
    next: { code: 'renewal', amountCents: 10_692 },
    switch: { plan: 'basic_yearly', at: '2026-04-04T10:00:00.000Z', pending: true },
  });
  await act(host, later, 'switch', { plan: 'basic_monthly' });
  expect(await view(host, later)).toMatchObject({ next: { amountCents: 990 }, switch: { pending: false } });
  await act(host, later, 'switch', { plan: 'basic_yearly' });
  await advance(host, '35d');
  const token2 = await signIn(host, bought.email);
  expect(await view(host, token2)).toMatchObject({
    plan: 'basic_yearly',
    accessUntil: '2027-04-04T10:00:00.000Z',
    next: { code: 'renewal', at: '2027-04-04T10:00:00.000Z', amountCents: 10_692 },
    switch: { plan: 'basic_monthly', at: '2027-04-04T10:00:00.000Z', amountCents: 990, pending: false },
  });
  const { nextPlan, nextPriceCents } = await subscriptionOf(host, bought.accountId);
  expect([nextPlan, nextPriceCents]).toEqual([null, null]);
  expect((await transactions(host, token2)).map(({ amountCents }) => amountCents)).toEqual([10_692, 990]);
});

test('a change of plan asked for twice is booked and mailed once, and never at another price than was shown', async ({
  host,
}) => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  const refused = await act(host, token, 'switch', { plan: 'basic_yearly', price_cents: 9_999 });
  expect([refused.status, refused.body.errors]).toEqual([422, { price_cents: ['price_differs'] }]);
  expect((await view(host, token)).switch?.pending).toBe(false);
  for (const _ of [1, 2]) {
    const switched = await act(host, token, 'switch', { plan: 'basic_yearly', price_cents: 10_692 });
    expect(switched.status).toBe(200);
  }
  expect((await billingMails(host, bought)).filter((name) => name === 'switched')).toHaveLength(1);
});

test('a yearly plan is announced before it is renewed, with the last day to refuse', async ({ host }) => {
  const bought = await buy(host, { slug: 'basic_yearly' });
  await advance(host, '320d');
  expect(await billingMails(host, bought)).not.toContain('renewal_notice');
  await advance(host, '3d');
  const notice = (await host.mails()).find(({ template }) => template === 'billing-mail.renewal_notice');
  expect(notice?.text).toContain('Last day to refuse the renewal: 3 March 2027');
  expect(notice?.text).toContain('€106.92');
  await advance(host, '50d');
  expect((await billingMails(host, bought)).filter((name) => name === 'receipt')).toHaveLength(2);
});

test.for([
  ['before the announcement is due', 300, 305],
  ['after the announcement was due', 300, 325],
  ['in the last days', 300, 366],
  ['after the announcement was sent', 325, 330],
] as const)(
  'a yearly plan whose cancellation is taken back %s is announced once',
  async ([_, canceledOn, resumedOn], { host }) => {
    const bought = await buy(host, { slug: 'basic_yearly' });
    await onboard(host, bought.email);
    await advance(host, `${canceledOn}d`);
    await act(host, await signIn(host, bought.email), 'cancel');
    await advance(host, `${resumedOn - canceledOn}d`);
    const token = await signIn(host, bought.email);
    await act(host, token, 'resume');
    await host.runBilling();
    await act(host, token, 'cancel');
    await act(host, token, 'resume');
    host.clock.set(new Date(afterDays(366.9)));
    await host.runBilling();
    const mails = await billingMails(host, bought);
    expect(mails.filter((name) => name === 'renewal_notice')).toHaveLength(1);
    expect(mails.filter((name) => name === 'receipt')).toHaveLength(1);
  },
);

test('a year that is paid late is announced for renewal at once', async ({ host }) => {
  const bought = await buy(host, { slug: 'basic_yearly' });
  host.clock.set(new Date(afterDays(340)));
  await host.runBilling();
  expect(await billingMails(host, bought)).toContain('renewal_notice');
});

test('an erased account is never charged again, its card is deleted and its invoices stay', async ({
  host,
}) => {
  const bought = await buy(host);
  await onboard(host, bought.email);
  await advance(host, '49h');
  const token = await signIn(host, bought.email);
  const [paid] = await transactions(host, token);
  const body = { password: 'three quiet lamps over water' };
  expect((await send(host, 'DELETE', '/api/account', body, { token })).status).toBe(200);
  await advance(host, '60d');
  expect(await subscriptionOf(host, bought.accountId)).toMatchObject({ status: 'canceled' });
  const rows = await host.db.orm.execute(
    "select (select count(*)::int from payments) as payments, (select count(*)::int from invoices) as invoices, (select count(*)::int from payment_methods) as methods, (select count(*)::int from sandbox_objects where kind = 'method') as cards",
  );
  expect((rows as unknown as { rows: object[] }).rows[0]).toEqual({
    payments: 1,
    invoices: 1,
    methods: 0,
    cards: 0,
  });
  expect(paid?.invoice?.path).toMatch(/F2026-000001\.pdf$/);
});

test('an invoice is visible to its owner only', async ({ host }) => {
  const bought = await buy(host);
  await onboard(host, bought.email);
  await advance(host, '49h');
  const token = await signIn(host, bought.email);
  const path = getInvoice.path.replace('{file}', 'F2026-000001.pdf');
  const own = await host.request(path, { token });
  expect(own.headers.get('content-type')).toBe('application/pdf');
  expect(own.headers.get('cache-control')).toBe('private, no-store');
  const stranger = await host.account();
  expect((await host.request(path, { token: stranger.token })).status).toBe(404);
  expect((await host.request(path)).status).toBe(401);
  const page = await send(host, 'GET', '/api/account/transactions', undefined, { token: stranger.token });
  expect(page.body).toMatchObject({ data: [], meta: { page: 1, limit: 10, total: 0 } });
});

test('access granted without an order can be neither cancelled nor changed, and has no portal', async ({
  host,
}) => {
  const { token } = await host.account();
  expect((await act(host, token, 'cancel')).status).toBe(409);
  expect((await act(host, token, 'switch', { plan: 'basic_yearly' })).status).toBe(409);
  expect((await send(host, 'POST', '/api/account/billing-portal', {}, { token })).status).toBe(404);
  expect(await view(host, token)).toMatchObject({
    status: 'active',
    next: null,
    switch: null,
    withdrawUntil: null,
    withdrawReason: null,
  });
});
