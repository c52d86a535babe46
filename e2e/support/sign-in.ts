import type { BrowserContext } from '@playwright/test';
import type { Account } from './fixtures';

/** Signs in to an account in any language. */
export async function signInByForm(context: BrowserContext, account: Account): Promise<void> {
  const page = await context.newPage();
  await page.goto('/login');
  await page.locator('input[name=email]').fill(account.email);
  await page.locator('input[name=password]').fill(account.password);
  await page.locator('main form button[type=submit]').click();
  await page.waitForURL('**/user/**');
  await page.close();
}
