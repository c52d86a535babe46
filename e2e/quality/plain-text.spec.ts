import type { BrowserContext } from '@playwright/test';
import { type Account, expect, test, visitorHeaders } from '../support/fixtures';
import { pagesToCheck } from '../support/pages';
import { findTextFaults } from '../support/plain-text';

// Two languages suffice, those whose words differ most in length, as the markup is the same in all.
for (const locale of ['gb', 'de'] as const) {
  test(`every page reads well without scripts and style sheets: ${locale}`, async ({
    browser,
    baseURL,
    factories,
  }) => {
    test.setTimeout(300_000);
    const account = await factories.account();
    const openWindow = async (owner?: Account) => {
      const context = await browser.newContext({
        baseURL: baseURL ?? '',
        javaScriptEnabled: false,
        extraHTTPHeaders: visitorHeaders(),
      });
      await context.route(/\.(?:css|js|png|svg)(?:\?|$)/, (route) => route.abort());
      if (owner) await signInByForm(context, owner);
      await context.addCookies([{ name: 'lng', value: locale, url: baseURL ?? '' }]);
      return context.newPage();
    };
    const [owner, visitor] = [await openWindow(account), await openWindow()];
    for (const { name, path, status, signedIn, act } of await pagesToCheck(factories, account)) {
      const page = signedIn ? owner : visitor;
      const response = await page.goto(path);
      expect(response?.status(), name).toBe(status ?? 200);
      await act?.(page);
      expect.soft(await findTextFaults(page), name).toEqual([]);
    }
  });
}

async function signInByForm(context: BrowserContext, account: Account): Promise<void> {
  const page = await context.newPage();
  await page.goto('/login');
  await page.locator('input[name=email]').fill(account.email);
  await page.locator('input[name=password]').fill(account.password);
  await page.locator('main form button[type=submit]').click();
  await page.waitForURL('**/user/**');
  await page.close();
}
