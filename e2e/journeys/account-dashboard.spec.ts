import { expect, test } from '../support/fixtures';

test('the dashboard greets the user by name and defines each of its figures', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn({ firstName: 'Grace' });
  await open('/user/dashboard');
  await expect(page.getByRole('heading', { name: 'Welcome, Grace' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No code yet' })).toBeVisible();
  await factories.code(account);
  await open('/user/dashboard');
  await expect(page.getByRole('heading', { name: 'Last 30 days' })).toBeVisible();
  const figures = page.locator('.figure-list > div');
  await expect(figures).toHaveCount(5);
  await expect(figures.last()).toContainText('of 1 code you have');
  const definition = page.getByText('Visits of the address that only the image contains.');
  await expect(definition).toBeHidden();
  await page.getByText('How “Scans” is counted').locator('..').click();
  await expect(definition).toBeVisible();
  await expect(page.getByText('Subscription active')).toBeVisible();
  const table = page.getByRole('table', { name: 'Recent activity' });
  await expect(table.getByRole('row', { name: /Signed in/ })).toBeVisible();
  await expect(table.locator('time')).toHaveCount(1);
});
