import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOnboarding } from '#host/accounts/onboarding';
import { rateLimits } from '#host/db/accounts.tables';
import { mails } from '#host/db/mail.tables';
import { deliverDueMails } from '#host/mail/delivery';
import { createTestHost, START, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { billingMail, billingMails, buy, onboard } from '../../support/ordering';

const NAME = 'Visit Our Shop';
const REFERENCE = 'Best Prices';
const MINUTE = 60_000;
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.set(START);
  for (const table of [mails, rateLimits]) await host.db.orm.delete(table);
});
afterAll(() => host.close());

/** Somewhere else each time, unless `network` is given. */
async function declare(what: string, email: string, network: number, fields: object = {}) {
  const body = { name: NAME, reference: REFERENCE, email, confirmed: true, ...fields };
  const headers = { 'x-client-ip': `203.0.${network >> 8}.${network & 255}` };
  const answered = await send(host, 'POST', `/api/contract/${what}`, body, { headers });
  expect(answered.status).toBe(200);
}

const stranger = (number: number) => `stranger-${number}@elsewhere.example`;

async function sentTo(filter: RegExp): Promise<(typeof mails.$inferSelect)[]> {
  await host.runBilling();
  await deliverDueMails(host.deps, host.clock.now());
  const rows = await host.db.orm.select().from(mails);
  return rows.filter(({ to, sentAt }) => filter.test(to) && sentAt !== null);
}

test('200 declarations in the name of 200 people are mailed one after the other, and none is lost', async () => {
  for (let person = 0; person < 200; person += 1) {
    await declare(person % 2 ? 'cancel' : 'withdraw', stranger(person), person);
  }
  const atOnce = await sentTo(/^stranger-/);
  expect(atOnce.length).toBeLessThanOrEqual(40);
  host.clock.advance(MINUTE);
  expect((await sentTo(/^stranger-/)).length - atOnce.length).toBeLessThanOrEqual(10);
  host.clock.advance(38 * MINUTE);
  const all = await sentTo(/^stranger-/);
  for (let person = 0; person < 200; person += 1) {
    const templates = all.filter(({ to }) => to === stranger(person)).map(({ template }) => template);
    const kind = person % 2 ? 'cancel' : 'withdraw';
    expect(templates.sort()).toEqual(
      ['billing-mail.declaration_unmatched', `billing-mail.${kind}_received`].sort(),
    );
  }
  for (const { subject, text, html } of all) {
    for (const entered of [NAME, REFERENCE]) expect(`${subject}${text}${html}`).not.toContain(entered);
  }
});

test('the mails of a customer are sent at once, however many strangers wait, and repeat what was declared', async () => {
  const bought = await buy(host);
  for (let person = 0; person < 30; person += 1) await declare('cancel', stranger(person), person);
  await host.runBilling();
  await declare('cancel', bought.email, 1, { name: bought.body.name });
  await host.runBilling();
  expect(await billingMails(host, bought)).toEqual([
    'order_confirmed',
    'cancel_received',
    'declaration_waiting',
  ]);
  const { text } = await billingMail(host, bought, 'cancel_received');
  for (const part of [bought.body.name, bought.email, REFERENCE]) expect(text).toContain(part);
});

test('the address of an account without a contract of its own, but with a password, is a customer’s', async () => {
  const { email } = await host.account();
  for (let turn = 0; turn < 25; turn += 1) await declare('cancel', stranger(turn), turn);
  await host.runBilling();
  await declare('money-back', email.toUpperCase(), 1);
  expect((await billingMail(host, { email: email.toUpperCase() }, 'money_back_received')).text).toContain(
    NAME,
  );
});

test('one network has ten such mails at once, then one every two minutes', async () => {
  for (let person = 0; person < 12; person += 1) await declare('cancel', stranger(person), 7);
  const receipts = async () =>
    (await sentTo(/^stranger-/)).filter(({ template }) => /_received$/.test(template));
  expect(await receipts()).toHaveLength(10);
  host.clock.advance(2 * MINUTE - 1);
  expect(await receipts()).toHaveLength(10);
  host.clock.advance(1);
  expect(await receipts()).toHaveLength(11);
  host.clock.advance(2 * MINUTE);
  expect(await receipts()).toHaveLength(12);
});

test('a later mail to the same stranger brings no earlier one forward', async () => {
  for (let person = 0; person < 10; person += 1) await declare('cancel', stranger(person), 7);
  await declare('cancel', stranger(99), 7);
  await declare('withdraw', stranger(99), 8);
  expect(await sentTo(/^stranger-99@/)).toEqual([]);
  host.clock.advance(2 * MINUTE);
  const templates = (await sentTo(/^stranger-99@/)).map(({ template }) => template);
  expect(templates).toHaveLength(4);
});

test('receipts of messages to support share the budget', async () => {
  const write = (email: string, network: number) => {
    const form = { email, firstname: 'Ada', lastname: 'Byron', subject: 'other', message: 'A long message' };
    return send(host, 'POST', '/api/tickets', form, { headers: { 'x-client-ip': `198.51.100.${network}` } });
  };
  for (let person = 0; person < 20; person += 1) await declare('cancel', stranger(person), person);
  await host.runBilling();
  const bought = await host.account();
  expect((await write(stranger(50), 1)).status).toBe(201);
  expect((await write(bought.email, 2)).status).toBe(201);
  expect(await sentTo(/^stranger-50@/)).toEqual([]);
  expect(await sentTo(new RegExp(bought.email))).toHaveLength(1);
  expect(await sentTo(/^contact@/)).toHaveLength(2);
  host.clock.advance(6_000);
  expect(await sentTo(/^stranger-50@/)).toMatchObject([{ template: 'mail.ticket_arrived' }]);
});

test('links to set up an account that never had a contract share the budget', async () => {
  const email = 'left-over@elsewhere.example';
  await createOnboarding(host.db.orm, host.deps, { email, locale: 'gb' }, host.clock.now());
  await host.mails();
  for (let person = 0; person < 20; person += 1) await declare('cancel', stranger(person), person);
  await host.runBilling();
  await send(host, 'POST', '/api/account/onboarding/resend', { email });
  const links = async () => (await host.mails()).filter(({ to }) => to === email).length;
  expect(await links()).toBe(1);
  host.clock.advance(6_000);
  expect(await links()).toBe(2);
});

test('the mail about a new address of an account does not contain the address, which its owner typed', async () => {
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  const email = 'victim+visit-our-shop@elsewhere.example';
  const profile = {
    firstName: 'Ada',
    lastName: 'Byron',
    email,
    currentPassword: 'three quiet lamps over water',
  };
  expect((await send(host, 'PUT', '/api/account/profile', profile, { token })).status).toBe(200);
  const [mail] = (await host.mails()).filter(({ to }) => to === email);
  expect(mail?.template).toBe('account-mail.confirm_email');
  expect(`${mail?.subject}${mail?.text}${mail?.html}`).not.toContain('visit-our-shop');
});
