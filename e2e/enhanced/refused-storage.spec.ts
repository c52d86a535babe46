import { expect, test } from '../support/fixtures';

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    for (const name of ['sessionStorage', 'localStorage']) {
      Object.defineProperty(window, name, {
        configurable: true,
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    }
  });
});

test('a browser that refuses to store anything is led from page to page all the same', async ({
  page,
  open,
}) => {
  await open('/');
  const menu = page.getByRole('banner');
  await menu.getByRole('link', { name: 'Pricing' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'One plan, everything included' })).toBeVisible();
  await menu.getByRole('link', { name: 'FAQ' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Frequently asked questions' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/pricings$/);
  await page
    .getByRole('link', { name: /^Choose/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Order Basic' })).toBeVisible();
});
