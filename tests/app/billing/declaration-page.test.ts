import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/time';
import { declarations } from '#host/db/subscriptions.tables';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import { send } from '../../support/json-calls';
import { buy, onboard, subscriptionOf } from '../../support/ordering';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/withdraw': 'billing/withdraw-page.tsx',
    '/money-back': 'billing/money-back-page.tsx',
    '/cancel-contract': 'billing/cancel-contract-page.tsx',
  });
});
beforeEach(() => startClocks(website));
afterAll(async () => website.close());

/** A customer, and the fields of the customer's declaration. */
async function customer(order: Record<string, unknown> = { trial: false }) {
  const bought = await buy(website.host, order);
  const { body, email, reference } = bought;
  return { ...bought, fields: { name: body.name, email, reference, key: `key-of-${reference}` } };
}

test('the first step only shows the declaration, and the second submits it', async () => {
  const { body, email, accountId } = await buy(website.host, { trial: false });
  const browser = await openBrowser(website);
  const fields = { name: body.name, email, reference: '', key: 'key-of-a-declaration' };
  const made = async () =>
    website.host.db.orm.select().from(declarations).where(eq(declarations.email, email));
  const read = await browser.post('/withdraw', { ...fields, step: 'check' });
  expect(read.status).toBe(200);
  expect(await read.text()).toContain(email);
  expect(await made()).toEqual([]);
  const answer = await browser.post('/withdraw', { ...fields, step: 'confirm' });
  expect(statusAndLocation(answer)).toEqual([303, '/withdraw?received=1']);
  expect(await (await browser.open('/withdraw?received=1')).text()).toContain(email);
  // The receipt is shown neither for another kind of declaration nor to anybody else.
  expect(await (await browser.open('/cancel-contract?received=1')).text()).not.toContain(email);
  expect(await (await (await openBrowser(website)).open('/withdraw?received=1')).text()).not.toContain(email);
  expect(await made()).toHaveLength(1);
  await website.host.runBilling();
  expect((await subscriptionOf(website.host, accountId)).status).toBe('active');
});

test('a declaration by a signed-in user takes effect at once', async () => {
  const { body, email, accountId } = await buy(website.host, { trial: false });
  const token = await onboard(website.host, email);
  const browser = await openBrowser(website, { token });
  const fields = { name: body.name, email, reference: '', key: 'key-of-another-one' };
  await browser.post('/withdraw', { ...fields, step: 'confirm' });
  await website.host.runBilling();
  expect((await subscriptionOf(website.host, accountId)).status).toBe('canceled');
});

test.each([
  ['/withdraw', 'I withdraw from my contract.', 'withdrawal_received', 'withdraw'],
  ['/money-back', 'I ask for my first payment back', 'money_back_received', 'money_back'],
  ['/cancel-contract', 'I cancel my contract', 'cancellation_received', 'cancel'],
] as const)('on %s, both steps and the receipt repeat the declaration', async (path, words, key, kind) => {
  const { fields, email, reference } = await customer();
  const browser = await openBrowser(website);
  const check = await textOf(await browser.post(path, { ...fields, step: 'check' }));
  expect(check).toContain('Nothing has been sent yet.');
  expect(check).toContain(`Order reference or invoice number ${reference}`);
  await browser.post(path, { ...fields, step: 'confirm' });
  expect(await browser.notices()).toMatchObject([{ key }]);
  const receipt = await textOf(await browser.open(`${path}?received=1`));
  for (const text of [check, receipt]) {
    expect(text).toContain(words);
    expect(text).toContain(`First and last name ${fields.name} E-mail address ${email}`);
  }
  expect(receipt).toContain('Received on 2 March 2026 at 10:00 GMT');
  expect(receipt).toContain('You gave the order reference: if it belongs to this e-mail address');
  expect(receipt).not.toMatch(/signed in|we now ask/);
  const [row] = await website.host.db.orm.select().from(declarations).where(eq(declarations.email, email));
  expect([row?.kind, row?.locale]).toEqual([kind, 'gb']);
});

test('the receipt states the dates of a refund, and its amount only to the signed-in customer', async () => {
  const receiptOf = async (order: Record<string, unknown>, isSignedIn: boolean) => {
    const { fields, email } = await customer({ ...order, email: `Ada.${randomUUID()}@Shop.example` });
    const as = isSignedIn ? { token: await onboard(website.host, email) } : undefined;
    const browser = await openBrowser(website, as);
    await browser.post('/withdraw', { ...fields, email: email.toUpperCase(), step: 'confirm' });
    return textOf(await browser.open('/withdraw?received=1'));
  };
  const paid = await receiptOf({ trial: false }, true);
  expect(paid).toContain('Refund €9.90 is on your card between 5 March 2026 and 16 March 2026');
  expect(paid).toContain('You are signed in, so the declaration about your contract has taken effect.');
  expect(paid).not.toMatch(/order reference:|we now ask|If it matches a contract/);
  expect(await receiptOf({}, true)).toContain('Refund There is nothing to refund: nothing was charged');
  const stranger = await receiptOf({ trial: false }, false);
  expect(stranger).toMatch(/Refund If something was charged .* between 5 March 2026 and 19 March 2026/);
  expect(stranger).not.toContain('€9.90');
});

test('without a session and the order reference, the receipt says that the owner is asked, and only that', async () => {
  const { fields } = await customer();
  const browser = await openBrowser(website);
  await browser.post('/withdraw', { ...fields, reference: 'F2026-000001', step: 'confirm' });
  const receipt = await textOf(await browser.open('/withdraw?received=1'));
  expect(receipt).toContain('If there is a contract, we now ask at its e-mail address.');
  expect(receipt).not.toMatch(/You are signed in|You gave the order reference/);
});

test.each(['/withdraw', '/money-back', '/cancel-contract'])(
  'on %s, name, e-mail address and order reference of the signed-in customer are filled in',
  async (path) => {
    const { fields, email, reference } = await customer();
    const browser = await openBrowser(website, { token: await onboard(website.host, email) });
    const form = await (await browser.open(path)).text();
    for (const [name, value] of Object.entries({ email, reference }))
      expect(form).toMatch(new RegExp(`<input[^>]* name="${name}"[^>]* value="${value}"`, 'i'));
    expect(form).toMatch(/<input[^>]* name="name"[^>]* value="[^"]+"/);
    const stranger = await (await (await openBrowser(website)).open(path)).text();
    expect(stranger).not.toContain(fields.reference);
  },
);

test('the receipt is kept for a quarter of an hour, and shown at its own address only', async () => {
  const { fields, email } = await customer();
  const browser = await openBrowser(website);
  const answer = await browser.post('/withdraw', { ...fields, step: 'confirm' });
  const cookie = answer.headers.getSetCookie().find((one) => one.startsWith('declaration='));
  expect(cookie).toMatch(/; Max-Age=900;.*HttpOnly/);
  expect(await textOf(await browser.open('/withdraw'))).not.toContain(email);
  expect(await textOf(await browser.open('/withdraw?received=1'))).toContain(email);
});

test('the second step leads back to the form with what was typed, and survives a switch of language', async () => {
  const { fields, email, reference } = await customer();
  const browser = await openBrowser(website);
  const form = await (await browser.post('/withdraw', { ...fields, step: 'change' })).text();
  expect(form).toMatch(new RegExp(`<input[^>]* value="${email}"`));
  expect(form).toContain('name="step" value="check"');
  const switched = await browser.post('/withdraw', { ...fields, read: 'back', lng: 'de' });
  expect(switched.status).toBe(200);
  const page = await switched.text();
  expect(page).toContain('name="step" value="confirm"');
  for (const [name, value] of Object.entries({ ...fields, reference }))
    expect(page).toContain(`name="${name}" value="${value}"`);
  const first = await (await browser.post('/withdraw', { ...fields, lng: 'de' })).text();
  expect(first).not.toContain('name="step" value="confirm"');
  const incomplete = await browser.post('/withdraw', { ...fields, key: '', read: 'back', step: 'confirm' });
  expect(incomplete.status).toBe(422);
});

test('only a customer who has paid nothing is told before that there is nothing to refund', async () => {
  const pageFor = async (order: Record<string, unknown>, path: string) => {
    const { email } = await customer(order);
    const browser = await openBrowser(website, { token: await onboard(website.host, email) });
    return textOf(await browser.open(path));
  };
  const free = 'nothing has been charged to you so far';
  expect(await pageFor({}, '/withdraw')).toContain(free);
  expect(await pageFor({}, '/cancel-contract')).not.toContain(free);
  const paid = await pageFor({ trial: false }, '/withdraw');
  expect(paid).not.toContain(free);
  expect(paid).toContain('You are signed in: a declaration about your own contract takes effect at once.');
  expect(await textOf(await (await openBrowser(website)).open('/withdraw'))).toContain('Otherwise we ask at');
});

test.each(['expired', 'ended'])(
  'a declaration sent when the session has %s is received all the same',
  async (how) => {
    const { fields, email } = await customer();
    const token = await onboard(website.host, email);
    const browser = await openBrowser(website, { token });
    if (how === 'expired') {
      website.host.clock.advance(400 * DAY_MS);
      vi.setSystemTime(website.host.clock.now());
    } else await send(website.host, 'POST', '/api/account/logout', undefined, { token });
    const inItalian = { 'accept-language': 'it' };
    const answer = await browser.post('/withdraw', { ...fields, step: 'confirm' }, inItalian);
    expect(statusAndLocation(answer)).toEqual([303, '/withdraw?received=1']);
    const rows = website.host.db.orm.select().from(declarations).where(eq(declarations.email, email));
    expect(await rows).toMatchObject([{ kind: 'withdraw', callerId: null, locale: 'it' }]);
  },
);
