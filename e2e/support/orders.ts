import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { asWebsite } from '../../tests/support/internal-key';
import { randomAddress } from './host';
import { HOST_PORT, WEB_PORT } from './ports';
import { signInTo } from './sign-in';

/** The sandbox's test cards, keyed by the outcome of a charge. */
export const CARDS = {
  good: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  neverCharged: '4000 0000 0000 0341',
  firstChargeOnly: '4000 0000 0000 1018',
  asksHolder: '4000 0000 0000 3220',
};

const PASSWORD = 'correct horse battery staple 9';

interface Site {
  baseURL: string;
  hostURL: string;
}

const SHARED: Site = { baseURL: `http://localhost:${WEB_PORT}`, hostURL: `http://127.0.0.1:${HOST_PORT}` };

export interface Buyer {
  name: string;
  email: string;
}

/** A buyer with a unique name, because the sandbox identifies a card by number and holder. */
export function newBuyer(): Buyer {
  const id = randomUUID();
  const holder = [...id.replaceAll('-', '')].map((digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]);
  return { name: `Ada ${holder.join('')}`, email: `${id}@shop.example` };
}

interface Ordered extends Buyer {
  /** The order page. */
  path?: string;
  card?: string;
}

/** The order form fields of a private customer in Paris. */
export function orderForm({ name, email }: Buyer): Record<string, string> {
  return {
    key: randomUUID(),
    name,
    email,
    address: '1 rue du Papier',
    zip_code: '75011',
    city: 'Paris',
    country: 'FR',
    terms: 'on',
    waiver: 'on',
  };
}

/** Posts an order with this page's cookies; returns the URL of the card page. */
export async function sendOrder(page: Page, path: string, form: Record<string, string>): Promise<string> {
  const headers = { Origin: `http://localhost:${WEB_PORT}` };
  const placed = await page.request.post(path, { form, headers, maxRedirects: 0 });
  expect(placed.status()).toBe(303);
  return placed.headers().location ?? '';
}

/** Places an order without paying; returns the path of the page after payment, the card page and the name. */
export async function orderUnpaid(page: Page) {
  const { zip_code, ...entered } = orderForm(newBuyer());
  const body = { ...entered, zip_code, slug: 'basic_monthly', terms: true, waiver: true, locale: 'gb' };
  const url = `http://127.0.0.1:${HOST_PORT}/api/subscriptions`;
  const { data } = await (await page.request.post(url, { data: body })).json();
  const path = `/payment-success?payment_intent=${data.paymentIntent}`;
  return { path, cardPage: data.redirectUrl as string, name: entered.name ?? '' };
}

/** Posts card details without opening the card page; returns the path of the page after payment. */
export async function sendCard(page: Page, cardPage: string, name: string, number = CARDS.good) {
  const paid = await page.request.post(cardPage, {
    form: { name, number, expiry: '12/34', cvc: '123' },
    headers: { Origin: `http://127.0.0.1:${HOST_PORT}` },
    maxRedirects: 0,
  });
  expect(paid.status()).toBe(303);
  const after = new URL(paid.headers().location ?? '');
  return after.pathname + after.search;
}

/** Orders and pays without opening a page; returns the path of the page after payment. */
export async function order(page: Page, { card, path = '/subscribe/basic_monthly', ...buyer }: Ordered) {
  const cardPage = await sendOrder(page, path, orderForm(buyer));
  return sendCard(page, cardPage, buyer.name, card);
}

/** Fills in the order page and ticks its consent boxes. */
export async function fillOrder(page: Page, { name, email }: { name: string; email?: string }) {
  await page.getByLabel('First and last name').fill(name);
  if (email) await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Street and number').fill('1 rue du Papier');
  await page.getByLabel('Postcode').fill('75011');
  await page.getByLabel('Town').fill('Paris');
  await page.getByLabel('Country').selectOption('FR');
  await page.getByLabel('I accept the terms of sale.').check();
  await page.getByLabel(/^I ask that the service start/).check();
}

/** Fills in and submits the sandbox's card form. */
export async function enterCard(page: Page, button: string, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expiry date').fill('12/34');
  await page.getByLabel('Security code').fill('123');
  await page.getByRole('button', { name: button }).click();
}

/**
 * Sets up a purchased account by the token of its mailed link and signs in to it. Opens no page: those of the link have
 * tests of their own.
 */
export async function setUp(
  page: Page,
  email: string,
  mailedPath: string,
  { hostURL, baseURL }: Site = SHARED,
) {
  const token = new URL(mailedPath, baseURL).searchParams.get('token');
  const names = { firstName: 'Ada', lastName: 'Lovelace' };
  const headers = { ...asWebsite, 'X-Client-Address': randomAddress() };
  const answer = await page.request.post(`${hostURL}/api/account/onboarding`, {
    data: { token, ...names, password: PASSWORD, confirmPassword: PASSWORD, locale: 'gb' },
    headers,
  });
  const signedIn = await answer.json();
  expect(answer.status(), signedIn.message).toBe(200);
  // As after an earlier visit: the first page of an account stores its zone and reloads its data.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const stored = await page.request.put(`${hostURL}/api/account/time-zone`, {
    data: { timeZone },
    headers: { ...headers, Authorization: `Bearer ${signedIn.token}` },
  });
  expect(stored.ok()).toBe(true);
  await logIn(page, email, baseURL);
}

/** Signs in a buyer whose account is already set up. */
export function logIn(page: Page, email: string, site = SHARED.baseURL): Promise<void> {
  return signInTo(page.request, { email, password: PASSWORD }, site);
}
