import type { Page } from '@playwright/test';
import { chooseType, expect, test } from '../support/fixtures';
import { CARDS, enterCard, fillOrder, newBuyer } from '../support/orders';

const ORDER = /^Order with obligation to pay/;
const PHONE = { width: 360, height: 640 };

async function toCardPage(page: Page): Promise<void> {
  await page.getByRole('button', { name: ORDER }).click();
  await expect(page.getByRole('heading', { name: 'Save your card' })).toBeVisible();
}

async function expectOrder(page: Page, { name, email }: { name: string; email?: string }): Promise<void> {
  await expect(page.getByLabel('First and last name')).toHaveValue(name);
  if (email) await expect(page.getByLabel('E-mail address')).toHaveValue(email);
  await expect(page.getByLabel('Street and number')).toHaveValue('1 rue du Papier');
  await expect(page.getByLabel('Postcode')).toHaveValue('75011');
  await expect(page.getByLabel('Town')).toHaveValue('Paris');
  await expect(page.getByLabel('Country')).toHaveValue('FR');
}

test('the back link of the card page restores the order except its consents', async ({
  page,
  open,
  ready,
}) => {
  const buyer = newBuyer();
  await open('/subscribe/basic_yearly');
  await fillOrder(page, buyer);
  await page.getByLabel('I order for a business').check();
  await page.getByLabel('Company name').fill('Carreau SAS');
  await toCardPage(page);
  await page.getByRole('link', { name: 'Back to Quadrille without a card' }).click();
  await expect(page).toHaveURL(/\/subscribe\/basic_yearly$/);
  await ready();
  await expectOrder(page, buyer);
  await expect(page.getByLabel('Company name')).toHaveValue('Carreau SAS');
  await expect(page.getByLabel('I accept the terms of sale.')).not.toBeChecked();
});

test('Back from the card page restores the order, which can be corrected and placed', {
  tag: '@late',
}, async ({ page, open, back, ready }) => {
  const buyer = newBuyer();
  await page.setViewportSize(PHONE);
  await open('/subscribe/basic_monthly');
  await fillOrder(page, buyer);
  await toCardPage(page);
  await back('/subscribe/basic_monthly');
  await expectOrder(page, buyer);
  const corrected = newBuyer();
  await fillOrder(page, corrected);
  await toCardPage(page);
  await expect(page.getByLabel('Name on the card')).toHaveValue(corrected.name);
  await enterCard(page, 'Save card', CARDS.good);
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await ready();
  await open('/subscribe/basic_monthly');
  await expect(page.getByLabel('First and last name')).toHaveValue('');
});

test('Back from the card page also restores an order that was refused once', { tag: '@late' }, async ({
  page,
  open,
  back,
}) => {
  const buyer = newBuyer();
  await open('/subscribe/basic_monthly');
  await fillOrder(page, buyer);
  await page.getByLabel('Town').fill('');
  await page.getByRole('button', { name: ORDER }).click();
  await expect(page).toHaveTitle(/^Error: /);
  await page.getByLabel('Town').fill('Paris');
  await toCardPage(page);
  await back('/subscribe/basic_monthly');
  await expectOrder(page, buyer);
});

test('a signed-in user returns to the order of their account, which nobody else sees', async ({
  page,
  open,
  ready,
  signIn,
}) => {
  await signIn({ access: false });
  await open('/user/subscription/order/basic_monthly');
  await fillOrder(page, { name: 'Ada Secretive' });
  await toCardPage(page);
  await page.getByRole('link', { name: 'Back to Quadrille without a card' }).click();
  await expect(page).toHaveURL(/\/user\/subscription\/order\/basic_monthly$/);
  await ready();
  await expectOrder(page, { name: 'Ada Secretive' });
  await page.context().clearCookies({ name: /session/ });
  await signIn({ access: false });
  await open('/user/subscription/order/basic_monthly');
  await expect(page.getByLabel('Street and number')).toHaveValue('');
  await expect(page.getByLabel('First and last name')).not.toHaveValue('Ada Secretive');
  await open('/');
});

for (const [path, tag] of [
  ['/subscribe/', ['@late']],
  ['/user/subscription/order/', []],
] as const) {
  test(`"Pay yearly instead" and back again keeps a half-filled order: ${path}`, { tag: [...tag] }, async ({
    page,
    open,
    back,
    ready,
    signIn,
  }) => {
    await page.setViewportSize(PHONE);
    if (path.startsWith('/user')) await signIn({ access: false });
    await open(`${path}basic_monthly`);
    await fillOrder(page, { name: 'Ada Lovelace' });
    await page.getByLabel('Town').fill('');
    await page.getByRole('button', { name: /^Pay yearly instead/ }).click();
    await expect(page).toHaveURL(new RegExp(`${path}basic_yearly$`));
    await expect(page.getByRole('button', { name: ORDER })).toHaveText(/per year$/);
    await expect(page.getByRole('region', { name: 'There is a problem' })).toHaveCount(0);
    await expect(page.getByLabel('Street and number')).toHaveValue('1 rue du Papier');
    await expect(page.getByLabel('Country')).toHaveValue('FR');
    await expect(page.getByLabel('I accept the terms of sale.')).toBeChecked();
    await page.getByLabel('Town').fill('Paris');
    await page.getByRole('button', { name: /^Pay monthly instead/ }).click();
    await expect(page).toHaveURL(new RegExp(`${path}basic_monthly$`));
    await expectOrder(page, { name: 'Ada Lovelace' });
    await ready();
    await back(`${path}basic_yearly`);
    await expectOrder(page, { name: 'Ada Lovelace' });
  });
}

test('an unfinished order and design survive a change of theme', { tag: '@late' }, async ({ page, open }) => {
  const dark = page.getByRole('contentinfo').getByRole('button', { name: 'Dark' });
  await page.setViewportSize(PHONE);
  await open('/subscribe/basic_monthly?trial=no');
  await fillOrder(page, { name: 'Ada Lovelace' });
  await dark.click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly\?trial=no$/);
  await expect(page.getByRole('region', { name: 'There is a problem' })).toHaveCount(0);
  await expectOrder(page, { name: 'Ada Lovelace' });
  await expect(page.getByLabel('I accept the terms of sale.')).toBeChecked();

  await page.context().clearCookies({ name: 'theme' });
  await open('/');
  await chooseType(page, 'Text');
  await page.locator('[name=content]').fill('Half a design');
  await page.locator('[name=useWhiteBackground]').check();
  await dark.click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('[name=content]')).toHaveValue('Half a design');
  await expect(page.locator('[name=type][value=text]')).toBeChecked();
  await expect(page.locator('[name=useWhiteBackground]')).toBeChecked();
  await expect
    .poll(async () => (await page.context().cookies()).find(({ name }) => name === 'theme')?.value)
    .toBe('dark');
  await open('/faq');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('Enter in a field of an order places the order and switches nothing', async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  await page.getByLabel('Town').fill('Paris');
  await page.getByLabel('Town').press('Enter');
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeVisible();
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly$/);
});

test('Back from the order restores the design that led to it', async ({ page, open, back, ready }) => {
  await open('/');
  await page.getByLabel('Web address').fill('https://designed.example/');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly$/);
  await ready();
  await back('/');
  await expect(page.getByLabel('Web address')).toHaveValue('https://designed.example/');
});
