import { chooseType, expect, test } from '../support/fixtures';
import { pictureBytes } from '../support/logos';

test('a visitor sees the code of a link and that it reads back', async ({ page, open }) => {
  await open('/');
  await page.getByLabel('Web address').fill('example.com/menu');
  await page.getByRole('button', { name: 'Update preview' }).click();
  await expect(page.getByRole('img', { name: 'Preview of your QR code' })).toBeVisible();
  await expect(page.getByText('reads back: example.com/menu')).toBeVisible();
  await expect(page.getByLabel('Web address')).toHaveValue('example.com/menu');
});

test('an uploaded logo is kept from preview to preview and can be removed', async ({ page, open }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/logo');
  await page.getByLabel('Your own image').setInputFiles(await pictureBytes('mark.png'));
  await page.getByRole('button', { name: 'Update preview' }).click();
  await expect(page.getByText('Current logo: mark.png')).toBeVisible();
  await expect(page.locator('.code-picture image')).toHaveAttribute('href', /^\/drafts\//);
  await page.getByLabel('White background behind the logo').check();
  await page.getByRole('button', { name: 'Update preview' }).click();
  await expect(page.getByText('reads back: example.com/logo')).toBeVisible();
  await expect(page.getByText('Current logo: mark.png')).toBeVisible();
  await page.getByLabel('Remove this logo').check();
  await page.getByRole('button', { name: 'Update preview' }).click();
  await expect(page.getByText('Current logo: mark.png')).toBeHidden();
});

test('another logo in place of the first is shown at once', async ({ page, open, ready }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/logo');
  const logo = page.locator('.code-picture image');
  const addresses: string[] = [];
  for (const red of [196, 20]) {
    await page.locator('input[name=logo]').setInputFiles(await pictureBytes(`red-${red}.png`, red));
    await page.getByRole('button', { name: 'Update preview' }).click();
    await expect(page.getByText(`Current logo: red-${red}.png`)).toBeVisible();
    await expect(logo).toHaveAttribute('href', /^\/drafts\//);
    addresses.push((await logo.getAttribute('href')) ?? '');
    await ready();
  }
  expect(addresses[1]).not.toBe(addresses[0]);
});

test('every type shows its own fields and keeps what was typed', async ({ page, open }) => {
  await open('/create');
  await chooseType(page, 'Wi-Fi');
  await expect(page.getByLabel('Web address')).toBeHidden();
  await page.getByLabel('Network name (SSID)').fill('Guests; "upstairs"');
  await page.getByLabel('Password of the network').fill('pass:word\\9');
  await page.getByRole('button', { name: 'Update preview' }).click();
  await expect(page.getByText('reads back: WIFI:T:WPA;S:Guests\\; \\"upstairs\\"')).toBeVisible();
  await expect(page.getByLabel('Password of the network')).toHaveValue('pass:word\\9');
  await chooseType(page, 'E-mail');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Subject').fill('Table for two');
  await page.getByRole('button', { name: 'Update preview' }).click();
  await expect(page.getByText('reads back: mailto:ada@example.com?subject=Table%20for%20two')).toBeVisible();
});

test('image and video are announced and cannot be chosen', async ({ page, open }) => {
  await open('/');
  await expect(page.getByRole('radio', { name: /Image/ })).toBeDisabled();
  await expect(page.getByRole('radio', { name: /Video/ })).toBeDisabled();
  await expect(page.getByText('coming soon').first()).toBeVisible();
});

test('signed out, creating keeps the design and leads to the order', async ({ page, open }) => {
  await open('/');
  await page.getByLabel('Web address').fill('https://example.com/kept');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly$/);
  await open('/create');
  await expect(page.getByLabel('Web address')).toHaveValue('https://example.com/kept');
});
