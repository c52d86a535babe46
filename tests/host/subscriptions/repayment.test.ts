import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { payments, refunds } from '#host/db/payments.tables';
import { canWithdraw } from '#host/subscriptions/declaration/withdrawal';
import { createTestHost, START, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { advance, type Bought, buy, onboard, signIn, subscriptionOf, view } from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
  // Slower than the law allows, so that its limit applies.
  Object.assign(host.deps.settings.plans, { refundMinDays: 3, refundMaxDays: 20 });
});
afterAll(() => host.close());

interface Answer {
  refund: { from: string; until: string; amountCents: number | null } | null;
}

async function declare(
  what: 'withdraw' | 'money-back',
  { body, email }: Bought,
  { reference = '', token }: { reference?: string; token?: string } = {},
): Promise<Answer['refund']> {
  const declared = { name: body.name, email, reference, confirmed: true };
  const answered = await send(host, 'POST', `/api/contract/${what}`, declared, { token });
  return (answered.body.data as Answer).refund;
}

async function refundOf({ accountId }: Bought) {
  const [found] = await host.db.orm
    .select()
    .from(refunds)
    .innerJoin(payments, eq(payments.id, refunds.paymentId))
    .where(eq(payments.accountId, accountId));
  return found?.refunds;
}

const inDays = (days: number, from = host.clock.now()) => new Date(from.getTime() + days * DAY_MS);

const mailsTo = async ({ email }: Bought) =>
  (await host.mails()).filter(({ to }) => to === email).map(({ template }) => template);

// Runs first, while the weekdays are known: ordered on Monday 2 March, paid on Wednesday.
test('after the withdrawal period any declaration is a money-back request, with our own refund times', async () => {
  const [early, late] = [await buy(host), await buy(host)];
  await advance(host, '14d 12h');
  await declare('withdraw', early, { reference: early.reference });
  await host.runBilling();
  expect(await refundOf(early)).toMatchObject({ reason: 'withdrawal', expectedUntil: inDays(14) });
  expect(await mailsTo(early)).toContain('billing-mail.withdrawn');
  await advance(host, '12h');
  await declare('withdraw', late, { reference: late.reference });
  await host.runBilling();
  const refund = await refundOf(late);
  expect(refund?.reason).toBe('money_back');
  expect(refund?.expectedUntil.getTime()).toBeGreaterThan(inDays(27).getTime());
  expect(await mailsTo(late)).toContain('billing-mail.money_back_granted');
});

test('a withdrawal is refunded within fourteen days of the declaration, and says so', async () => {
  const bought = await buy(host, { trial: false });
  const token = await onboard(host, bought.email);
  const limit = inDays(14);
  expect(await declare('withdraw', bought, { token })).toMatchObject({
    amountCents: 990,
    until: limit.toISOString(),
  });
  await host.runBilling();
  expect(await refundOf(bought)).toMatchObject({ reason: 'withdrawal', expectedUntil: limit });
});

test('strangers see the later date of a refund without that limit, whatever the contract', async () => {
  const bought = await buy(host, { trial: false });
  const answer = await declare('withdraw', bought);
  expect(answer?.amountCents).toBeNull();
  expect(Date.parse(answer?.until ?? '')).toBeGreaterThan(inDays(27).getTime());
});

test.each([
  ['a consumer', 'money-back', {}, true],
  ['a business', 'withdraw', { professional: true, company: 'Atelier' }, false],
] as const)(
  '%s who declares %s signed in sees the date that is booked',
  async (_, what, fields, isLimited) => {
    const bought = await buy(host, { trial: false, ...fields });
    const answer = await declare(what, bought, { token: await onboard(host, bought.email) });
    await host.runBilling();
    const refund = await refundOf(bought);
    expect(answer?.until).toBe(refund?.expectedUntil.toISOString());
    expect(Date.parse(answer?.until ?? '') <= inDays(14).getTime()).toBe(isLimited);
  },
);

test('the money-back promise has only our own refund times', async () => {
  const bought = await buy(host, { trial: false, professional: true, company: 'Atelier' });
  const until = (await declare('money-back', bought, { reference: bought.reference }))?.until ?? '';
  expect(Date.parse(until)).toBeGreaterThan(inDays(27).getTime());
  await host.runBilling();
  const refund = await refundOf(bought);
  expect(refund?.reason).toBe('money_back');
  expect(refund?.expectedUntil.getTime()).toBeGreaterThan(inDays(27).getTime());
});

test('a withdrawal declared in time but processed late is refunded within 14 days of its declaration', async () => {
  const bought = await buy(host, { trial: false });
  host.clock.set(inDays(14));
  const declaredAt = host.clock.now();
  await declare('withdraw', bought, { reference: bought.reference });
  // The host was down until almost all of that time had passed.
  host.clock.advance(13 * DAY_MS);
  await host.runBilling();
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('canceled');
  expect(await refundOf(bought)).toMatchObject({
    amountCents: 990,
    reason: 'withdrawal',
    expectedFrom: inDays(14, declaredAt),
    expectedUntil: inDays(14, declaredAt),
  });
  expect(await mailsTo(bought)).toContain('billing-mail.withdrawn');
});

test('a declaration without proof waits for the owner, however late it is processed', async () => {
  const bought = await buy(host, { trial: false });
  host.clock.set(inDays(14));
  await declare('withdraw', bought);
  host.clock.advance(5 * DAY_MS);
  await host.runBilling();
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('active');
  await advance(host, '72h');
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('canceled');
  expect((await refundOf(bought))?.amountCents).toBe(990);
});

test('a withdrawal declared at the end of the period is late, and one a millisecond earlier is not', async () => {
  const [early, late] = [await buy(host, { trial: false }), await buy(host, { trial: false })];
  const token = await onboard(host, early.email);
  const shown = await send(host, 'GET', '/api/account/subscriptions', undefined, { token });
  const { withdrawUntil } = (shown.body.data as { subscription: { withdrawUntil: string } }).subscription;
  const end = Date.parse(withdrawUntil);
  expect(end).toBeGreaterThan(START.getTime());
  await onboard(host, late.email);
  host.clock.set(new Date(end - 1));
  const own = await signIn(host, early.email);
  expect(await view(host, own)).toMatchObject({ withdrawUntil, withdrawReason: 'withdrawal' });
  expect(await declare('withdraw', early, { token: own })).toMatchObject({ amountCents: 990 });
  const contract = await subscriptionOf(host, late.accountId);
  const canBe = (at: number) => canWithdraw(host.db.orm, host.deps, contract, new Date(at));
  expect([await canBe(end - 1), await canBe(end)]).toEqual([true, false]);
  host.clock.set(new Date(end));
  expect(await view(host, await signIn(host, late.email))).toMatchObject({ withdrawUntil: null });
  await declare('withdraw', late, { reference: late.reference });
  await host.runBilling();
  expect((await subscriptionOf(host, early.accountId)).status).toBe('canceled');
  expect((await subscriptionOf(host, late.accountId)).status).toBe('active');
  expect(await refundOf(late)).toBeUndefined();
});
