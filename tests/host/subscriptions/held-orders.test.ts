import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertPasskey } from '#host/accounts/passkeys';
import { accounts } from '#host/db/accounts.tables';
import { emit } from '#host/payment-sandbox/events';
import { findMethod } from '#host/payments/store';
import { linkIdentity } from '#host/sign-in/identities';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import {
  advance,
  billingMails,
  checkout,
  enterCard,
  placeOrder,
  signIn,
  statusOf,
  subscriptionOf,
  transactions,
} from '../../support/ordering';
import { decide, lapsed, linkOf, orderAs, orderOf } from './strangers-orders';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test('an order with a lapsed account’s address changes nothing until the owner confirms it', async () => {
  const owner = await lapsed(host, { locale: 'fr' });
  const before = await findMethod(host.db.orm, owner.accountId);
  const placed = await orderAs(host, owner.email, { locale: 'de' });
  await host.runBilling();
  expect(await findMethod(host.db.orm, owner.accountId)).toEqual(before);
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('canceled');
  expect(await transactions(host, await signIn(host, owner.email))).toEqual([]);
  expect(await orderOf(host, placed.paymentIntent)).toMatchObject({
    status: 'unconfirmed',
    subscriptionId: null,
  });
  const mail = (await host.mails()).find(
    ({ to, template }) => to === owner.email && template.includes('held'),
  );
  const text = (mail?.text ?? '').replace(/[\u00a0\u202f]/g, ' ');
  for (const part of ['Cette commande vient-elle de vous ?', '9,90 €', '/confirm-order?token=']) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain('Stranger');
});

const setPasswordHash = (id: string, passwordHash: string | null) =>
  host.db.orm.update(accounts).set({ passwordHash }).where(eq(accounts.id, id));

/** Each of these is the only way to sign in to an account that never had a contract. */
const onlySignIns: [name: string, add: (accountId: string) => Promise<unknown>][] = [
  ['a password', (id) => setPasswordHash(id, 'hash')],
  [
    'Google',
    (id) => {
      const identity = {
        issuer: 'https://accounts.google.com',
        subject: randomUUID(),
        email: 'ada@gmail.com',
      };
      return linkIdentity(host.db.orm, id, identity, host.clock.now());
    },
  ],
  [
    'a passkey',
    (accountId) =>
      insertPasskey(host.db.orm, {
        id: randomUUID(),
        accountId,
        credentialId: randomUUID(),
        publicKey: Buffer.of(1),
        counter: 0,
        transports: [],
        name: 'Phone',
        createdAt: host.clock.now(),
        lastUsedAt: null,
      }),
  ],
];

test.each(onlySignIns)(
  'an order with the address of an account that only has %s waits for its owner',
  async (_, addSignIn) => {
    const { id, email } = await host.account({ access: false });
    await setPasswordHash(id, null);
    await addSignIn(id);
    const placed = await orderAs(host, email);
    expect(await orderOf(host, placed.paymentIntent)).toMatchObject({
      status: 'unconfirmed',
      subscriptionId: null,
    });
  },
);

test('an order with the address of an account that nobody can sign in to needs no confirmation', async () => {
  const { id, email } = await host.account({ access: false });
  await setPasswordHash(id, null);
  const placed = await orderAs(host, email);
  expect((await orderOf(host, placed.paymentIntent)).status).toBe('complete');
});

test('the person who ordered sees the same as with an unused address', async () => {
  const owner = await lapsed(host);
  const held = await statusOf(host, (await orderAs(host, owner.email)).paymentIntent);
  const fresh = await statusOf(host, (await orderAs(host, `new-${owner.email}`)).paymentIntent);
  const same = ({ reference: _, email: __, ...reported }: Record<string, unknown>) => reported;
  expect(same(held)).toEqual(same(fresh));
});

test.each([
  ['confirm', 'confirmed'],
  ['discard', 'over'],
])(
  'the response to the decision to %s an order names its payment only if it is fulfilled',
  async (decision, state) => {
    const owner = await lapsed(host);
    const { paymentIntent } = await orderAs(host, owner.email);
    const body = { token: await linkOf(host, owner.email), decision };
    const decided = await send(host, 'POST', '/api/subscriptions/held/decision', body);
    expect(decided.body.data).toEqual({ state, paymentIntent: state === 'confirmed' ? paymentIntent : null });
  },
);

test('a repeated webhook does not fulfil a held order', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const { setupId } = await orderOf(host, placed.paymentIntent);
  await emit(host.db.orm, host.deps.random, 'setup.succeeded', setupId ?? '', host.clock.now());
  await host.runBilling();
  expect(await orderOf(host, placed.paymentIntent)).toMatchObject({
    status: 'unconfirmed',
    subscriptionId: null,
  });
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('canceled');
});

test('the trial of an account that never had one begins with the confirmation', async () => {
  const account = await host.account({ access: false });
  await orderAs(host, account.email, { trial: true });
  expect(await billingMails(host, account)).toEqual(['order_held_trial']);
  host.clock.advance(5 * 3_600_000);
  expect(await decide(host, await linkOf(host, account.email), 'confirm')).toBe('confirmed');
  const { status, trialEnd } = await subscriptionOf(host, account.id);
  expect([status, trialEnd?.getTime()]).toEqual(['trialing', host.clock.now().getTime() + 48 * 3_600_000]);
});

test('a confirmed order whose card is refused charges nothing and leaves no contract', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email, { card: 'neverAgain' });
  expect(await decide(host, await linkOf(host, owner.email), 'confirm')).toBe('confirmed');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({
    state: 'failed',
    failure: 'card_declined',
  });
});

test('a confirmed order with a pending charge can no longer be discarded or expire after a week', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email, { card: '4000000000001034' });
  const token = await linkOf(host, owner.email);
  expect(await decide(host, token, 'confirm')).toBe('confirmed');
  expect(await decide(host, token, 'discard')).toBe('confirmed');
  expect(await statusOf(host, placed.paymentIntent)).toMatchObject({ state: 'pending' });
  await advance(host, '8d');
  expect(await orderOf(host, placed.paymentIntent)).toMatchObject({ status: 'complete', failure: null });
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('active');
  const kept = (await findMethod(host.db.orm, owner.accountId))?.customerId ?? '';
  expect(await host.deps.payments.findCard(kept)).not.toBeNull();
});

test('after a failed order only, the next order with that address needs no confirmation', async () => {
  const body = checkout({ trial: false });
  const first = await placeOrder(host, body);
  await enterCard(host, first.redirectUrl, 'neverAgain', body.name);
  await orderAs(host, body.email);
  expect(await billingMails(host, body)).toContain('order_paid');
});

test('an order held for a mistyped address is moved when the address is corrected', async () => {
  const owner = await lapsed(host);
  const visitor = 'a browser with a long random key';
  const placed = await orderAs(host, owner.email, { visitor });
  const wrong = await linkOf(host, owner.email);
  const email = `right-${owner.email}`;
  const correction = { payment_intent_id: placed.paymentIntent, visitor, email };
  expect((await send(host, 'POST', '/api/subscriptions/email', correction)).status).toBe(200);
  expect(await decide(host, wrong, 'confirm')).toEqual({ token: ['token_unknown'] });
  expect(await decide(host, await linkOf(host, email), 'confirm')).toBe('confirmed');
  await host.runBilling();
  expect(await billingMails(host, { email })).toContain('order_paid');
  expect((await subscriptionOf(host, owner.accountId)).status).toBe('canceled');
});

test('the mail of a held order is resent with a link that replaces the previous one', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const first = await linkOf(host, owner.email);
  const again = await send(host, 'POST', '/api/subscriptions/mail', {
    payment_intent_id: placed.paymentIntent,
  });
  expect(again.status).toBe(200);
  expect(await decide(host, first, 'confirm')).toEqual({ token: ['token_unknown'] });
  expect(await decide(host, await linkOf(host, owner.email), 'discard')).toBe('over');
});

test('an erased account leaves no held order', async () => {
  const owner = await lapsed(host);
  const placed = await orderAs(host, owner.email);
  const link = await linkOf(host, owner.email);
  const token = await signIn(host, owner.email);
  await send(host, 'DELETE', '/api/account', { password: 'three quiet lamps over water' }, { token });
  expect(await orderOf(host, placed.paymentIntent)).toMatchObject({
    status: 'failed',
    failure: 'account_deleted',
  });
  expect(await decide(host, link, 'confirm')).toBe('over');
});
