import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invoices } from '#host/db/invoices.tables';
import { payments, refunds } from '#host/db/payments.tables';
import { declarations } from '#host/db/subscriptions.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { brokenBodies, NON_OBJECT_BODIES, send } from '../../support/json-calls';
import {
  advance,
  billingMail,
  billingMails,
  buy,
  onboard,
  signIn,
  subscriptionOf,
  transactions,
  view,
} from '../../support/ordering';

const GOOD = { name: 'Ada Byron', email: 'ada@shop.example', confirmed: true };

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const declare = (what: 'cancel' | 'withdraw', body: unknown) =>
  send(host, 'POST', `/api/contract/${what}`, body);

test.each(brokenBodies(GOOD, ['name', 'email']))(
  'a declaration whose %s is %s is refused',
  async (field, _, body) => {
    const answered = await declare('withdraw', body);
    expect(answered.status).toBe(422);
    expect(Object.keys(answered.body.errors ?? {})).toEqual([field]);
  },
);

test.each([
  ['name', 'Win a phone at https://spam.example'],
  ['name', 'www.spam.example'],
  ['name', 'Ada <a@spam.example>'],
  ['name', 'CALL 0899 123 456 NOW'],
  ['name', 'Ada\ud800'],
  ['reference', 'https://spam.example/now'],
])('a declaration with an advertisement in its %s is refused (%s)', async (field, text) => {
  const email = 'victim@elsewhere.example';
  const answered = await declare('cancel', { ...GOOD, email, [field]: text });
  expect([answered.status, answered.body.errors]).toEqual([422, { [field]: [`${field}_invalid`] }]);
  expect((await host.mails()).filter(({ to }) => to === email)).toEqual([]);
});

test.each(NON_OBJECT_BODIES)('a body that is %s is refused', async (_, text, status) => {
  expect((await declare('cancel', text)).status).toBe(status);
});

test('the first step only validates; the second stores the declaration and mails a receipt at once', async () => {
  const email = 'nobody@shop.example';
  const first = await declare('cancel', { ...GOOD, email, confirmed: false, locale: 'fr' });
  expect(first.body).toMatchObject({
    message: 'declaration_checked',
    data: { name: 'Ada Byron', receivedAt: null, refund: null },
  });
  expect(await host.db.orm.select().from(declarations)).toEqual([]);
  const second = await declare('cancel', { ...GOOD, email, locale: 'fr', key: 'the-same-form' });
  const receivedAt = host.clock.now().toISOString();
  expect(second.body).toMatchObject({ message: 'declaration_received', data: { receivedAt } });
  const receipt = (await billingMail(host, { email }, 'cancel_received')).text;
  for (const part of ['2 mars 2026', '11:00', 'Je résilie mon contrat']) expect(receipt).toContain(part);
  host.clock.advance(60_000);
  const repeated = await declare('cancel', { ...GOOD, email, locale: 'fr', key: 'the-same-form' });
  expect(repeated.body.data).toMatchObject({ receivedAt });
  expect(await host.db.orm.select().from(declarations)).toHaveLength(1);
});

test('a corrected declaration with the same key is a new declaration', async () => {
  const bought = await buy(host);
  const { email, accountId, reference } = bought;
  const declared = { name: 'Somebody Else', email, key: 'the-same-form', confirmed: true };
  await declare('cancel', { ...declared, reference: 'Q-WRONG' });
  for (const _ of ['click', 'click']) await declare('cancel', { ...declared, reference });
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).cancelAtPeriodEnd).toBe(true);
  const mails = await billingMails(host, bought);
  expect(mails.filter((template) => template === 'cancel_received')).toHaveLength(2);
});

test('the response is the same with and without a contract; only the mails differ', async () => {
  const { body, email } = await buy(host);
  const known = await declare('withdraw', { name: body.name, email, confirmed: true });
  const unknown = await declare('withdraw', {
    name: body.name,
    email: 'stranger@shop.example',
    confirmed: true,
  });
  const shape = ({ status, body: answer }: typeof known) => [
    status,
    answer.status,
    answer.message,
    Object.keys(answer.data ?? {}),
  ];
  expect(shape(known)).toEqual(shape(unknown));
  await host.runBilling();
  expect(await billingMails(host, { email })).toEqual([
    'order_confirmed',
    'withdraw_received',
    'declaration_waiting',
  ]);
  expect(await billingMails(host, { email: 'stranger@shop.example' })).toEqual([
    'withdraw_received',
    'declaration_unmatched',
  ]);
});

test('an e-mail address finds a contract only with the name, in any order and case, or the reference', async () => {
  const bought = await buy(host);
  const { email, accountId, body, reference } = bought;
  await declare('cancel', { name: 'Somebody Else', email, confirmed: true });
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).cancelAtPeriodEnd).toBe(false);
  expect(await billingMails(host, bought)).toContain('declaration_unmatched');
  await declare('cancel', {
    name: 'Somebody Else',
    email,
    reference: reference.toLowerCase(),
    confirmed: true,
  });
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).cancelAtPeriodEnd).toBe(true);
  const other = await buy(host);
  const turned = other.body.name.split(' ').reverse().join('  ').toUpperCase();
  await declare('cancel', { name: turned, email: other.email.toUpperCase(), confirmed: true });
  await host.runBilling();
  expect(await billingMails(host, other)).toContain('declaration_waiting');
  expect((await billingMail(host, { email }, 'canceled')).text).toContain('4 March 2026');
  expect(body.name).not.toBe(other.body.name);
});

test('a withdrawal in time ends access at once and refunds everything, with a credit note', async () => {
  const bought = await buy(host);
  const { email, body, accountId, reference } = bought;
  await onboard(host, email);
  expect((await view(host, await signIn(host, email))).withdrawReason).toBe('withdrawal');
  await advance(host, '3d');
  const token = await signIn(host, email);
  expect((await view(host, token)).withdrawReason).toBe('money_back');
  const declared = await declare('withdraw', { name: body.name, email, reference, confirmed: true });
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).status).toBe('canceled');
  expect(await view(host, token)).toMatchObject({
    running: false,
    withdrawUntil: null,
    withdrawReason: null,
  });
  expect(await transactions(host, token)).toMatchObject([
    {
      status: 'refunded',
      amountCents: 990,
      refundedCents: 990,
      creditNote: { path: '/api/invoices/A2026-000001.pdf' },
    },
  ]);
  // Declared on Thursday 5 March: three to ten business days, capped by law at fourteen days.
  const dates = {
    from: expect.stringMatching(/^2026-03-10T/),
    until: expect.stringMatching(/^2026-03-19T/),
  };
  // Who is not signed in is told the date without that limit.
  const later = expect.stringMatching(/^2026-03-20T/);
  expect(declared.body.data).toMatchObject({ refund: { ...dates, until: later } });
  expect(await transactions(host, token)).toMatchObject([{ refund: { amountCents: 990, ...dates } }]);
  const reported = (await billingMail(host, { email }, 'withdrawn')).text;
  for (const part of ['€9.90', '10 March 2026', '19 March 2026']) expect(reported).toContain(part);
  const refunded = (await host.mails()).find(
    ({ to, template }) => to === email && template === 'billing-mail.refunded',
  );
  expect(refunded?.attachments.map(({ filename }) => filename)).toEqual(['A2026-000001.pdf']);
  await declare('withdraw', { name: body.name, email, confirmed: true });
  await host.runBilling();
  expect(await billingMails(host, bought)).toContain('already_ended');
  const [refundedOne] = await transactions(host, token);
  const until = Date.parse(refundedOne?.refund?.until ?? '');
  host.clock.set(new Date(until - 1));
  expect(await transactions(host, await signIn(host, email))).toMatchObject([{ refund: dates }]);
  host.clock.set(new Date(until));
  expect(await transactions(host, await signIn(host, email))).toMatchObject([{ refund: null }]);
  await advance(host, '26d');
});

test('a late withdrawal changes nothing and says when the period ended', async () => {
  const bought = await buy(host);
  const { email, body, accountId } = bought;
  await onboard(host, email);
  await advance(host, '20d');
  await declare('withdraw', { name: body.name, email, confirmed: true });
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).status).toBe('active');
  expect(await billingMails(host, bought)).toContain('withdraw_late');
  expect((await view(host, await signIn(host, email))).withdrawUntil).toBeNull();
});

test('a professional has the money-back promise for the first payment, once', async () => {
  const company = { professional: true, company: 'Atelier', siret: '73282932000074' };
  const bought = await buy(host, { ...company, trial: false });
  const { email, reference } = bought;
  await declare('withdraw', { name: 'Atelier', email, reference, confirmed: true });
  await host.runBilling();
  expect((await subscriptionOf(host, bought.accountId)).status).toBe('canceled');
  expect(await billingMails(host, bought)).toContain('refunded');
  const token = await onboard(host, email);
  const again = await buy(host, { ...company, trial: false, email }, 'good', token);
  await declare('withdraw', { name: 'Atelier', email, reference: again.reference, confirmed: true });
  await host.runBilling();
  expect((await subscriptionOf(host, again.accountId)).status).toBe('active');
  const refusal = (await billingMail(host, { email }, 'withdraw_late')).text;
  expect(refusal).toContain('our money-back promise covers the first payment only');
  expect(refusal).not.toMatch(/–|time to withdraw/);
});

test('a late withdrawal from an ended contract is told that it has ended, not that it continues', async () => {
  const bought = await buy(host);
  const { email, body, reference } = bought;
  const declared = { name: body.name, email, reference, confirmed: true };
  await advance(host, '20d');
  await declare('cancel', declared);
  await advance(host, '20d');
  await declare('withdraw', declared);
  await host.runBilling();
  expect(await billingMails(host, bought)).not.toContain('withdraw_late');
  expect((await billingMail(host, { email }, 'already_ended')).text).toContain(
    '“Basic, monthly” had already ended on',
  );
});

test('a cancellation of a contract that ended unpaid is told so, not that it ended as requested', async () => {
  const bought = await buy(host, {}, 'neverAgain');
  const { email, body, reference } = bought;
  await advance(host, '20d');
  await declare('cancel', { name: body.name, email, reference, confirmed: true });
  await host.runBilling();
  expect(await billingMails(host, bought)).not.toContain('contract_ended');
  expect((await billingMail(host, { email }, 'already_ended')).text).toContain('could not be charged');
});

test('a refund that the bank returns is sent again, with one credit note', async () => {
  const bought = await buy(host, { trial: false }, '4000000000005126' as 'good');
  const { body, email, reference } = bought;
  await declare('withdraw', { name: body.name, email, reference, confirmed: true });
  await host.runBilling();
  await advance(host, '47h');
  const own = eq(payments.accountId, bought.accountId);
  const read = async () => {
    const [row] = await host.db.orm
      .select()
      .from(refunds)
      .innerJoin(payments, eq(payments.id, refunds.paymentId))
      .where(own);
    const documents = await host.db.orm
      .select()
      .from(invoices)
      .where(eq(invoices.accountId, bought.accountId));
    return { refund: row?.refunds, notes: documents.filter(({ series }) => series === 'A').length };
  };
  expect(await read()).toMatchObject({ refund: { status: 'failed', attempts: 1 }, notes: 1 });
  await advance(host, '1h');
  expect(await read()).toMatchObject({ refund: { status: 'succeeded', attempts: 1 }, notes: 1 });
  expect(await billingMails(host, bought)).toEqual(expect.arrayContaining(['refunded']));
  expect((await billingMails(host, bought)).filter((name) => name === 'refunded')).toHaveLength(1);
});

test('declarations are rate limited per e-mail address', async () => {
  const body = { ...GOOD, email: 'flooded@shop.example' };
  const statuses: number[] = [];
  for (let turn = 0; turn < 7; turn += 1) statuses.push((await declare('cancel', body)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
});

test('strangers do not use up the declarations of a signed-in owner', async () => {
  const { body, email } = await buy(host);
  const token = await onboard(host, email);
  const declared = { name: body.name, email, confirmed: true };
  for (let turn = 0; turn < 5; turn += 1) expect((await declare('cancel', declared)).status).toBe(200);
  expect((await declare('cancel', declared)).status).toBe(429);
  const own = await send(host, 'POST', '/api/contract/cancel', declared, { token });
  expect(own.status).toBe(200);
});
