import type { Page } from '@playwright/test';
import { setUpAuthenticator } from '../../tests/support/authenticator';
import type { Account, Factories } from './fixtures';
import { host } from './host';
import type { Visited } from './visited';

const PAGE = '/user/settings/two-step';

/** Brings the page to the middle of the set-up, unless it is there already. */
export async function beginTwoStep(page: Page, { password }: Account): Promise<void> {
  const field = page.locator('input[name=currentPassword]');
  if ((await field.count()) > 0) {
    await field.fill(password);
    await page.locator('main form button[type=submit]').first().click();
  }
  await page.locator('.code-picture').waitFor();
}

/** The pages of an account with two-step login. Visiting them leaves that account signed in. */
export async function twoStepPages(factories: Factories): Promise<Visited[]> {
  const account = await factories.account();
  const { recoveryCodes: codes } = await setUpAuthenticator(host, account);
  const logIn = async (page: Page) => {
    await page.context().clearCookies({ name: 'session' });
    await page.goto('/login');
    await page.locator('input[name=email]').fill(account.email);
    await page.locator('input[name=password]').fill(account.password);
    await page.locator('main form button[type=submit]').first().click();
    await page.waitForURL('**/login/code');
  };
  const openSignedIn = async (page: Page) => {
    await logIn(page);
    await page.locator('input[name=code]').fill(codes.pop() ?? '');
    await page.locator('main form button[type=submit]').click();
    await page.waitForURL('**/user/**');
    await page.goto(PAGE);
  };
  const renewCodes = async (page: Page) => {
    await openSignedIn(page);
    const form = page.locator('form', { has: page.locator('input[value=renew]') });
    await form.locator('input[name=currentPassword]').fill(account.password);
    await form.locator('input[name=code]').fill(codes.pop() ?? '');
    await form.locator('button.secondary').click();
    const shown = page.locator('.recovery-codes li');
    await shown.first().waitFor();
    codes.splice(0, codes.length, ...(await shown.allInnerTexts()));
  };
  return [
    { name: 'login, code', path: '/login', act: logIn },
    { name: 'two-step login, on', path: PAGE, signedIn: true, act: openSignedIn },
    { name: 'two-step login, recovery codes', path: PAGE, signedIn: true, act: renewCodes },
  ];
}
