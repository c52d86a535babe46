import { expect, test } from '../support/fixtures';

test('the dashboard greets the user by name and defines each of its figures', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn({ firstName: 'Grace' });
  await expect(page).toHaveURL(/\/user\/dashboard$/);
  await expect(page.getByRole('heading', { name: 'Welcome, Grace' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No code yet' })).toBeVisible();
  await factories.code(account);
  await open('/user/dashboard');
  const figures = page.locator('.figures > div');
  await expect(figures).toHaveCount(6);
  await expect(figures.first()).toContainText('1');
  await expect(figures.first()).toContainText('All codes you have at present.');
  await expect(page.getByText('Subscription active')).toBeVisible();
  const table = page.getByRole('table', { name: 'Recent activity' });
  await expect(table.getByRole('row', { name: /Signed in/ })).toBeVisible();
  await expect(table.locator('time')).toHaveCount(1);
});
