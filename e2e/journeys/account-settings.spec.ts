import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { mailedPath } from '../support/mails';

const PASSWORD = 'seven paper lanterns at noon';

const section = (page: Page, name: string) =>
  page.locator('section.sheet').filter({ has: page.getByRole('heading', { name, exact: true }) });

test('names are saved, and errors are shown beside their fields', async ({ page, open, signIn }) => {
  await signIn({ firstName: 'Grace' });
  await open('/user/settings');
  const profile = section(page, 'Profile');
  await profile.getByLabel('First name').fill('');
  await profile.getByLabel('Last name').fill('Hopper');
  await profile.getByRole('button', { name: 'Save the profile' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toContainText(
    'Enter your first name.',
  );
  await expect(profile.getByLabel('Last name')).toHaveValue('Hopper');
  await expect(profile.getByLabel('First name')).toHaveAccessibleDescription(/Enter your first name/);
  await profile.getByLabel('First name').fill('Amazing');
  await profile.getByRole('button', { name: 'Save the profile' }).click();
  await expect(page.getByText('Profile saved')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Amazing' }).first()).toBeVisible();
  await expect(profile.getByLabel('Last name')).toHaveValue('Hopper');
});

test('a new e-mail address awaits confirmation, which can be mailed again, cancelled or given', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const wanted = `new-${account.email}`;
  const profile = section(page, 'Profile');

  async function ask(password: string) {
    await profile.getByLabel('E-mail address').fill(wanted);
    await profile.getByLabel('Current password').fill(password);
    await profile.getByRole('button', { name: 'Save the profile' }).click();
  }

  await open('/user/settings');
  await ask('');
  await expect(page.getByText('Enter your current password').first()).toBeVisible();
  await expect(profile.getByLabel('E-mail address')).toHaveValue(wanted);
  await ask(account.password);
  await expect(page.getByText('The new e-mail address takes effect once you confirm it')).toBeVisible();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toHaveCount(0);
  await expect(profile.getByLabel('E-mail address')).toHaveValue(account.email);
  await expect(profile.getByLabel('Current password')).toHaveValue('');
  await expect(profile.getByText(`Waiting for confirmation from ${wanted}`)).toBeVisible();
  await profile.getByRole('button', { name: 'Send the mail again' }).click();
  await expect(page.getByText('is on its way')).toBeVisible();
  await profile.getByRole('button', { name: 'Keep the present address' }).click();
  await expect(page.getByText('Your e-mail address stays as it is')).toBeVisible();
  await expect(profile.getByText('Waiting for confirmation')).toBeHidden();
  await ask(account.password);
  await expect(profile.getByText(`Waiting for confirmation from ${wanted}`)).toBeVisible();

  const path = await mailedPath(factories, wanted);
  await open(path);
  await expect(page.getByText(wanted)).toBeVisible();
  await page.getByRole('button', { name: 'Confirm this address' }).click();
  await expect(page.getByText('Email confirmed successfully')).toBeVisible();
  await expect(profile.getByLabel('E-mail address')).toHaveValue(wanted);
  expect(await open(path)).toBe(410);
});

test('a new password ends every session and leads to the login', async ({ page, open, signIn, mode }) => {
  const account = await signIn();
  await open('/user/settings');
  const password = section(page, 'Change password');
  await password.getByLabel('Current password').fill('not it');
  await password.getByLabel('New password').fill(PASSWORD);
  await password.getByLabel('Repeat the password').fill(PASSWORD);
  await password.getByRole('button', { name: 'Change the password' }).click();
  await expect(page.getByText('This is not your current password.').first()).toBeVisible();
  await expect(password.getByLabel('New password')).toHaveValue('');
  await password.getByLabel('Current password').fill(account.password);
  await password.getByLabel('New password').fill(PASSWORD);
  await password.getByLabel('Repeat the password').fill(PASSWORD);
  await password.getByRole('button', { name: 'Change the password' }).click();
  // With scripts, the page redirects by itself after a second.
  if (mode !== 'js') {
    await expect(
      page.getByText('Your password has been changed and you are signed out everywhere.'),
    ).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  }
  await expect(page).toHaveURL(/\/login$/);
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Login successful')).toBeVisible();
});

test('other devices can be signed out, one or all', async ({ page, open, signIn, playwright, baseURL }) => {
  const account = await signIn();
  const form = { email: account.email, password: account.password };
  const other = await playwright.request.newContext({ baseURL: baseURL ?? '' });
  await other.post('/login', { form, headers: { Origin: baseURL ?? '' } });
  expect((await other.get('/user/settings')).url()).toMatch(/settings$/);
  await open('/user/settings');
  const sessions = section(page, 'Where you are signed in');
  await expect(sessions.getByText('This device')).toHaveCount(1);
  // The sessions of the account factory, this browser and the other one.
  await expect(sessions.getByRole('listitem')).toHaveCount(3);
  await sessions
    .getByRole('button', { name: /^Sign out(?! everywhere)/ })
    .first()
    .click();
  await expect(page.getByText('The device is signed out')).toBeVisible();
  await expect(sessions.getByRole('listitem')).toHaveCount(2);
  await sessions.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await expect(page.getByText('Signed out everywhere else')).toBeVisible();
  await expect(sessions.getByRole('listitem')).toHaveCount(1);
  expect((await other.get('/user/settings')).url()).toMatch(/\/login/);
  await other.dispose();
});

test('all data of an account can be downloaded as one file', async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  await factories.code(account, { content: 'https://exported.example/' });
  await open('/user/settings');
  await expect(page.getByRole('link', { name: 'Download my data' })).toHaveAttribute(
    'href',
    '/user/settings/export',
  );
  const file = await page.request.get('/user/settings/export');
  expect(file.headers()['content-disposition']).toContain('account.json');
  const { data } = await file.json();
  expect(data.account.email).toBe(account.email);
  expect(data.codes).toHaveLength(1);
});

test('deleting an account requires its password, and nobody can sign in afterwards', async ({
  page,
  open,
  signIn,
  mode,
}) => {
  const account = await signIn();
  await open('/user/settings');
  await page.getByRole('link', { name: 'Delete my account' }).click();
  await expect(page.getByText('This action cannot be undone.')).toBeVisible();
  await page.getByLabel('Current password').fill('not it');
  await page.getByRole('button', { name: 'Delete my account for good' }).click();
  await expect(page.getByText('This is not your current password.').first()).toBeVisible();
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Delete my account for good' }).click();
  if (mode !== 'js') {
    await expect(page.getByRole('heading', { name: 'Your account is deleted' })).toBeVisible();
    await page.getByRole('link', { name: 'To the home page' }).click();
  }
  await expect(page).toHaveURL(/\/$/);
  await open('/login');
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Login error. Please check your credentials.').first()).toBeVisible();
});
