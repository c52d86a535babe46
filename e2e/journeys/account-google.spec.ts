import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

const INVALID = 'Error when trying to log with Google: invalid token';

async function continueWith(page: Page, email: string, behaviour = 'good'): Promise<void> {
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await page.getByLabel('Address', { exact: true }).fill(email);
  await page.getByLabel('Token').selectOption(behaviour);
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('signing in with Google returns to the requested page and keeps people signed in if they chose so', async ({
  page,
  open,
  context,
  factories,
}) => {
  const account = await factories.account({ firstName: 'Grace' });
  await open('/user/settings');
  await page.getByLabel('Keep me signed in').check();
  await continueWith(page, account.email);
  await expect(page.getByText('Login with Google successful')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/settings$/);
  await expect(page.getByRole('link', { name: 'Grace' }).first()).toBeVisible();
  const session = (await context.cookies()).find(({ name }) => name === 'session');
  expect(session?.expires).toBeGreaterThan(Date.now() / 1000 + 29 * 86_400);
  await open('/google-login');
  await expect(page).toHaveURL(/\/$/);
});

test('a Google token for an unverified address does not sign in', async ({ page, open, factories }) => {
  const account = await factories.account();
  await open('/login');
  await continueWith(page, account.email, 'unverified');
  await expect(page.getByText(INVALID)).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await open('/user/settings');
  await expect(page).toHaveURL(/\/login/);
});

test('signing in with Google without an account says what to do', async ({ page, open }) => {
  await open('/login');
  await continueWith(page, `stranger-${Date.now()}@test.example`);
  await expect(page.getByText('No account here uses the address of this Google account.')).toBeVisible();
});

test('a Google callback is accepted once, and only in the browser that started the sign-in', async ({
  page,
  open,
  context,
  factories,
}) => {
  const account = await factories.account();
  let callback = '';
  page.on('request', (request) => {
    if (/\/google-login\?.*code=/.test(request.url())) callback = request.url();
  });
  await open('/login');
  await continueWith(page, account.email);
  await expect(page.getByText('Login with Google successful')).toBeVisible();
  await context.clearCookies();
  const { pathname, search } = new URL(callback);
  await open(pathname + search);
  await expect(page.getByText(INVALID)).toBeVisible();
  // Another sign-in in progress does not make the browser accept the old callback.
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await expect(page.getByLabel('Address', { exact: true })).toBeVisible();
  await open(pathname + search);
  await expect(page.getByText(INVALID)).toBeVisible();
});

test('a buyer can sign in with Google instead of the mailed link, and the saved design becomes a code', async ({
  page,
  open,
  factories,
}) => {
  const email = `${crypto.randomUUID()}@shop.example`;
  await factories.bought({ email, content: 'https://first.example/' });
  await open('/login');
  await continueWith(page, email);
  await expect(page.getByText('Onboarding successful')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/qrcodes\/[\w-]+\/ready$/);
  await expect(page.getByRole('main').getByRole('link', { name: 'https://first.example/' })).toBeVisible();
});

test('if Google does not host the mailbox, linking asks for the password once and can be undone', async ({
  page,
  open,
  factories,
}) => {
  const account = await factories.account();
  await open('/user/settings');
  await continueWith(page, account.email, 'foreign-mailbox');
  await expect(page.getByText('Your Google account is not linked to your account here yet.')).toBeVisible();
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Login successful')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/settings$/);
  await page.getByRole('link', { name: `Remove Google ${account.email}` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Remove this Google account?');
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByText('You can no longer sign in with the Google account')).toBeVisible();
  await expect(page.getByText(`Google · ${account.email}`)).toBeHidden();
});
