import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { expect, test as journey, visitorHeaders } from '../support/fixtures';

/** A browser whose owner has switched cookies off; it then refuses local and session storage, too. */
const test = journey.extend<{ context: BrowserContext; page: Page }>({
  context: async ({ playwright, launchOptions, baseURL, locale, mode }, use, testInfo) => {
    const folder = testInfo.outputPath('profile');
    mkdirSync(join(folder, 'Default'), { recursive: true });
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
    writeFileSync(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences));
    const context = await playwright.chromium.launchPersistentContext(folder, {
      ...launchOptions,
      ...(baseURL && { baseURL }),
      ...(locale && { locale }),
      extraHTTPHeaders: visitorHeaders(),
      javaScriptEnabled: mode !== 'no-js',
    });
    await use(context);
    await context.close();
  },
});

test('a browser that refuses cookies is led from page to page all the same', async ({ page, open }) => {
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
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByText('your browser refuses cookies')).toBeVisible();
});
