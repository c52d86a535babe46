import type { Page } from '@playwright/test';
import { type Account, expect, test } from '../support/fixtures';
import { pictureBytes } from '../support/logos';

async function signInAgain(page: Page, account: Account): Promise<void> {
  await expect(page.getByText('Your session has expired. Please log in again.')).toBeVisible();
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Login successful')).toBeVisible();
}

test('a profile posted after the session ended is kept until the next sign-in', { tag: '@late' }, async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await open('/user/settings');
  await page.getByLabel('First name').fill('Katherine');
  await factories.endSessions(account);
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await signInAgain(page, account);
  await expect(page).toHaveURL(/\/user\/settings$/);
  const unsent = page.locator('.unsent');
  await expect(unsent.getByRole('heading', { name: 'Nothing you typed is lost' })).toBeVisible();
  await expect(unsent).toContainText('Katherine');
  await unsent.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('Profile saved')).toBeVisible();
  await expect(page.getByLabel('First name')).toHaveValue('Katherine');
  await expect(unsent).toHaveCount(0);
});

test('a change to a code posted after the session ended is kept until the next sign-in', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://before.example/' });
  await open(`/user/qrcodes/${code.id}`);
  await page.getByLabel('Web address').fill('https://after.example/');
  await factories.endSessions(account);
  await page.locator('#change').getByRole('button').click();
  await signInAgain(page, account);
  await page.locator('.unsent').getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('The code now leads to after.example')).toBeVisible();
  expect(await factories.codesOf(account)).toMatchObject([{ content: 'https://after.example/' }]);
});

test('a code designed on the home page after the session ended is created after the next sign-in', {
  tag: '@late',
}, async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  await open('/');
  await page.getByLabel('Web address').fill('https://designed.example/');
  await page.locator('input[name=logo]').setInputFiles(await pictureBytes('mark.png'));
  await factories.endSessions(account);
  await page.getByRole('button', { name: 'Create the code' }).click();
  await signInAgain(page, account);
  await expect(page).toHaveURL(/\/create$/);
  await expect(page.getByText('Current logo: mark.png')).toBeVisible();
  await page.locator('.unsent').getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  expect(await factories.codesOf(account)).toMatchObject([{ content: 'https://designed.example/' }]);
});

test('what one user typed is not shown to another user who signs in with the same browser', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const other = await factories.account();
  await open('/user/settings');
  await page.getByLabel('First name').fill('Secretive');
  await factories.endSessions(account);
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await signInAgain(page, other);
  await expect(page).toHaveURL(/\/user\/settings$/);
  await expect(page.getByLabel('First name')).toHaveValue('Ada');
  await expect(page.getByText('Secretive')).toHaveCount(0);
});
