import { type Account, expect, test, visitorHeaders } from '../support/fixtures';
import { pagesToCheck } from '../support/pages';
import { findTextFaults } from '../support/plain-text';
import { signInByForm } from '../support/sign-in';

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
