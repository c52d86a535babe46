import { expect, test } from '../support/fixtures';

test('a refused form in the middle of a page takes the focus to what is wrong', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/settings');
  await page.getByRole('button', { name: 'Change the password' }).click();
  const summary = page.getByRole('region', { name: 'There is a problem' });
  await expect(summary).toBeFocused();
  await expect(summary).toBeInViewport();
});

test('the page after a change of password leads to the login by itself after a second', async ({
  page,
  open,
  signIn,
}) => {
  const account = await signIn();
  await open('/user/settings');
  const password = page.locator('#password-section');
  await password.getByLabel('Current password').fill(account.password);
  await password.getByLabel('New password').fill('seven paper lanterns at noon');
  await password.getByLabel('The same password again').fill('seven paper lanterns at noon');
  await password.getByRole('button', { name: 'Change the password' }).click();
  await page.waitForURL('**/user/signed-out');
  await page.waitForURL('**/login');
  await expect(page.getByText('Your password has been changed')).toBeVisible();
});
