import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emailKey, mailboxOf } from '#host/accounts/account-limits';
import { accounts } from '#host/db/accounts.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { send, subjectsTo } from '../../support/json-calls';
import {
  billingMails,
  buy,
  checkout,
  enterCard,
  onboard,
  placeOrder,
  statusOf,
} from '../../support/ordering';

let host: TestHost;

beforeEach(async () => {
  host = await createTestHost();
});
afterEach(() => host.close());

test.each([
  ['Ada@Shop.Example', 'ada@shop.example'],
  ['ada+news@shop.example', 'ada@shop.example'],
  ['a.da+x+y@shop.example', 'a.da@shop.example'],
  ['A.d.a+x@gmail.com', 'ada@gmail.com'],
  ['ada@googlemail.com', 'ada@gmail.com'],
  ['+ada@shop.example', '+ada@shop.example'],
])('%s is counted as %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
  expect(emailKey(email)).toBe(emailKey(mailbox));
});

const ways = [
  'ada.byron@gmail.com',
  'a.d.a.byron@gmail.com',
  'adabyron+1@gmail.com',
  'Ada.Byron+2@googlemail.com',
];

async function statuses(count: number, ask: (email: string, turn: number) => ReturnType<typeof send>) {
  const answers: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    answers.push((await ask(ways[turn % ways.length] ?? '', turn)).status);
  }
  return answers;
}

const ask = (path: string, email: string) => send(host, 'POST', `/api/account/${path}`, { email });

test('requests for aliases of a mailbox do not keep its owner from requesting links', async () => {
  const { email } = await host.account();
  const [stranger, nobody] = [await host.account(), email.replace('@', '+x@')];
  const change = { firstName: 'A', lastName: 'B', email: nobody, currentPassword: stranger.password };
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await ask('forgot-password', nobody)).status).toBe(200);
    expect((await ask('onboarding/resend', nobody)).status).toBe(200);
    expect((await send(host, 'PUT', '/api/account/profile', change, stranger)).status).toBe(200);
  }
  expect(await subjectsTo(host, email)).toEqual([]);
  expect((await ask('onboarding/resend', email)).status).toBe(200);
  expect((await ask('forgot-password', email)).status).toBe(200);
  expect(await subjectsTo(host, email)).toEqual(['Set a new password', 'Your account is already set up']);
});

test('requests for different purposes have separate limits', async () => {
  const { email } = await host.account();
  for (const path of ['onboarding/resend', 'forgot-password']) {
    for (const status of [200, 200, 200, 429]) expect((await ask(path, email)).status).toBe(status);
  }
  expect(await subjectsTo(host, email)).toHaveLength(6);
});

test('links mailed to one mailbox count together, across its accounts', async () => {
  const addresses = ['+1', '+2', '+3', '+4'].map((tag) => `ada${tag}@shop.example`);
  for (const email of addresses) {
    const account = await host.account();
    await host.db.orm.update(accounts).set({ email }).where(eq(accounts.id, account.id));
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await ask('forgot-password', email)).status).toBe(200);
      // Requests are answered in the order in which they were made.
      host.clock.advance(1_000);
    }
  }
  await host.mails();
  const mailed = await Promise.all(addresses.map((email) => subjectsTo(host, email)));
  expect(mailed.map((subjects) => subjects.length)).toEqual([3, 3, 3, 1]);
});

test('declarations to one mailbox count together', async () => {
  const requested = await statuses(6, (email) =>
    send(host, 'POST', '/api/contract/cancel', { name: 'Ada Byron', email, confirmed: true }),
  );
  expect(requested).toEqual([200, 200, 200, 200, 200, 429]);
});

test('orders, declarations and messages share one limit per mailbox, which does not block password resets', async () => {
  const ticket = { firstname: 'Ada', lastname: 'Byron', subject: 'other', message: 'A message long enough' };
  const orders = await statuses(4, (email) => send(host, 'POST', '/api/subscriptions', checkout({ email })));
  const declared = await statuses(4, (email) =>
    send(host, 'POST', '/api/contract/withdraw', { name: 'Ada Byron', email, confirmed: true }),
  );
  const messages = await statuses(3, (email) => send(host, 'POST', '/api/tickets', { ...ticket, email }));
  expect([...orders, ...declared, ...messages]).toEqual([
    201, 201, 201, 201, 200, 200, 200, 200, 201, 201, 429,
  ]);
  expect(
    (await statuses(1, (email) => send(host, 'POST', '/api/account/forgot-password', { email })))[0],
  ).toBe(200);
});

test('strangers’ declarations do not use up those of the signed-in owner', async () => {
  const bought = await buy(host);
  const token = await onboard(host, bought.email);
  const declared = { name: bought.body.name, email: bought.email, confirmed: true };
  for (let turn = 0; turn < 6; turn += 1) await send(host, 'POST', '/api/contract/withdraw', declared);
  expect((await send(host, 'POST', '/api/contract/withdraw', declared)).status).toBe(429);
  expect((await send(host, 'POST', '/api/contract/withdraw', declared, { token })).status).toBe(200);
});

test('a mailbox has one trial, whatever its tags and Gmail dots', async () => {
  await buy(host, { email: 'grace.hopper@gmail.com' });
  for (const email of ['gracehopper+2@gmail.com', 'g.r.a.c.e.hopper@googlemail.com']) {
    const body = checkout({ email });
    const placed = await placeOrder(host, body);
    await enterCard(host, placed.redirectUrl, 'good', body.name);
    expect(await billingMails(host, { email })).toEqual(['trial_used']);
    expect((await statusOf(host, placed.paymentIntent)).state).not.toBe('pending');
  }
});

test.each([
  ['name', 'Win at casino.example', 'name_invalid'],
  ['address', 'https://casino.example/', 'address_invalid'],
  ['name', 'Ada 0899 12', 'name_invalid'],
  ['address', 'CALL 0899 123 45', 'address_invalid'],
  ['city', 'casino.online', 'city_invalid'],
  ['company', 'Casino.Com', 'company_address'],
  ['company', 'Casino 0899 123 45', 'company_address'],
])(
  'an order placed signed out is refused with an advertisement in its %s (%s)',
  async (field, text, code) => {
    const body = checkout({ professional: true, company: 'Atelier', [field]: text });
    const answered = await send(host, 'POST', '/api/subscriptions', body);
    expect([answered.status, answered.body.errors]).toEqual([422, { [field]: [code] }]);
  },
);

test('abbreviations with a dot and no space are no web addresses, in an order or a declaration', async () => {
  const fields = { name: 'Dott.ssa Maria DR.MÜLLER', address: 'Rte.de Lyon 3, PO.BOX 12', city: 'ST.GALLEN' };
  const company = { professional: true, company: 'Müller GmbH & Co.KG' };
  const body = checkout({ ...fields, ...company });
  expect((await send(host, 'POST', '/api/subscriptions', body)).status).toBe(201);
  const { name, email } = body;
  expect((await send(host, 'POST', '/api/contract/withdraw', { name, email })).status).toBe(200);
});

test('a company whose name is a web address can order when signed in', async () => {
  const account = await host.account({ access: false });
  const body = checkout({ professional: true, company: 'Example.com B.V.' });
  expect((await send(host, 'POST', '/api/subscriptions', body, { token: account.token })).status).toBe(201);
});

test('the receipt of a message to support repeats nothing that its sender typed', async () => {
  const email = 'stranger@elsewhere.example';
  const ticket = { email, firstname: 'Youwon', lastname: 'Thousands', subject: 'other' };
  await send(host, 'POST', '/api/tickets', { ...ticket, message: 'Call the number in this message' });
  const [mail] = (await host.mails()).filter(({ to }) => to === email);
  expect(mail?.template).toBe('mail.ticket_arrived');
  for (const entered of ['Youwon', 'Thousands', 'Call the number']) {
    expect(`${mail?.subject}${mail?.text}${mail?.html}`).not.toContain(entered);
  }
});
