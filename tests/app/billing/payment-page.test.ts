import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { orders } from '#host/db/subscriptions.tables';
import { markTrial } from '#host/subscriptions/order/trials';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import { START, type TestAccount } from '../../support/host';
import { advance, buy, checkout, enterCard, type Placed, placeOrder } from '../../support/ordering';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';

let website: TestWebsite;
/** The host's answer about every payment, if set. */
let refusal: number | null = null;

beforeAll(async () => {
  const routes = {
    '/create': 'codes/create/page.tsx',
    '/subscribe/:slug': 'billing/subscribe-page.tsx',
    '/user/subscription/order/:slug': 'billing/order-page.tsx',
    '/payment-success': 'billing/payment-page.tsx',
    '/user/subscription': 'billing/subscription-page.tsx',
  };
  website = await createTestWebsite(routes, async ({ url }, pass) => {
    if (!refusal || !url.endsWith('/check_pi_status')) return pass();
    const code = refusal === 429 ? 'rate_limited' : 'not_found';
    return Response.json({ status: 'error', message: 'No', code }, { status: refusal });
  });
});
beforeEach(() => startClocks(website));
afterAll(async () => website.close());

const pathOf = ({ paymentIntent }: Placed) => `/payment-success?payment_intent=${paymentIntent}`;

/** Orders on the page; returns the browser, the card page and the page of the payment. */
async function order({ draft, as }: { draft?: string; as?: TestAccount } = {}) {
  const entered = Object.entries(checkout()).map(([name, value]) => [name, value === true ? 'on' : value]);
  const form: Record<string, string> = Object.fromEntries(entered);
  const browser = await openBrowser(website, as);
  if (draft) await browser.post('/create', { type: 'link', content: draft, intent: 'create' });
  const page = as ? '/user/subscription/order/basic_monthly' : '/subscribe/basic_monthly';
  const placed = await browser.post(page, form);
  expect(placed.status).toBe(303);
  const email = as?.email ?? form.email ?? '';
  const ordered = website.host.db.orm.select().from(orders).where(eq(orders.email, email));
  const [{ paymentIntent } = { paymentIntent: '' }] = await ordered;
  return {
    browser,
    email,
    path: pathOf({ paymentIntent, redirectUrl: '' }),
    pay: () => enterCard(website.host, placed.headers.get('location') ?? '', 'good', form.name),
  };
}

test('until the card is entered, the page says that the payment is pending and keeps the input', async () => {
  const { browser, path, pay } = await order();
  const page = await textOf(await browser.open(path));
  expect(page).toContain('The payment is still being processed');
  expect(page).not.toMatch(/We have sent an e-mail|No e-mail\?|today/);
  expect(browser.cookie('order')).toBeDefined();
  await pay();
  expect(await textOf(await browser.open(path))).toContain('Thank you for your order');
  expect(browser.cookie('order')).toBeUndefined();
});

test('a paid order states the date of the first charge, until it has come', async () => {
  const { browser, path, pay } = await order();
  await pay();
  const page = await browser.open(path);
  expect([page.status, page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual([
    200,
    'no-store',
    'strict-origin',
  ]);
  expect(await textOf(page)).toContain(
    'Amount €0.00 today, €9.90 on 4 March 2026 at 10:00 GMT After that €9.90 per month Reference Q-',
  );
  await advance(website.host, '48h');
  vi.setSystemTime(website.host.clock.now());
  expect(await textOf(await browser.open(path))).toContain('Amount €9.90 per month Reference Q-');
  expect((await browser.open('/payment-success?payment_intent=unknown')).status).toBe(404);
});

test('an address without an order leads to the subscription, or to the login page before it', async () => {
  const as = await website.host.account({ access: false });
  for (const query of ['', '?payment_intent=']) {
    for (const browser of [await openBrowser(website, as), await openBrowser(website)]) {
      const answer = await browser.open(`/payment-success${query}`);
      expect(statusAndLocation(answer)).toEqual([303, '/user/subscription']);
      expect(await browser.notices()).toMatchObject([{ type: 'info', key: 'order_not_named' }]);
    }
  }
  const visitor = await openBrowser(website);
  await visitor.open('/payment-success');
  expect(statusAndLocation(await visitor.open('/user/subscription'))).toEqual([
    303,
    '/login?next=%2Fuser%2Fsubscription',
  ]);
  expect(await visitor.notices()).toMatchObject([{ key: 'order_not_named' }]);
});

test('an order charged at once states the amount paid', async () => {
  const { placed } = await buy(website.host, { trial: false });
  const text = await textOf(await (await openBrowser(website)).open(pathOf(placed)));
  expect(text).toContain('Amount €9.90 per month Reference Q-');
  expect(text).not.toContain('€0.00');
});

test('the design that was ordered is shown to its browser, unless the order failed', async () => {
  const { browser, path, pay } = await order({ draft: 'https://example.com/designed' });
  await pay();
  const page = await textOf(await browser.open(path));
  expect(page).toContain('Your design It becomes your first code as soon as your account is set up.');
  expect(page).toContain('Sign in Write to us');
  expect(await textOf(await (await openBrowser(website)).open(path))).not.toContain('Your design');
  const failed = await order({ draft: 'https://example.com/unsold' });
  await markTrial(website.host.db.orm, { email: failed.email, accountId: randomUUID() }, START);
  await failed.pay();
  expect(await textOf(await failed.browser.open(failed.path))).not.toContain('Your design');
});

test('the design that a signed-in user ordered is shown as a code of the account', async () => {
  const as = await website.host.account({ access: false });
  const { browser, path, pay } = await order({ draft: 'https://example.com/designed', as });
  await pay();
  const page = await textOf(await browser.open(path));
  expect(page).toContain('Your design It is one of your codes now.');
  expect(page).toContain('See your code See my subscription');
  expect(page).not.toContain('Right e-mail address');
  expect(await textOf(await (await openBrowser(website)).open(path))).not.toContain('Your design');
});

test('an order refused for its used trial leads to an order without one', async () => {
  const { email, token, id } = await website.host.account({ access: false });
  const placed = await placeOrder(website.host, checkout({ slug: 'basic_yearly' }), token);
  await markTrial(website.host.db.orm, { email, accountId: id }, START);
  await enterCard(website.host, placed.redirectUrl);
  const browser = await openBrowser(website, { token });
  const page = await (await browser.open(pathOf(placed))).text();
  expect(page).toContain('The free trial has already been used.');
  const again = '/user/subscription/order/basic_yearly?trial=no';
  expect(page).toContain(`href="${again}"`);
  expect(await textOf(await browser.open(again))).toContain('First charge: €106.92 today.');
});

test('an order whose card page was left open leads to the same order again', async () => {
  const read = async (fields: Record<string, unknown>) => {
    const placed = await placeOrder(website.host, checkout(fields));
    await advance(website.host, '25h');
    return (await (await openBrowser(website)).open(pathOf(placed))).text();
  };
  const page = await read({});
  expect(page).toContain('The card page was left open for too long.');
  expect(page).toContain('href="/subscribe/basic_monthly"');
  expect(await read({ trial: false })).toContain('href="/subscribe/basic_monthly?trial=no"');
});

test('the mail is sent again, or to a corrected address from the browser of the order only', async () => {
  const { browser, path, pay, email } = await order();
  await pay();
  const mailsTo = async (address: string) =>
    (await website.host.mails()).filter(({ to, text }) => to === address && text?.includes('/onboarding'));
  expect(await mailsTo(email)).toHaveLength(1);
  expect(statusAndLocation(await browser.post(path, { intent: 'resend' }))).toEqual([303, path]);
  expect(await browser.notices()).toMatchObject([{ key: 'order_mail_sent' }]);
  expect(await mailsTo(email)).toHaveLength(2);
  const corrected = `right-${email}`;
  const other = await openBrowser(website);
  expect(await textOf(await other.open(path))).not.toContain('Right e-mail address');
  expect((await other.post(path, { intent: 'correct', email: `other-${email}` })).status).toBe(404);
  expect(await textOf(await browser.open(path))).toContain('Right e-mail address');
  expect((await browser.post(path, { intent: 'correct', email: 'nobody' })).status).toBe(422);
  expect(statusAndLocation(await browser.post(path, { intent: 'correct', email: ` ${corrected} ` }))).toEqual(
    [303, path],
  );
  expect(await browser.notices()).toMatchObject([
    { key: 'order_email_corrected', values: { email: corrected }, persistent: true },
  ]);
  expect(await mailsTo(corrected)).toHaveLength(1);
  expect(await textOf(await browser.open(path))).toContain('r•••@shop.example');
});

test('the page of a second signed-in order says that a subscription is already running', async () => {
  const { host } = website;
  const { token } = await host.account({ access: false });
  const [first, second] = [
    await placeOrder(host, checkout({ trial: false }), token),
    await placeOrder(host, checkout({ trial: false }), token),
  ];
  for (const { redirectUrl } of [first, second]) await enterCard(host, redirectUrl, 'good', 'Two Orders');
  const browser = await openBrowser(website, { token });
  const pageOf = async (placed: Placed) => textOf(await browser.open(pathOf(placed)));
  expect(await pageOf(first)).toContain('Thank you for your order');
  const page = await pageOf(second);
  expect(page).toContain('You already have a subscription');
  expect(page).toContain('See my subscription');
  for (const words of ['Thank you', 'Order again', 'Send the e-mail again', 'confirmation']) {
    expect(page).not.toContain(words);
  }
});

test('after too many looks at a payment, the page says so instead of that there is none', async () => {
  const browser = await openBrowser(website);
  onTestFinished(() => {
    refusal = null;
  });
  for (const status of [429, 404]) {
    refusal = status;
    expect((await browser.open('/payment-success?payment_intent=pi_any')).status).toBe(status);
  }
});
