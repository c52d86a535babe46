import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAccountByEmail } from '#host/accounts/store';
import { hadTrial } from '#host/subscriptions/order/trials';
import { createTestHost, type TestHost } from '../../support/host';
import { mailedToken, send } from '../../support/json-calls';
import { buy, onboard, statusOf, view } from '../../support/ordering';

const VISITOR = 'the long random key of one browser';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const newAddress = () => `${randomUUID()}@right.example`;

const resend = (payment_intent_id: string) =>
  send(host, 'POST', '/api/subscriptions/mail', { payment_intent_id });

const correct = (payment_intent_id: string, email: string, visitor = VISITOR) =>
  send(host, 'POST', '/api/subscriptions/email', { payment_intent_id, visitor, email });

async function statusFor(payment_intent_id: string, visitor?: string) {
  const path = '/api/transactions/check_pi_status';
  const { body } = await send(host, 'POST', path, { payment_intent_id, visitor });
  return body.data as { email: string; canResend: boolean; canCorrect: boolean };
}

async function templatesTo(email: string): Promise<string[]> {
  const mails = (await host.mails()).filter(({ to }) => to === email);
  return mails.map(({ template }) => template.replace(/^.*\./, '')).sort();
}

test('the mails of an order are resent, with a new link that replaces the first, three times an hour', async () => {
  const { email, placed } = await buy(host);
  const first = await mailedToken(host, email);
  host.clock.advance(1_000);
  expect((await resend(placed.paymentIntent)).body).toMatchObject({ message: 'order_mail_sent' });
  expect(await templatesTo(email)).toEqual([
    'onboarding',
    'onboarding',
    'order_confirmed',
    'order_confirmed',
  ]);
  expect(await mailedToken(host, email)).not.toBe(first);
  const old = await send(host, 'POST', '/api/account/mail-token', { token: first, purpose: 'onboarding' });
  expect(old.body.errors).toEqual({ token: ['token_expired'] });
  const more = [await resend(placed.paymentIntent), await resend(placed.paymentIntent)];
  expect(more.map(({ status }) => status)).toEqual([200, 200]);
  expect((await resend(placed.paymentIntent)).status).toBe(429);
});

test('mails are resent within a day of the order, and never for an order that does not exist', async () => {
  const { email, placed } = await buy(host);
  host.clock.advance(24 * 3_600_000 - 1);
  expect((await resend(placed.paymentIntent)).status).toBe(200);
  host.clock.advance(1);
  expect(await statusFor(placed.paymentIntent)).toMatchObject({ canResend: false });
  const sent = await templatesTo(email);
  expect((await resend(placed.paymentIntent)).status).toBe(404);
  expect((await resend(placed.paymentIntent.replace(/.{8}$/, '00000000'))).status).toBe(404);
  expect(await templatesTo(email)).toEqual(sent);
});

test('once the account is set up, only the confirmation is resent, and no link', async () => {
  const { email, placed } = await buy(host);
  await onboard(host, email);
  host.clock.advance(1_000);
  await resend(placed.paymentIntent);
  expect(await templatesTo(email)).toEqual(['onboarding', 'order_confirmed', 'order_confirmed']);
});

test('a corrected address gets confirmation and link; the old one is notified and its link invalidated', async () => {
  const { email, placed, body } = await buy(host, { visitor: VISITOR });
  const old = await mailedToken(host, email);
  expect(await statusFor(placed.paymentIntent, VISITOR)).toMatchObject({ canCorrect: true });
  const right = newAddress();
  expect((await correct(placed.paymentIntent, right)).body).toMatchObject({
    message: 'order_email_corrected',
  });
  expect(await templatesTo(right)).toEqual(['onboarding', 'order_confirmed']);
  expect(await templatesTo(email)).toEqual(['onboarding', 'order_confirmed', 'order_moved']);
  const used = await send(host, 'POST', '/api/account/mail-token', { token: old, purpose: 'onboarding' });
  expect(used.body.errors).toEqual({ token: ['token_expired'] });
  expect((await statusOf(host, placed.paymentIntent)).email).toBe(`${right[0]}•••@right.example`);
  const token = await onboard(host, right);
  expect(await view(host, token)).toMatchObject({ status: 'trialing' });
  expect(await findAccountByEmail(host.db.orm, email)).toBeNull();
  // The trial moved with the order, so the owner of the old address has not had one.
  const stranger = await buy(host, { email, name: 'Somebody Else' });
  expect(stranger.accountId).not.toBe((await findAccountByEmail(host.db.orm, right))?.id);
  expect(body.email).toBe(email);
});

test.each([
  ['another browser', async () => ({ visitor: 'the long random key of another browser' })],
  ['the browser a day later', async () => host.clock.advance(25 * 3_600_000)],
])('%s cannot correct the address', async (_, prepare) => {
  const { email, placed } = await buy(host, { visitor: VISITOR });
  const { visitor } = ((await prepare()) ?? {}) as { visitor?: string };
  expect((await correct(placed.paymentIntent, newAddress(), visitor)).status).toBe(404);
  expect(await statusFor(placed.paymentIntent, visitor ?? VISITOR)).toMatchObject({ canCorrect: false });
  expect(await templatesTo(email)).not.toContain('order_moved');
});

test('an order placed without a browser key cannot be corrected', async () => {
  const { placed } = await buy(host);
  expect((await correct(placed.paymentIntent, newAddress())).status).toBe(404);
});

test('an account that is set up or existed before keeps its address, and the response does not reveal that', async () => {
  const setUp = await buy(host, { visitor: VISITOR });
  await onboard(host, setUp.email);
  const signedIn = await buy(host, { visitor: VISITOR });
  await host.token((await findAccountByEmail(host.db.orm, signedIn.email))?.id ?? '', signedIn.email);
  const known = await host.account({ access: false });
  const taken = await buy(host, { visitor: VISITOR, email: known.email });
  const free = await buy(host, { visitor: VISITOR });
  const answers = [];
  for (const { placed } of [setUp, signedIn, taken, free]) {
    answers.push((await correct(placed.paymentIntent, newAddress())).body);
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  for (const { email } of [setUp, signedIn, taken])
    expect(await templatesTo(email)).not.toContain('order_moved');
  expect(await templatesTo(free.email)).toContain('order_moved');
});

test('an address that has an account is notified, and gets neither order nor link', async () => {
  const known = await host.account();
  const { email, placed } = await buy(host, { visitor: VISITOR });
  await correct(placed.paymentIntent, known.email);
  expect(await templatesTo(known.email)).toEqual(['order_address_taken']);
  expect(await findAccountByEmail(host.db.orm, email)).not.toBeNull();
});

test('correcting a second order of an account that is not set up does not move the first one', async () => {
  const first = await buy(host, { trial: false });
  await send(host, 'POST', '/api/contract/withdraw', {
    name: first.body.name,
    email: first.email,
    reference: first.reference,
    confirmed: true,
  });
  await host.runBilling();
  const second = await buy(host, { trial: false, email: first.email, visitor: VISITOR });
  const link = { token: await mailedToken(host, first.email), decision: 'confirm' };
  await send(host, 'POST', '/api/subscriptions/held/decision', link);
  expect((await statusFor(second.placed.paymentIntent, VISITOR)).canCorrect).toBe(true);
  const wanted = newAddress();
  expect((await correct(second.placed.paymentIntent, wanted)).status).toBe(200);
  expect(await templatesTo(first.email)).not.toContain('order_moved');
  expect((await findAccountByEmail(host.db.orm, first.email))?.id).toBe(second.accountId);
  expect(await findAccountByEmail(host.db.orm, wanted)).toBeNull();
});

test('the address of an order placed signed in cannot be corrected on the page of the order', async () => {
  const { token, email } = await host.account({ access: false });
  const { placed } = await buy(host, { visitor: VISITOR, email }, 'good', token);
  expect((await statusFor(placed.paymentIntent, VISITOR)).canCorrect).toBe(false);
  expect((await correct(placed.paymentIntent, newAddress())).status).toBe(404);
});

test('an address corrected to another of the same mailbox has used up its trial', async () => {
  const right = newAddress();
  const { placed } = await buy(host, { visitor: VISITOR, email: right.replace('@', '+typo@') });
  expect((await correct(placed.paymentIntent, right)).status).toBe(200);
  expect(await templatesTo(right)).toContain('order_confirmed');
  expect(await hadTrial(host.db.orm, { email: right, accountId: null })).toBe(true);
});
