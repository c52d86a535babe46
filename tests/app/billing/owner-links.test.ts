import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { declarations } from '#host/db/subscriptions.tables';
import { openBrowser, statusAndLocation } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send } from '../../support/json-calls';
import { buy, checkout, enterCard, onboard, placeOrder, subscriptionOf, view } from '../../support/ordering';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/confirm-order': 'confirm-order.tsx',
    '/declaration': 'declaration.tsx',
    '/withdraw': 'withdraw.tsx',
    '/cancel-contract': 'cancel-contract.tsx',
    '/user/subscription': 'user.subscription.tsx',
  });
});
afterAll(async () => website.close());

const headingOf = async (answer: Response) => /<h1[^>]*>([^<]*)/.exec(await answer.text())?.[1];

/** Path of the newest link to a page mailed to an address. */
async function linkTo(page: string, email: string): Promise<string> {
  const texts = (await website.host.mails()).flatMap(({ to, text }) => (to === email ? [text ?? ''] : []));
  const path = texts.map((text) => new RegExp(`/${page}\\?token=[\\w-]+`).exec(text)?.[0]).find(Boolean);
  if (!path) throw new Error(`no mail to ${email} leads to ${page}`);
  return path;
}

/** A customer for whose contract a stranger has declared a withdrawal. */
async function createDeclaration() {
  const bought = await buy(website.host, { trial: false });
  const token = await onboard(website.host, bought.email);
  const declared = { name: bought.body.name, email: bought.email, confirmed: true };
  await send(website.host, 'POST', '/api/contract/withdraw', declared);
  await website.host.runBilling();
  const status = async () => (await subscriptionOf(website.host, bought.accountId)).status;
  return { token, status, path: await linkTo('declaration', bought.email) };
}

/** An account in whose name a stranger has ordered with the stranger's card. */
async function createPendingOrder(): Promise<{ account: TestAccount; path: string }> {
  const account = await website.host.account({ access: false });
  const { redirectUrl } = await placeOrder(website.host, checkout({ trial: false, email: account.email }));
  await enterCard(website.host, redirectUrl);
  await website.host.runBilling();
  return { account, path: await linkTo('confirm-order', account.email) };
}

test('opening a declaration decides nothing, and undoing it keeps the contract', async () => {
  const { status, path } = await createDeclaration();
  const browser = await openBrowser(website);
  const waiting = await headingOf(await browser.open(path));
  expect(await headingOf(await browser.open(path))).toBe(waiting);
  expect(statusAndLocation(await browser.post(path, { decision: 'undo' }))).toEqual([303, path]);
  expect(await headingOf(await browser.open(path))).not.toBe(waiting);
  await website.host.runBilling();
  expect(await status()).toBe('active');
});

test('a confirmed declaration ends the contract', async () => {
  const { status, path } = await createDeclaration();
  const browser = await openBrowser(website);
  expect(statusAndLocation(await browser.post(path, { decision: 'confirm' }))).toEqual([303, path]);
  await website.host.runBilling();
  expect(await status()).toBe('canceled');
});

test.each(['undo', 'confirm'] as const)(
  'on the subscription page, %s has the same effect',
  async (decision) => {
    const { status, token } = await createDeclaration();
    const [declaration] = (await view(website.host, token)).declarations;
    const browser = await openBrowser(website, { token });
    const answer = await browser.post('/user/subscription', { declaration: declaration?.id ?? '', decision });
    expect(statusAndLocation(answer)).toEqual([303, '/user/subscription']);
    const state = decision === 'undo' ? 'undone' : 'done';
    expect(await browser.notices()).toMatchObject([{ key: `declaration_${state}`, persistent: true }]);
    await website.host.runBilling();
    expect(await status()).toBe(decision === 'undo' ? 'active' : 'canceled');
  },
);

test('a confirmed order is fulfilled and redirects to its status page', async () => {
  const { account, path } = await createPendingOrder();
  const browser = await openBrowser(website);
  expect((await browser.open(path)).status).toBe(200);
  const answer = await browser.post(path, { decision: 'confirm' });
  expect(statusAndLocation(answer)).toEqual([
    303,
    expect.stringMatching(/^\/payment-success\?payment_intent=./),
  ]);
  expect((await view(website.host, account.token)).status).toBe('active');
});

test('a discarded order is not charged, and its page says so', async () => {
  const { account, path } = await createPendingOrder();
  const browser = await openBrowser(website);
  const held = await headingOf(await browser.open(path));
  expect(statusAndLocation(await browser.post(path, { decision: 'discard' }))).toEqual([303, path]);
  expect(await headingOf(await browser.open(path))).not.toBe(held);
  expect(await view(website.host, account.token)).toBeNull();
});

test.each(['confirm', 'discard'] as const)('on the subscription page, an order is %sed', async (decision) => {
  const { account } = await createPendingOrder();
  const listed = await send(website.host, 'GET', '/api/account/subscriptions', undefined, account);
  const [order] = (listed.body.data as { heldOrders: { id: string }[] }).heldOrders;
  const browser = await openBrowser(website, account);
  const answer = await browser.post('/user/subscription', { order: order?.id ?? '', decision });
  const to = decision === 'confirm' ? /^\/payment-success/ : /^\/user\/subscription$/;
  expect(statusAndLocation(answer)).toEqual([303, expect.stringMatching(to)]);
  const status = (await view(website.host, account.token))?.status ?? 'none';
  expect(status).toBe(decision === 'confirm' ? 'active' : 'none');
});

test('an order that can no longer be confirmed is not reported as confirmed or discarded', async () => {
  const { account, path } = await createPendingOrder();
  const listed = await send(website.host, 'GET', '/api/account/subscriptions', undefined, account);
  const [order] = (listed.body.data as { heldOrders: { id: string }[] }).heldOrders;
  const { redirectUrl } = await placeOrder(website.host, checkout({ trial: false }), account.token);
  await enterCard(website.host, redirectUrl);
  const browser = await openBrowser(website, account);
  expect(await headingOf(await browser.open(path))).toBe('This order has lapsed');
  const answer = await browser.post('/user/subscription', { order: order?.id ?? '', decision: 'confirm' });
  expect(statusAndLocation(answer)).toEqual([303, '/user/subscription']);
  expect(await browser.notices()).toMatchObject([{ key: 'order_not_carried_out', type: 'warning' }]);
});

test('a decision that the page does not offer is refused, and an unknown link gets a 404', async () => {
  const { path, status } = await createDeclaration();
  const browser = await openBrowser(website);
  expect((await browser.post(path, { decision: 'discard' })).status).toBe(422);
  expect(await status()).toBe('active');
  for (const page of ['declaration', 'confirm-order']) {
    const answer = await browser.open(`/${page}?token=${'x'.repeat(43)}`);
    expect([
      answer.status,
      answer.headers.get('cache-control'),
      answer.headers.get('referrer-policy'),
    ]).toEqual([404, 'no-store', 'strict-origin']);
  }
});

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
