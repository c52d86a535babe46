import { expect, test } from '../support/fixtures';
import { orderUnpaid, sendCard } from '../support/orders';

test('an arriving payment is announced to screen readers', async ({ page, open }) => {
  const { path, cardPage, name } = await orderUnpaid(page);
  await open(path);
  await expect(page.getByRole('heading', { name: 'The payment is still being processed' })).toBeVisible();
  await sendCard(page, cardPage, name);
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: /^Thank you for your order$/ })).toHaveCount(1);
});
