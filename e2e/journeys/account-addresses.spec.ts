import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

async function fillAddress(page: Page, street: string): Promise<void> {
  await page.getByLabel('Street and number').fill(street);
  await page.getByLabel('Postcode').fill('75011');
  await page.getByLabel('Town').fill('Paris');
  await page.getByLabel('Country').selectOption({ label: 'France' });
}

const cards = (page: Page) => page.locator('.address');

test('addresses are added, and the default is changed', async ({ page, open, signIn }) => {
  await signIn();
  await open('/user/settings');
  await page.getByRole('link', { name: 'Add an address' }).click();
  await fillAddress(page, '1 rue du Papier');
  await page.getByRole('button', { name: 'Save the address' }).click();
  await expect(page.getByText('Billing address added')).toBeVisible();
  await expect(cards(page)).toContainText(['1 rue du Papier']);
  await expect(cards(page).getByText('Default', { exact: true })).toHaveCount(1);

  await open('/user/settings/addresses/new');
  await fillAddress(page, '2 rue de l’Encre');
  await page.getByRole('button', { name: 'Save the address' }).click();
  await expect(cards(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Make default 2 rue de l’Encre' }).click();
  await expect(page.getByText('Default billing address changed')).toBeVisible();
  await expect(cards(page).first()).toContainText('2 rue de l’Encre');
});

test('an address is changed and deleted', async ({ page, open, signIn }) => {
  await signIn();
  await open('/user/settings/addresses/new');
  await fillAddress(page, '1 rue du Papier');
  await page.getByRole('button', { name: 'Save the address' }).click();
  await page.getByRole('link', { name: 'Edit 1 rue du Papier' }).click();
  await expect(page.getByLabel('Country')).toHaveValue('FR');
  await page.getByLabel('Postcode').fill('7');
  await page.getByRole('button', { name: 'Save the address' }).click();
  await expect(page.getByText('Enter a postcode in the format of this country.').first()).toBeVisible();
  await expect(page.getByLabel('Postcode')).toHaveValue('7');
  await page.getByLabel('Postcode').fill('69001');
  await page.getByLabel('Town').fill('Lyon');
  await page.getByRole('button', { name: 'Save the address' }).click();
  await expect(page.getByText('Billing address changed')).toBeVisible();
  await expect(cards(page).last()).toContainText('69001 Lyon');

  await page.getByRole('link', { name: 'Delete 1 rue du Papier' }).click();
  await expect(page.getByText('This action cannot be undone.')).toBeVisible();
  await page.getByRole('button', { name: 'Delete the address' }).click();
  await expect(page.getByText('Billing address deleted')).toBeVisible();
  await expect(cards(page)).toHaveCount(0);
});

test('the numbers of a company are validated together', async ({ page, open, signIn }) => {
  await signIn();
  await open('/user/settings/addresses/new');
  await expect(page.getByLabel('Company name')).toBeHidden();
  await fillAddress(page, '3 rue du Sceau');
  await page.getByLabel('This is the address of a company').check();
  await page.getByLabel('VAT number').fill('FR 44 732829320');
  await page.getByLabel('SIRET number').fill('12345678901234');
  await page.getByRole('button', { name: 'Save the address' }).click();
  const summary = page.getByRole('region', { name: 'There is a problem' });
  await expect(summary).toContainText('Enter the name of the company.');
  await expect(summary).toContainText('Check the SIRET number');
  await expect(page.getByLabel('VAT number')).toHaveValue('FR 44 732829320');
  await expect(page.getByLabel('Country')).toHaveValue('FR');
  await page.getByLabel('Company name').fill('Carreau SAS');
  await page.getByLabel('SIRET number').fill('');
  await page.getByRole('button', { name: 'Save the address' }).click();
  await expect(page.getByText('Billing address added')).toBeVisible();
  await expect(cards(page)).toContainText(['VAT number: FR44732829320']);
});

test('without a country, all other errors are still shown', async ({ page, open, signIn }) => {
  await signIn();
  await open('/user/settings/addresses/new');
  await page.getByLabel('Town').fill('Paris');
  await page.getByLabel('This is the address of a company').check();
  await page.getByLabel('SIRET number').fill('1');
  await page.getByRole('button', { name: 'Save the address' }).click();
  const summary = page.getByRole('region', { name: 'There is a problem' });
  await expect(summary.getByRole('listitem')).toHaveText([
    'Enter the street and number.',
    'Enter the postcode.',
    'Choose a country.',
    'Enter the name of the company.',
    /^Check the SIRET number/,
  ]);
  await expect(page.getByLabel('Town')).toHaveValue('Paris');
  await expect(page.getByLabel('This is the address of a company')).toBeChecked();
});

test('/user/settings/addresses redirects to the list of addresses', async ({ page, open, signIn }) => {
  await signIn();
  await open('/user/settings/addresses');
  await expect(page).toHaveURL(/\/user\/settings#addresses$/);
  await expect(page.getByRole('heading', { name: 'Billing addresses' })).toBeInViewport();
});

test("another account's addresses are not found", async ({ open, signIn }) => {
  await signIn();
  const path = '/user/settings/addresses/e58ed763-928c-4155-bee9-fdbaaadc15f3';
  expect(await open(path)).toBe(404);
  expect(await open(`${path}/delete`)).toBe(404);
});
