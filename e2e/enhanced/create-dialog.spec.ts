import type { Page } from '@playwright/test';
import { chooseType, expect, test } from '../support/fixtures';
import { pictureBytes } from '../support/logos';

function parts(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Create a QR code' });
  const opener = page.getByRole('link', { name: 'Create a QR code' }).first();
  return { dialog, opener, cancel: dialog.getByRole('button', { name: 'Cancel' }) };
}

test('on a phone, Cancel is visible at both the top and the end of the form', async ({
  page,
  open,
  signIn,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await signIn();
  await open('/user/qrcodes');
  const { dialog, cancel } = parts(page);
  await page.locator('main a[href="/create"]').first().click();
  await expect(cancel).toBeInViewport({ ratio: 1 });
  await dialog.getByRole('button', { name: 'Create the code' }).scrollIntoViewIfNeeded();
  await expect(cancel).toBeInViewport({ ratio: 1 });
  await cancel.click();
  await expect(dialog).toHaveCount(0);
});

test('Back closes the dialog and stays on the page; reopening it restores the whole design', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/dashboard');
  await open('/user/qrcodes');
  const { dialog, opener } = parts(page);
  await opener.click();
  await chooseType(page, 'Wi-Fi');
  await dialog.locator('[name=ssid]').fill('Half a network');
  await dialog.locator('[name=security]').selectOption('nopass');
  await dialog.locator('[name=useWhiteBackground]').check();
  await dialog.getByLabel('Your own image').setInputFiles(await pictureBytes('half.png'));
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(/\/user\/qrcodes$/);
  await expect(opener).toBeFocused();

  await opener.click();
  await expect(dialog.locator('[name=ssid]')).toHaveValue('Half a network');
  await expect(dialog.locator('[name=type][value=wifi]')).toBeChecked();
  await expect(dialog.locator('[name=security]')).toHaveValue('nopass');
  await expect(dialog.locator('[name=useWhiteBackground]')).toBeChecked();
  expect(
    await dialog.getByLabel('Your own image').evaluate((input: HTMLInputElement) => input.files?.[0]?.name),
  ).toBe('half.png');
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(/\/user\/dashboard$/);
});

test('cancelling leaves no history entry and keeps the design; after creating, the dialog starts empty', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/dashboard');
  await open('/user/qrcodes');
  const { dialog, opener, cancel } = parts(page);
  await opener.click();
  await dialog.getByLabel('Web address').fill('https://from-dialog.example/');
  await cancel.click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => page.evaluate(() => 'dialog' in (history.state ?? {}))).toBe(false);
  await page.goBack();
  await expect(page).toHaveURL(/\/user\/dashboard$/);
  await page.goForward();
  await expect(page).toHaveURL(/\/user\/qrcodes$/);
  await expect(page.locator('html[data-ready]')).toBeAttached();

  await opener.click();
  await dialog.getByLabel('Web address').fill('https://from-dialog.example/');
  await dialog.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  await opener.click();
  await expect(dialog.getByLabel('Web address')).toHaveValue('');
});

test('Back restores an order that was left through a link', async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  await page.getByLabel('Town').fill('Paris');
  await page.getByLabel('Country').selectOption('FR');
  await page.getByRole('contentinfo').getByRole('link', { name: 'Contact' }).first().click();
  await expect(page).toHaveURL(/\/contact$/);
  await page.goBack();
  await expect(page.getByLabel('Town')).toHaveValue('Paris');
  await expect(page.getByLabel('Country')).toHaveValue('FR');
});
