import AxeBuilder from '@axe-core/playwright';
import type { BrowserContext, Page } from '@playwright/test';
import { type Account, expect, test, visitorHeaders } from '../support/fixtures';
import { LOCALES, pagesToCheck, THEMES } from '../support/pages';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

for (const theme of THEMES) {
  for (const locale of LOCALES) {
    test(`every page is free of axe violations: ${locale}, ${theme}`, async ({
      browser,
      baseURL,
      factories,
    }) => {
      test.setTimeout(900_000);
      const account = await factories.account();
      const context = await browser.newContext({
        baseURL: baseURL ?? '',
        colorScheme: theme,
        reducedMotion: 'reduce',
        extraHTTPHeaders: visitorHeaders(),
      });
      await signInByForm(context, account);
      await context.addCookies([{ name: 'lng', value: locale, url: baseURL ?? '' }]);
      const visitor = await browser.newContext({
        baseURL: baseURL ?? '',
        colorScheme: theme,
        reducedMotion: 'reduce',
        extraHTTPHeaders: visitorHeaders(),
      });
      await visitor.addCookies([{ name: 'lng', value: locale, url: baseURL ?? '' }]);
      for (const visited of await pagesToCheck(factories, account)) {
        for (const hydrated of visited.act ? [true] : [true, false]) {
          const page = await (visited.signedIn ? context : visitor).newPage();
          await open(page, visited.path, hydrated);
          await visited.act?.(page);
          const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
          const found = violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
          );
          expect.soft(found, `${visited.name}${hydrated ? '' : ', not hydrated'}`).toEqual([]);
          await page.close();
        }
      }
      await context.close();
      await visitor.close();
    });
  }
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

/** Not hydrated: scripts are off while the page loads, and on again for axe, which is a script itself. */
async function open(page: Page, path: string, hydrated: boolean): Promise<void> {
  if (hydrated) {
    await page.goto(path);
    if (!path.startsWith('/r/')) await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    return;
  }
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.goto(path);
  await protocol.send('Emulation.setScriptExecutionDisabled', { value: false });
  expect(await page.locator('html').getAttribute('data-ready')).toBeNull();
}
