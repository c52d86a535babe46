import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { orders } from '#host/db/subscriptions.tables';
import { markOfferUsed, trialDigest } from '#host/subscriptions/order/store';
import { markTrial } from '#host/subscriptions/order/trials';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import { send } from '../../support/json-calls';
import { buy, onboard } from '../../support/ordering';
import { createTestWebsite, startClocks, type TestWebsite } from '../../support/website';
import { tagWith } from '../ui/rendered';

const MONTHLY = '/subscribe/basic_monthly';
let website: TestWebsite;
/** Overrides the monthly price of the host's plans, if set. */
let priceCents: number | null;

beforeAll(async () => {
  const routes = {
    '/subscribe/:slug': 'billing/subscribe-page.tsx',
    '/user/subscription/order/:slug': 'billing/order-page.tsx',
    '/pricings': 'site/pricing-page.tsx',
  };
  website = await createTestWebsite(routes, async ({ url }, pass) => {
    const answer = await pass();
    if (priceCents === null || !url.endsWith('/api/subscriptions/offer')) return answer;
    const { data, ...others } = await answer.json();
    const plans = data.plans.map((plan: object) => ({ ...plan, priceCents }));
    return Response.json({ ...others, data: { ...data, plans } });
  });
});
beforeEach(() => {
  priceCents = null;
});
afterAll(async () => website.close());

let buyers = 0;

/** A complete order form with a unique buyer. */
function completeOrder(fields: Record<string, string> = {}): Record<string, string> {
  buyers += 1;
  return {
    name: 'Ada Lovelace',
    email: `order-${buyers}@shop.example`,
    address: '1 rue du Papier',
    zip_code: '75011',
    city: 'Paris',
    country: 'FR',
    terms: 'on',
    waiver: 'on',
    ...fields,
  };
}

async function orderOf(email: string) {
  const [row] = await website.host.db.orm.select().from(orders).where(eq(orders.email, email));
  if (!row) throw new Error('nothing was ordered');
  return row;
}

const order = { name: 'Ada Lovelace', address: '1 rue du Papier', city: 'Paris', terms: 'on' };

test('an order sent while the host is down can be resent from its form', async () => {
  const as = await website.host.account();
  await website.hostDown();
  for (const path of ['/subscribe/basic_monthly', '/user/subscription/order/basic_monthly']) {
    const answer = await website.browse(path, {
      method: 'POST',
      body: new URLSearchParams(order),
      ...(path.startsWith('/user/') && { as }),
    });
    expect(answer.status).toBe(503);
    const page = await answer.text();
    for (const [name, value] of Object.entries(order)) {
      expect(page).toContain(`<input type="hidden" name="${name}" value="${value}"/>`);
    }
  }
});

const GERMAN = { country: 'DE', zip_code: '10115', city: 'Berlin' };
const GERMAN_COMPANY = { ...GERMAN, professional: 'on', company: 'Karo GmbH', vat_number: 'DE136695976' };

test.each([
  [{}, '€9.90 per month, VAT included'],
  [GERMAN, '€9.90 per month, VAT included'],
  [GERMAN_COMPANY, '€8.25 per month; no French VAT is due at your address'],
  [{ ...GERMAN_COMPANY, vat_number: '' }, '€9.90 per month, VAT included'],
  [{ ...GERMAN_COMPANY, professional: '' }, '€9.90 per month, VAT included'],
  [{ country: 'CH', zip_code: '8001' }, '€8.25 per month; no French VAT is due at your address'],
  [{ zip_code: '97600' }, '€8.25 per month; no French VAT is due at your address'],
  [{ country: 'XX' }, '€9.90 per month, VAT included'],
])('a form shown again states the price at the typed address: %j costs %s', async (place, price) => {
  const answer = await (await openBrowser(website)).post(MONTHLY, completeOrder({ ...place, name: '' }));
  expect(answer.status).toBe(422);
  expect(await textOf(answer)).toContain(price);
});

test.each([
  [990, '€8.25'],
  [997, '€8.31'],
  [998, '€8.32'],
  [999, '€8.32'],
  [1000, '€8.33'],
])(
  'for %i cents including VAT, a company abroad is shown %s, rounded to the nearest cent',
  async (cents, net) => {
    priceCents = cents;
    const page = await textOf(await (await openBrowser(website)).open(MONTHLY));
    expect(page).toContain(net);
  },
);

test.each(['de', 'fr', 'en-GB'])('an order from a page in %s is stored with its language', async (tag) => {
  const entered = completeOrder();
  const answer = await (await openBrowser(website)).post(MONTHLY, entered, { 'accept-language': tag });
  expect(answer.status).toBe(303);
  expect((await orderOf(entered.email ?? '')).locale).toBe(tag === 'en-GB' ? 'gb' : tag);
});

test('an order redirects to the card page, stores all input, and is placed once per form', async () => {
  const entered = completeOrder({ ...GERMAN_COMPANY, price_cents: '825', key: 'the-key-of-a-form' });
  const browser = await openBrowser(website);
  const first = await browser.post(MONTHLY, entered);
  expect(statusAndLocation(first)).toEqual([303, expect.stringContaining('/sandbox/')]);
  expect(statusAndLocation(await browser.post(MONTHLY, entered))).toEqual(statusAndLocation(first));
  const { buyer, plan, trialHours } = await orderOf(entered.email ?? '');
  expect(buyer).toMatchObject({
    name: 'Ada Lovelace',
    company: 'Karo GmbH',
    street: '1 rue du Papier',
    postalCode: '10115',
    city: 'Berlin',
    country: 'DE',
    professional: true,
    vatNumber: 'DE136695976',
  });
  expect([plan, trialHours]).toEqual(['basic_monthly', 48]);
});

test('the order page names the first charge and the other plan, and its query survives the switch', async () => {
  startClocks(website);
  const browser = await openBrowser(website);
  const page = await textOf(await browser.open(MONTHLY));
  expect(page).toContain('First charge: €9.90 on 4 March 2026 at 10:00 GMT, unless you cancel before then.');
  expect(page).toContain('Pay yearly instead: €106.92 per year');
  const now = await textOf(await browser.open(`${MONTHLY}?trial=no`));
  expect(now).toContain('First charge: €9.90 today.');
  const switched = await browser.post(`${MONTHLY}?trial=no`, completeOrder({ switch: 'yes' }));
  expect(statusAndLocation(switched)).toEqual([303, `${MONTHLY}?trial=no`]);
});

test('an order page of an account without a trial keeps to that, although one is available', async () => {
  const as = await website.host.account({ access: false });
  const path = '/user/subscription/order/basic_yearly?trial=no';
  const browser = await openBrowser(website, as);
  const page = await (await browser.open(path)).text();
  expect(page).toContain('First charge: €106.92 today.');
  expect(page).toContain(`action="${path}"`);
  expect(page).toContain('formaction="/user/subscription/order/basic_monthly?trial=no"');
  expect((await browser.post(path, completeOrder())).status).toBe(303);
  expect((await orderOf(as.email)).trialHours).toBe(0);
});

test("the order page of an account tells times in the account's zone, also after a change", async () => {
  startClocks(website);
  const as = await website.host.account({ access: false });
  const browser = await openBrowser(website, as);
  for (const [timeZone, time] of [
    ['Asia/Tokyo', '4 March 2026 at 19:00 GMT+9'],
    ['America/New_York', '4 March 2026 at 05:00 GMT-5'],
  ]) {
    expect((await send(website.host, 'PUT', '/api/account/time-zone', { timeZone }, as)).status).toBe(200);
    const page = await textOf(await browser.open('/user/subscription/order/basic_monthly'));
    expect(page).toContain(`First charge: €9.90 on ${time}, unless you cancel before then.`);
  }
});

test('a signed-in visitor is led from the public order page to the subscription or the dashboard', async () => {
  const customer = await buy(website.host, { trial: false });
  for (const [as, path] of [
    [{ token: await onboard(website.host, customer.email) }, '/user/subscription'],
    [await website.host.account({ access: false }), '/user/dashboard'],
  ] as const) {
    const browser = await openBrowser(website, as);
    expect(statusAndLocation(await browser.open(MONTHLY))).toEqual([303, path]);
    expect(statusAndLocation(await browser.post(MONTHLY, completeOrder()))).toEqual([303, path]);
  }
});

test('the price page leads to a page where the visitor can order', async () => {
  const as = await website.host.account({ access: false });
  for (const [browser, path] of [
    [await openBrowser(website), '/subscribe/basic_yearly'],
    [await openBrowser(website, as), '/user/subscription/order/basic_yearly'],
  ] as const) {
    const prices = await (await browser.open('/pricings?billing=yearly')).text();
    expect(prices).toContain(`href="${path}"`);
    expect((await browser.open(path)).status).toBe(200);
  }
});

test('every opened order page has a key of its own', async () => {
  const keyOf = async () =>
    /name="key" value="([^"]+)"/.exec(await (await (await openBrowser(website)).open(MONTHLY)).text())?.[1];
  const keys = [await keyOf(), await keyOf(), await keyOf()];
  expect(keys).not.toContain(undefined);
  expect(new Set(keys).size).toBe(3);
});

test('a form sent by a script gets the new prices with its errors', async () => {
  const browser = await openBrowser(website);
  const entered = completeOrder({ country: 'CH', zip_code: '8001', name: '' });
  const answer = await browser.post(`${MONTHLY}.data`, entered, { 'x-data-request': '1' });
  expect(await answer.text()).toContain('"price","€8.25"');
});

test('an order is refused if the price is not the one on the page', async () => {
  const entered = completeOrder({ price_cents: '825' });
  const answer = await (await openBrowser(website)).post(MONTHLY, entered);
  expect(answer.status).toBe(422);
  const rows = website.host.db.orm
    .select()
    .from(orders)
    .where(eq(orders.email, entered.email ?? ''));
  expect(await rows).toEqual([]);
});

test('an order page with a trial that was used up meanwhile is shown again, and nothing is ordered', async () => {
  const as = await website.host.account({ access: false });
  const path = '/user/subscription/order/basic_yearly';
  const browser = await openBrowser(website, as);
  const page = await (await browser.open(path)).text();
  expect(page).toContain('Nothing is charged today');
  const hidden = Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="(key|price_cents|trial)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
  await markTrial(website.host.db.orm, { email: as.email, accountId: as.id }, new Date());
  const answer = await browser.post(path, completeOrder(hidden));
  expect(answer.status).toBe(422);
  const again = await textOf(answer);
  expect(again).toContain('The free trial has been used by now');
  expect(again).not.toContain('Nothing is charged today');
  const count = () => website.host.db.orm.$count(orders, eq(orders.email, as.email));
  expect(await count()).toBe(0);
  expect((await browser.post(path, completeOrder({ ...hidden, trial: 'no' }))).status).toBe(303);
  expect((await orderOf(as.email)).trialHours).toBe(0);
});

test.each(['terms', 'waiver'])('without ticking %s, nothing is ordered', async (box) => {
  const entered = completeOrder({ [box]: '' });
  expect((await (await openBrowser(website)).post(MONTHLY, entered)).status).toBe(422);
  const rows = website.host.db.orm
    .select()
    .from(orders)
    .where(eq(orders.email, entered.email ?? ''));
  expect(await rows).toEqual([]);
});

test("a signed-in order uses the account's e-mail address, whatever the form contains", async () => {
  const as = await website.host.account({ access: false });
  const browser = await openBrowser(website, as);
  const entered = completeOrder();
  expect((await browser.post('/user/subscription/order/basic_yearly', entered)).status).toBe(303);
  const { plan, trialHours } = await orderOf(as.email);
  expect([plan, trialHours]).toEqual(['basic_yearly', 48]);
  const rows = website.host.db.orm
    .select()
    .from(orders)
    .where(eq(orders.email, entered.email ?? ''));
  expect(await rows).toEqual([]);
});

test('an order page promises money back only to an account that has not used it', async () => {
  const as = await website.host.account({ access: false });
  const browser = await openBrowser(website, as);
  const read = async () => textOf(await browser.open('/user/subscription/order/basic_monthly'));
  expect(await read()).toContain('All customers: money back within');
  await markOfferUsed(website.host.db.orm, 'money_back', trialDigest(as.email), new Date());
  const page = await read();
  expect(page).toContain('Consumers: within 14 days of the order. You get the full amount back.');
  expect(page).not.toContain('money back');
});

test('an order page is filled with the name and the default address of the account', async () => {
  const as = await website.host.account({ access: false });
  const address = {
    first_name: 'Ada',
    last_name: 'Byron',
    street: '2 Tintenweg',
    postal_code: '10115',
    city: 'Berlin',
    country: 'DE',
    professional: true,
    company_name: 'Karo GmbH',
    siret_number: '73282932000074',
    vat_number: 'DE136695976',
    set_as_default: true,
  };
  const made = await send(website.host, 'POST', '/api/account/billing-addresses', address, as);
  expect(made.status).toBe(201);
  const browser = await openBrowser(website, as);
  const page = await (await browser.open('/user/subscription/order/basic_yearly')).text();
  const entered = { name: 'Ada Tester', address: '2 Tintenweg', zip_code: '10115', city: 'Berlin' };
  const business = { company: 'Karo GmbH', siret: '73282932000074', vat_number: 'DE136695976' };
  for (const [name, value] of Object.entries({ ...entered, ...business }))
    expect(tagWith(page, 'input', `name="${name}"`)).toContain(`value="${value}"`);
  expect(tagWith(page, 'input', 'name="professional"')).toContain('checked');
  expect(tagWith(page, 'option', 'value="DE"')).toContain('selected');
  expect(page).toContain('€89.10 per year; no French VAT is due at your address');
  expect(page).toContain('Pay monthly instead: €8.25 per month');
});
