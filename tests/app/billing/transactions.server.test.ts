import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../support/browser';
import { buy, onboard } from '../../support/ordering';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/subscription': 'billing/subscription-page.tsx',
    '/user/subscription/invoices/:file': 'billing/invoice-route.ts',
  });
});
afterAll(async () => website.close());

/** A customer who has paid, and the path of the invoice. */
async function customer() {
  const bought = await buy(website.host, { trial: false });
  const token = await onboard(website.host, bought.email);
  const browser = await openBrowser(website, { token });
  const page = await (await browser.open('/user/subscription')).text();
  const path = /href="(\/user\/subscription\/invoices\/[^"]+\.pdf)"/.exec(page)?.[1] ?? '';
  return { browser, path };
}

test('an invoice is a download that is not cached and cannot run scripts', async () => {
  const { browser, path } = await customer();
  const answer = await browser.open(path);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${path.split('/').at(-1)}"`,
    'cache-control': 'private, no-store',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  // The whole file: a cut one would lack its end.
  expect(Buffer.from(await answer.arrayBuffer()).toString('latin1')).toMatch(/^%PDF-.*%%EOF\s*$/s);
});

test('while the host is down, an invoice is unavailable rather than missing', async () => {
  const { browser, path } = await customer();
  await website.hostDown();
  expect((await browser.open(path)).status).toBe(503);
});

test("another account's invoice gets a 404, and invoices require a sign-in", async () => {
  const { path } = await customer();
  const other = await openBrowser(website, await website.host.account());
  expect((await other.open(path)).status).toBe(404);
  const answer = await (await openBrowser(website)).open(path);
  expect(answer.headers.get('location')).toBe(`/login?next=${encodeURIComponent(path)}`);
});
