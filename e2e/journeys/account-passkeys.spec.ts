import { expect, test } from '../support/fixtures';

test('a passkey is listed, renamed and removed, in a browser without scripts too', { tag: '@late' }, async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const { passkey } = await factories.signInWays(account);
  await open('/user/settings');
  await page.getByRole('link', { name: /passkey/i }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Passkeys');
  const row = page.locator('.session-list li');
  await expect(row.locator('strong')).toHaveText('Work laptop');
  await expect(row).toContainText('Not used yet');

  await row.getByLabel('Name').fill('\u0007');
  await row.getByRole('button', { name: 'Rename Work laptop' }).click();
  await expect(page.locator('.error-summary')).toContainText('Type the name without control characters.');
  await row.getByLabel('Name').fill('Old laptop');
  await row.getByRole('button', { name: 'Rename Work laptop' }).click();
  await expect(page.getByText('Passkey renamed')).toBeVisible();
  await expect(row.locator('strong')).toHaveText('Old laptop');

  await page.getByRole('link', { name: 'Remove Old laptop' }).click();
  await expect(page).toHaveURL(new RegExp(`/user/settings/passkeys/${passkey}$`));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Remove this passkey?');
  await page.getByLabel('Current password').fill('not the password');
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expect(page.locator('.error-summary')).toContainText('This is not your current password.');
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByText('Passkey removed')).toBeVisible();
  await expect(row).toHaveCount(0);
});

test('without scripts, adding and using a passkey are not offered, and the pages say why', {
  tag: '@late',
}, async ({ page, open, signIn, mode }) => {
  const offered = mode === 'js' ? 1 : 0;
  await open('/login');
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toHaveCount(offered);
  const note = page.locator('noscript .hint');
  if (mode === 'no-js') {
    await expect(note).toHaveText('Using a passkey needs JavaScript, which is off here.');
    await expect(note).toBeVisible();
  } else {
    await expect(note).toHaveCount(0);
  }
  await signIn();
  await open('/user/settings/passkeys');
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toHaveCount(offered);
  await expect(page.getByText('Adding and using a passkey needs JavaScript')).toBeVisible();
});

test("somebody else's passkey is neither shown nor removed", async ({ page, open, signIn, factories }) => {
  const other = await factories.account();
  const { passkey } = await factories.signInWays(other);
  await signIn();
  await open('/user/settings/passkeys');
  await expect(page.locator('.session-list li')).toHaveCount(0);
  const answer = await page.request.get(`/user/settings/passkeys/${passkey}`);
  expect(answer.status()).toBe(404);
});
