import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAccountByEmail } from '#host/accounts/store';
import { listAddresses } from '#host/addresses/store';
import { codes } from '#host/db/codes.tables';
import { paymentMethods, sandboxObjects } from '#host/db/payments.tables';
import { orders } from '#host/db/subscriptions.tables';
import { findOrderByIntent } from '#host/subscriptions/order/store';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  act,
  advance,
  billingMail,
  buy,
  checkout,
  enterCard,
  onboard,
  type Placed,
  placeOrder,
  signIn,
  statusOf,
  subscriptionOf,
} from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const templatesTo = async (to: string) =>
  (await host.mails()).filter((mail) => mail.to === to).map(({ template }) => template);

test.each([
  ['empty', ''],
  ['left out', undefined],
])('country and postcode are reported as missing together (country %s)', async (_, country) => {
  const answered = await send(host, 'POST', '/api/subscriptions', checkout({ country, zip_code: ' ' }));
  expect(answered.body.errors).toEqual({ country: ['country_required'], zip_code: ['zip_code_required'] });
});

test('with a captcha an order needs a token, and a repeated post does not need a second one', async () => {
  const requested: string[] = [];
  const guarded = await createTestHost({
    captcha: async ({ token, action }) => requested.push(`${action} ${token}`) === 1,
  });
  const order = (fields: Record<string, unknown>) =>
    send(guarded, 'POST', '/api/subscriptions', checkout({ name: 'Ada Byron', ...fields }));
  expect((await order({})).body.errors).toEqual({ captcha: ['captcha_failed'] });
  const form = { email: 'ada@shop.example', key: 'the-same-form', captcha: 'token-1' };
  expect((await order(form)).status).toBe(201);
  expect((await order(form)).status).toBe(201);
  expect((await order({ captcha: 'token-2' })).body.errors).toEqual({ captcha: ['captcha_failed'] });
  expect(requested).toEqual(['subscribe token-1', 'subscribe token-2']);
  await guarded.close();
});

test('an order opens the card page, and its card creates an account, a trial, a confirmation and a sign-in link', async () => {
  const body = checkout({ locale: 'fr' });
  const placed = await placeOrder(host, body);
  expect(placed.redirectUrl).toMatch(/^http:\/\/127\.0\.0\.1:4000\/sandbox\/pay\/seti_[\w-]{24}$/);
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'pending', failure: null });
  expect(await findAccountByEmail(host.db.orm, body.email)).toBeNull();
  const answered = await enterCard(host, placed.redirectUrl, 'good', body.name);
  expect(answered.status).toBe(303);
  expect(answered.headers.get('location')).toBe(
    `https://www.quadrille.example/payment-success?payment_intent=${placed.paymentIntent}`,
  );
  const trialEnd = new Date(host.clock.now().getTime() + 48 * 3_600_000).toISOString();
  const status = await statusOf(host, placed.paymentIntent);
  expect(status).toMatchObject({
    state: 'succeeded',
    offer: 'basic_monthly',
    amountCents: 990,
    currency: 'EUR',
    firstChargeAt: trialEnd,
    email: 'b•••@shop.example',
  });
  expect(await templatesTo(body.email)).toEqual(['account-mail.onboarding', 'billing-mail.order_confirmed']);
  const [order] = await host.db.orm
    .select()
    .from(orders)
    .where(eq(orders.paymentIntent, placed.paymentIntent));
  expect(order).toMatchObject({ status: 'complete', trialHours: 48, consentIp: '127.0.0.1' });
  expect(order?.termsVersion).toMatch(/^[0-9a-f]{64}$/);
  const [address] = await listAddresses(host.db.orm, order?.ownerId ?? '');
  expect(address).toMatchObject({ street: '1 rue du Papier', postalCode: '75011', isDefault: true });
  const confirmation = (await host.mails()).find(
    ({ to, attachments }) => to === body.email && attachments.length,
  );
  const [terms] = confirmation?.attachments ?? [];
  const text = Buffer.from(terms?.content ?? '', 'base64').toString();
  expect(status.reference).toMatch(/^Q-[0-9A-Z]{5}-[0-9A-Z]{5}$/);
  expect(terms?.filename).toBe(`commande-${status.reference}.txt`);
  for (const part of [
    body.name,
    '9,90',
    'Carreau SAS',
    'Droit de rétractation',
    'de rétractation',
    'L. 221-28',
  ]) {
    expect(text.replace(/[\u00a0\u202f]/g, ' ')).toContain(part);
  }
  expect(text).not.toContain('{{');
});

test('the same key is one order and one card page, however often it is sent', async () => {
  const body = checkout();
  const placed = await Promise.all([1, 2, 3].map(() => placeOrder(host, body)));
  expect(new Set(placed.map(({ paymentIntent }) => paymentIntent)).size).toBe(1);
  expect(new Set(placed.map(({ redirectUrl }) => redirectUrl)).size).toBe(1);
  const other = await placeOrder(host, { ...checkout(), key: body.key });
  expect(other.paymentIntent).not.toBe(placed[0]?.paymentIntent);
});

test('neither the number nor the security code of a card is stored', async () => {
  const { accountId, body } = await buy(host);
  const [method] = await host.db.orm
    .select()
    .from(paymentMethods)
    .where(eq(paymentMethods.accountId, accountId));
  expect(method).toMatchObject({ brand: 'visa', last4: '4242', expMonth: 12, expYear: 2034 });
  const stored = JSON.stringify([method, await host.db.orm.select().from(sandboxObjects)]);
  expect(stored).toContain(body.name);
  expect(stored).not.toMatch(/4242424242424242|"123"/);
});

test('an address with an active subscription gets the same response as any other, and its owner is notified', async () => {
  const { email } = await buy(host);
  const body = checkout({ email });
  const placed = await placeOrder(host, body);
  expect(Object.keys(placed).sort()).toEqual(['paymentIntent', 'redirectUrl']);
  expect((await templatesTo(email))[0]).toBe('billing-mail.order_known');
  await enterCard(host, placed.redirectUrl, 'good', 'A Stranger');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'succeeded', failure: null });
  await host.runBilling();
  const [order] = await host.db.orm
    .select()
    .from(orders)
    .where(eq(orders.paymentIntent, placed.paymentIntent));
  expect(order).toMatchObject({ status: 'refused', subscriptionId: null });
  const cards = await host.db.orm
    .select()
    .from(sandboxObjects)
    .where(eq(sandboxObjects.customerId, order?.customerId ?? ''));
  expect(cards.filter(({ kind }) => kind === 'method')).toEqual([]);
});

test('of two orders for one address with entered cards, one becomes a subscription', async () => {
  const first = checkout();
  const second = { ...checkout(), email: first.email };
  const [one, two] = [await placeOrder(host, first), await placeOrder(host, second)];
  await Promise.all([
    enterCard(host, one.redirectUrl, 'good', first.name),
    enterCard(host, two.redirectUrl, 'good', second.name),
  ]);
  const made = await host.db.orm.select().from(orders).where(eq(orders.email, first.email));
  expect(made.map(({ status }) => status).sort()).toEqual(['complete', 'refused']);
});

test('a second trial with the same address, even with another tag, is refused, and its owner is notified', async () => {
  const { email, accountId } = await buy(host);
  const token = await onboard(host, email);
  await send(host, 'POST', '/api/account/subscription/cancel', undefined, { token });
  host.clock.advance(49 * 3_600_000);
  await host.runBilling();
  expect((await subscriptionOf(host, accountId)).status).toBe('canceled');
  const tagged = email.replace('@', '+again@').toUpperCase();
  const placed = await placeOrder(host, checkout({ email: tagged }));
  expect(await templatesTo(tagged)).toEqual(['billing-mail.trial_used']);
  const linkTo = async (to: string) => (await billingMail(host, { email: to }, 'trial_used')).text;
  expect(await linkTo(tagged)).toContain('.example/subscribe/basic_monthly?trial=no');
  await placeOrder(host, checkout({ email }));
  expect(await linkTo(email)).toContain('.example/user/subscription/order/basic_monthly?trial=no');
  await enterCard(host, placed.redirectUrl);
  expect(await findAccountByEmail(host.db.orm, tagged)).toBeNull();
});

test('a second trial with the same card fails with that reason; without a trial the order is charged at once', async () => {
  const { body } = await buy(host);
  const again = checkout();
  const placed = await placeOrder(host, again);
  await enterCard(host, placed.redirectUrl, 'good', body.name);
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({
    state: 'failed',
    failure: 'trial_used',
  });
  expect(await findAccountByEmail(host.db.orm, again.email)).toBeNull();
  const paid = await placeOrder(host, { ...checkout({ trial: false }), email: again.email });
  await enterCard(host, paid.redirectUrl, 'good', body.name);
  expect(await statusOf(host, paid.paymentIntent)).toMatchObject({ state: 'succeeded', firstChargeAt: null });
  await host.runBilling();
  expect(await templatesTo(again.email)).toEqual([
    'billing-mail.receipt',
    'account-mail.onboarding',
    'billing-mail.order_paid',
  ]);
});

test('an order without a trial whose card is declined fails and can be placed again', async () => {
  const body = checkout({ trial: false });
  const placed = await placeOrder(host, body);
  await enterCard(host, placed.redirectUrl, 'neverAgain', body.name);
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({
    state: 'failed',
    failure: 'card_declined',
  });
  expect(await templatesTo(body.email)).toEqual([]);
  const again = await placeOrder(host, { ...body, key: 'another-key' });
  await enterCard(host, again.redirectUrl, 'good', body.name);
  expect(await statusOf(host, again.paymentIntent)).toMatchObject({ state: 'succeeded' });
});

test('signed in, a lapsed account subscribes for itself, with its design, whatever e-mail address is typed', async () => {
  const account = await host.account({ access: false });
  const form = new FormData();
  const visitor = 'a browser with a long random key';
  form.set('visitor', visitor);
  form.set('fields', JSON.stringify({ type: 'text', content: 'Hello' }));
  const draft = (await (await host.request('/api/drafts', { method: 'POST', body: form })).json()).data.id;
  const body = checkout({ draft, visitor });
  const placed = await placeOrder(host, body, account.token);
  await enterCard(host, placed.redirectUrl, 'good', body.name);
  expect((await subscriptionOf(host, account.id)).status).toBe('trialing');
  expect(await host.db.orm.select().from(codes).where(eq(codes.accountId, account.id))).toHaveLength(1);
  expect(await findAccountByEmail(host.db.orm, body.email)).toBeNull();
  const again = await send(host, 'POST', '/api/subscriptions', checkout(), { token: account.token });
  expect(again.status).toBe(409);
  const refused = await send(host, 'POST', '/api/subscriptions', checkout(), { token: 'nonsense' });
  expect(refused.status).toBe(401);
});

test('an unfinished card page expires after a day, and the order fails', async () => {
  const placed = await placeOrder(host, checkout());
  host.clock.advance(26 * 3_600_000);
  await host.runBilling();
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'failed', failure: 'expired' });
  expect((await enterCard(host, placed.redirectUrl)).status).toBe(404);
});

test('the provider deletes the customer of an abandoned card page, but keeps one that an account uses', async () => {
  const customerOf = async (placed: Placed) => {
    const order = await findOrderByIntent(host.db.orm, placed.paymentIntent);
    const [customer] = await host.db.orm
      .select({ id: sandboxObjects.id, data: sandboxObjects.data })
      .from(sandboxObjects)
      .where(eq(sandboxObjects.id, order?.customerId ?? ''));
    return customer;
  };
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  await act(host, token, 'cancel');
  await advance(host, '49h');
  const [abandoned, again] = [
    await placeOrder(host, checkout()),
    await placeOrder(host, checkout({ trial: false }), await signIn(host, bought.email)),
  ];
  const before = [await customerOf(abandoned), await customerOf(again)];
  expect(before[1]).toEqual(await customerOf(bought.placed));
  for (const customer of before)
    expect(customer?.data).toMatchObject({ email: expect.stringContaining('@') });
  await advance(host, '26h');
  expect(await customerOf(abandoned)).toMatchObject({ data: { email: '', name: '' } });
  expect(await customerOf(again)).toEqual(before[1]);
});

test.each(['pi_unknown', `pi_${'x'.repeat(32)}`, '', 7, null])(
  'an unknown payment intent is not found (%j)',
  async (id) => {
    const answered = await send(host, 'POST', '/api/transactions/check_pi_status', { payment_intent_id: id });
    expect([404, 422]).toContain(answered.status);
  },
);
