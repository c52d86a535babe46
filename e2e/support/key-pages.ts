import type { Page } from '@playwright/test';
import { makeApiKey } from '../../tests/support/api-keys';
import type { Account } from './fixtures';
import { host } from './host';
import type { Visited } from './visited';

const PAGE = '/user/settings/keys';

/** The pages of API keys, which belong to an account with one. */
export async function keyPages(account: Account, refused: NonNullable<Visited['act']>): Promise<Visited[]> {
  const { id } = await makeApiKey(host, account, { name: 'Our web shop', tag: 'Menu' });
  const renew = `${PAGE}/${id}/renew`;
  return [
    { name: 'API keys', path: PAGE, signedIn: true },
    { name: 'new API key', path: `${PAGE}/new`, signedIn: true },
    { name: 'new API key, refused', path: `${PAGE}/new`, signedIn: true, act: refused },
    { name: 'change an API key', path: `${PAGE}/${id}/edit`, signedIn: true },
    { name: 'renew an API key', path: renew, signedIn: true },
    { name: 'renew an API key, done', path: renew, signedIn: true, act: (page) => renewKey(page, account) },
    { name: 'revoke an API key', path: `${PAGE}/${id}/revoke`, signedIn: true },
  ];
}

/** Brings the page to the new secret, unless it is there already. */
async function renewKey(page: Page, { password }: Account): Promise<void> {
  const field = page.locator('input[name=currentPassword]');
  if ((await field.count()) > 0) {
    await field.fill(password);
    await page.locator('main form button[type=submit]').first().click();
  }
  await page.locator('[data-once]').waitFor();
}
