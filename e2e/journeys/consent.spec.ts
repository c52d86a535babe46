import type { Page } from '@playwright/test';
import { consentBanner as banner, expectChoiceSaved } from '../support/consent';
import { expect, test } from '../support/fixtures';

async function storedChoice(page: Page): Promise<string | undefined> {
  return (await page.context().cookies()).find(({ name }) => name === 'consent')?.value;
}

test('refusing takes one click, loses no input, and the banner does not return', { tag: '@late' }, async ({
  page,
  open,
}) => {
  await open('/login');
  await page.getByLabel('E-mail address').fill('half@typed.example');
  await banner(page).getByRole('button', { name: 'Reject all' }).click();
  await expectChoiceSaved(page);
  await expect(banner(page).getByRole('button')).toHaveCount(0);
  await expect(page.getByLabel('E-mail address')).toHaveValue('half@typed.example');
  await expect(page).toHaveURL(/\/login$/);
  await expect.poll(() => storedChoice(page)).toBe('v1');
  await open('/faq');
  await expect(banner(page)).toHaveCount(0);
});

test('accepting takes one click too', { tag: '@late' }, async ({ page, open }) => {
  await open('/faq');
  await banner(page).getByRole('button', { name: 'Accept all' }).click();
  await expectChoiceSaved(page);
  await expect.poll(() => storedChoice(page)).toBe('v1.analytics.advertising');
});

test('the banner comes first, and its two answers have equal weight', async ({ page, open }) => {
  await open('/faq');
  await page.keyboard.press('Tab');
  const accept = banner(page).getByRole('button', { name: 'Accept all' });
  await expect(accept).toBeFocused();
  const reject = banner(page).getByRole('button', { name: 'Reject all' });
  expect(await accept.getAttribute('class')).toBe(await reject.getAttribute('class'));
  // The style sheet may still be on its way.
  await expect
    .poll(async () => [(await accept.boundingBox())?.height, (await reject.boundingBox())?.height])
    .toEqual([44, 44]);
});

test('Customise leads to a choice for each kind of cookie', { tag: '@late' }, async ({ page, open }) => {
  await open('/faq');
  await banner(page).getByRole('button', { name: 'Customise' }).click();
  await expect(page.getByRole('heading', { name: 'Cookie settings' })).toBeVisible();
  await page
    .getByRole('group', { name: 'Advertising' })
    .locator('label', { hasText: /^Allow$/ })
    .click();
  await page.getByRole('button', { name: 'Save my choice' }).click();
  await expect(page.getByText('Your cookie choice is saved').first()).toBeVisible();
  expect(await storedChoice(page)).toBe('v1.advertising');
});

test('each kind of cookie has its own choice, which is no by default and can be changed at any time', async ({
  page,
  open,
}) => {
  await open('/cookies');
  await expect(banner(page)).toHaveCount(0);
  const analytics = page.getByRole('group', { name: 'Analytics' });
  const advertising = page.getByRole('group', { name: 'Advertising' });
  await expect(page.getByRole('group', { name: 'Necessary' }).getByRole('radio')).toBeDisabled();
  await expect(analytics.getByLabel('Do not allow')).toBeChecked();
  await expect(advertising.getByLabel('Do not allow')).toBeChecked();
  await expect(page.getByRole('table').first()).toContainText('consent');

  await analytics.locator('label', { hasText: /^Allow$/ }).click();
  await page.getByRole('button', { name: 'Save my choice' }).click();
  await expect(page.getByText('Your cookie choice is saved')).toBeVisible();
  expect(await storedChoice(page)).toBe('v1.analytics');
  await expect(analytics.getByLabel('Allow', { exact: true })).toBeChecked();

  await open('/cookies');
  await expect(analytics.getByLabel('Allow', { exact: true })).toBeChecked();
  await expect(advertising.getByLabel('Do not allow')).toBeChecked();
  await analytics.locator('label', { hasText: 'Do not allow' }).click();
  await page.getByRole('button', { name: 'Save my choice' }).click();
  await expect(page.getByText('Your cookie choice is saved')).toBeVisible();
  expect(await storedChoice(page)).toBe('v1');
});

test('a choice posted by another site is refused', { tag: '@once' }, async ({ page }) => {
  const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  const response = await page.request.post('/cookies', {
    headers,
    form: { all: 'Accept all' },
    maxRedirects: 0,
  });
  expect(response.ok()).toBe(false);
  expect(await storedChoice(page)).toBeUndefined();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('the menu opens directly beneath the header while the banner is shown', { tag: '@late' }, async ({
    page,
    open,
  }) => {
    await open('/');
    await expect(banner(page)).toBeVisible();
    await page.getByRole('button', { name: 'Menu' }).click();
    const [header, menu] = [page.locator('.site-header'), page.locator('#menu')];
    await expect(menu).toBeVisible();
    const [above, below] = [await header.boundingBox(), await menu.boundingBox()];
    expect(Math.abs((below?.y ?? 0) - ((above?.y ?? 0) + (above?.height ?? 0)))).toBeLessThanOrEqual(1);
  });
});
