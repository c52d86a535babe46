import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { HOST_PORT, WEB_PORT } from './ports';

/** Somebody nobody else is: the sandbox tells cards apart by their holder, too. */
export function newBuyer() {
  const id = randomUUID();
  const holder = [...id.replaceAll('-', '')].map((digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)]);
  return { name: `Ada ${holder.join('')}`, email: `${id}@shop.example` };
}

interface Ordered {
  name: string;
  email: string;
  /** Order page the order is sent to. */
  path?: string;
  card?: string;
}

/**
 * Orders with this page's cookies and enters a card; answers the path of the page after paying. The card page is asked
 * without the browser: it names the address of a host that stands elsewhere.
 */
export async function order(page: Page, { name, email, ...options }: Ordered): Promise<string> {
  const { path = '/subscribe/basic_monthly', card = '4242424242424242' } = options;
  const site = `http://localhost:${WEB_PORT}`;
  const form = {
    ...{ key: randomUUID(), name, email, address: '1 rue du Papier', zip_code: '75011', city: 'Paris' },
    ...{ country: 'FR', terms: 'on', waiver: 'on' },
  };
  const placed = await page.request.post(path, { form, headers: { Origin: site }, maxRedirects: 0 });
  expect(placed.status()).toBe(303);
  const { pathname } = new URL(placed.headers().location ?? '');
  const cardPage = `http://127.0.0.1:${HOST_PORT}${pathname}`;
  const paid = await page.request.post(cardPage, {
    form: { name, number: card, expiry: '12/34', cvc: '123' },
    headers: { Origin: `http://127.0.0.1:${HOST_PORT}` },
    maxRedirects: 0,
  });
  expect(paid.status()).toBe(303);
  const after = new URL(paid.headers().location ?? '');
  return after.pathname + after.search;
}
