import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { fillOrder, newBuyer } from '../support/orders';

/** Follows the link from the summary to a field and expects the page to keep its errors. */
async function followError(page: Page, name: string, label: string): Promise<void> {
  const field = page.getByLabel(label);
  const link = page.getByRole('region', { name: 'There is a problem' }).getByRole('link', { name });
  await link.click();
  await expect(field).toBeFocused();
  await expectRefusal(page, name, label);
}

async function expectRefusal(page: Page, name: string, label: string): Promise<void> {
  const field = page.getByLabel(label);
  await expect(page.getByRole('region', { name: 'There is a problem' })).toContainText(name);
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(field).toHaveAccessibleDescription(new RegExp(name.replaceAll('.', '\\.')));
  await expect(page).toHaveTitle(/^Error: /);
}

async function skipToMain(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Skip to the content' }).press('Enter');
  await expect(page.locator('main')).toBeFocused();
}

test('a declaration keeps its errors and input while the error links are followed', { tag: '@late' }, async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/cancel-contract');
  await page.getByLabel('First and last name').fill('');
  await page.getByLabel('E-mail address').fill('other@sheet.example');
  await page.getByRole('main').locator('form button').click();
  const wrong = 'Enter your first and last name.';
  await followError(page, wrong, 'First and last name');
  await expect(page.getByLabel('E-mail address')).toHaveValue('other@sheet.example');
  await skipToMain(page);
  await expectRefusal(page, wrong, 'First and last name');
  await page.getByLabel('First and last name').fill('Ada Lovelace');
  await page.getByRole('main').locator('form button').click();
  const confirm = page.getByRole('button', { name: 'Notify the cancellation' });
  await expect(confirm).toBeVisible();
  await skipToMain(page);
  await expect(confirm).toBeVisible();
});

test('an order keeps its errors and ticked boxes while the error links are followed', async ({
  page,
  open,
}) => {
  await open('/subscribe/basic_monthly');
  await fillOrder(page, { ...newBuyer(), email: '' });
  await page.getByLabel(/^I order for a business/).check();
  await page.getByRole('button', { name: /^Order with obligation to pay/ }).click();
  const wrong = 'Enter your e-mail address.';
  await followError(page, wrong, 'E-mail address');
  await skipToMain(page);
  await expectRefusal(page, wrong, 'E-mail address');
  await expect(page.getByLabel('I accept the terms of sale.')).toBeChecked();
  await expect(page.getByLabel(/^I ask that the service start/)).toBeChecked();
  await expect(page.getByLabel(/^I order for a business/)).toBeChecked();
  await expect(page.getByLabel('Town')).toHaveValue('Paris');
});

test('the creation form keeps its errors and design while the error links are followed', {
  tag: '@late',
}, async ({ page, open }) => {
  await open('/');
  await page.getByLabel('Web address').fill('not an address');
  await page.locator('label').filter({ hasText: 'Heart' }).click();
  await page.getByRole('button', { name: 'Create the code' }).click();
  const wrong =
    'Enter a web address such as https://example.com. Only http and https work, without a user name or password. ' +
    'The name of the site has only letters, digits, hyphens and dots.';
  await followError(page, wrong, 'Web address');
  await expect(page.getByLabel('Web address')).toHaveValue('not an address');
  await expect(page.getByRole('radio', { name: 'Heart' })).toBeChecked();
  await expect(page.getByLabel('Web address')).toHaveAccessibleDescription(
    /Error: Enter a web address such as/,
  );
  // The summary and the field say it, and nothing else.
  await expect(page.locator('#create-failure')).toHaveCount(0);
});

test('deleting an account without a password keeps its error while the error link is followed', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/settings/delete');
  await page.getByRole('button', { name: 'Delete my account for good' }).click();
  await followError(page, 'Enter your password.', 'Current password');
});

test('a refused change of visibility shows its error in its section and leaves the content alone', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account);
  await open(`/user/qrcodes/${code.id}`);
  const section = page.locator('#visibility');
  await section.locator('summary').first().click();
  await factories.endAccess(account);
  await section.getByRole('button', { name: 'Make it private' }).click();
  const summary = section.getByRole('region', { name: 'There is a problem' });
  await expect(summary).toContainText('Changing a code needs an active subscription.');
  await expect(summary).toBeFocused();
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByRole('region', { name: 'There is a problem' })).toHaveCount(1);
  await expect(page.getByLabel('Web address')).toHaveValue('https://destination.example/');
});

test('without a subscription, the page of a code says so and takes no changes, but hands out its files', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account);
  await factories.endAccess(account);
  await open(`/user/qrcodes/${code.id}`);
  const state = page.locator('.code-state');
  await expect(state).toContainText('No active subscription.');
  await expect(state.getByRole('link', { name: 'Go to subscription' })).toBeVisible();
  await expect(page.getByLabel('Web address')).toBeDisabled();
  await expect(page.getByLabel('Web address')).toHaveValue('https://destination.example/');
  await expect(page.locator('#change').getByRole('button')).toBeDisabled();
  for (const [fold, button] of [
    ['visibility', 'Make it private'],
    ['name', 'Save name and tags'],
    ['archive', 'Archive this code'],
  ]) {
    await page.locator(`#${fold} > summary`).click();
    await expect(page.getByRole('button', { name: button })).toBeDisabled();
  }
  await expect(page.getByRole('link', { name: 'Change logo and look' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Download' })).toBeEnabled();
  await page.getByRole('link', { name: 'Delete this code' }).click();
  await page.getByRole('button', { name: 'Archive it instead' }).click();
  await expect(page.getByText('Changing a code needs an active subscription')).toBeVisible();
});
