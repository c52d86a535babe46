import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

const banner = (page: Page) => page.getByRole('region', { name: 'Cookies', exact: true });

function storedCopy(page: Page): Promise<string | null> {
  return page.evaluate(() => localStorage.getItem('quadrille.consent.v1'));
}

test('a choice is copied to local storage and applies on the next page', async ({ page, open }) => {
  await open('/faq');
  expect(await storedCopy(page)).toBeNull();
  await banner(page).getByRole('button', { name: 'Accept all' }).click();
  await expect(banner(page).getByText('Your choice is saved')).toBeVisible();
  await expect(banner(page)).toBeFocused();
  expect(JSON.parse((await storedCopy(page)) ?? '')).toEqual({
    necessary: true,
    analytics: true,
    advertising: true,
  });
  await page.evaluate(() => localStorage.clear());
  await open('/contact');
  await expect(banner(page)).toHaveCount(0);
  expect(await storedCopy(page)).toContain('"analytics":true');
});

test('the copy is deleted together with the choice', async ({ page, open }) => {
  await open('/faq');
  await banner(page).getByRole('button', { name: 'Reject all' }).click();
  await expect(banner(page).getByText('Your choice is saved')).toBeVisible();
  await page.context().clearCookies({ name: 'consent' });
  await open('/faq');
  await expect(banner(page)).toBeVisible();
  expect(await storedCopy(page)).toBeNull();
});

test('the confirmation stays until a client-side navigation', async ({ page, open }) => {
  await open('/faq');
  await banner(page).getByRole('button', { name: 'Reject all' }).click();
  await expect(banner(page).getByText('Your choice is saved')).toBeVisible();
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(banner(page)).toHaveCount(0);
});

test('a choice that cannot be stored is not announced as saved', async ({ page, open }) => {
  await open('/faq');
  await page.route('**/cookies?stay', (route) => route.abort());
  await banner(page).getByRole('button', { name: 'Reject all' }).click();
  await expect(banner(page).getByText('This could not be saved')).toBeVisible();
  await expect(banner(page).getByText('Your choice is saved')).toBeHidden();
  await page.unroute('**/cookies?stay');
  await banner(page).getByRole('button', { name: 'Reject all' }).click();
  await expect(banner(page).getByText('Your choice is saved')).toBeVisible();
});

test('Customise opens a dialog; saving closes it and confirms the choice', async ({ page, open }) => {
  await open('/login');
  await page.getByLabel('E-mail address').fill('half@typed.example');
  await banner(page).getByRole('button', { name: 'Customise' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cookie settings' });
  await dialog
    .getByRole('group', { name: 'Analytics' })
    .locator('label', { hasText: /^Allow$/ })
    .click();
  await dialog.getByRole('button', { name: 'Save my choice' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.locator('.passing')).toHaveText('Your cookie choice is saved');
  await expect(banner(page)).toHaveCount(0);
  await expect(page.getByLabel('E-mail address')).toHaveValue('half@typed.example');
  expect(await storedCopy(page)).toBe('{"necessary":true,"analytics":true,"advertising":false}');
  await expect(page.locator('.passing')).toBeHidden();
});

test('the footer opens the dialog at any time, and closing it changes nothing', async ({ page, open }) => {
  await open('/faq');
  await banner(page).getByRole('button', { name: 'Accept all' }).click();
  await expect(banner(page).getByText('Your choice is saved')).toBeVisible();
  const link = page.getByRole('contentinfo').getByRole('link', { name: 'Cookie settings' });
  await link.click();
  const dialog = page.getByRole('dialog', { name: 'Cookie settings' });
  await expect(
    dialog.getByRole('group', { name: 'Advertising' }).getByLabel('Allow', { exact: true }),
  ).toBeChecked();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(link).toBeFocused();
  expect(await storedCopy(page)).toContain('"advertising":true');
});

test('if a blocker prevents the dialog from loading, the settings page opens', async ({ page, open }) => {
  await page.route('**/assets/dialog-*.js', (route) => route.abort());
  await open('/faq');
  await page.getByRole('contentinfo').getByRole('link', { name: 'Cookie settings' }).click();
  await expect(page).toHaveURL(/\/cookies$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Cookie settings' })).toBeVisible();
});
