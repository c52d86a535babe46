import type { BrowserContext } from '@playwright/test';
import { startCookieFreeProxy } from '../support/cookie-free-proxy';
import { expect, test as journey, visitorHeaders } from '../support/fixtures';

/** A browser with cookies turned off, which also turns off local and session storage. */
const test = journey.extend<{ context: BrowserContext }>({
  context: async ({ browser, baseURL, locale, mode }, use) => {
    await using proxy = await startCookieFreeProxy();
    const context = await browser.newContext({
      ...(baseURL && { baseURL }),
      ...(locale && { locale }),
      proxy: { server: proxy.url },
      extraHTTPHeaders: visitorHeaders(),
      javaScriptEnabled: mode !== 'no-js',
    });
    await context.addInitScript(refuseStorage);
    await use(context);
    await context.close();
  },
});

function refuseStorage(): void {
  const refuse = () => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  };
  for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse });
  Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set: () => undefined });
  Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });
}

test('a browser without cookies can still navigate between pages', async ({ page, open }) => {
  await open('/');
  const menu = page.getByRole('banner');
  await menu.getByRole('link', { name: 'Pricing' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'One plan, everything included' })).toBeVisible();
  await page
    .getByRole('link', { name: /^Choose/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Order Basic' })).toBeVisible();
  await menu.getByRole('link', { name: 'FAQ' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Frequently asked questions' })).toBeVisible();
});

test('signing in without cookies says why it fails', async ({ page, open, factories }) => {
  const account = await factories.account();
  await open('/login');
  await expect(page.getByText('your browser refuses cookies')).toHaveCount(0);
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('your browser refuses cookies')).toBeVisible();
});
