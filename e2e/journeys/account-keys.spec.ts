import { expect, test } from '../support/fixtures';

test('a key is made, calls the API, is changed, renewed and revoked', { tag: '@late' }, async ({
  page,
  open,
  signIn,
  request,
}) => {
  const { password } = await signIn();
  await open('/user/settings');
  await page.getByRole('link', { name: 'Manage API keys' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API keys');
  await page.getByRole('link', { name: 'Make a key' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Make a key');

  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Make a key' }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter a name for the key.');
  await page.getByLabel('Name').fill('Web shop');
  await page.locator('label', { hasText: 'Read and change' }).click();
  await page.getByLabel('Only codes with one tag').fill('Menu');
  const pages = page.getByLabel('Web pages that may call with it');
  await pages.fill('https://shop.example/menu');
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Make a key' }).click();
  await expect(page.locator('.error-summary')).toContainText('Leave out what comes after the name');
  await expect(pages).toHaveValue('https://shop.example/menu');
  await pages.fill('https://shop.example/\nhttp://localhost:5173');
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Make a key' }).click();
  const secret = await page.getByLabel('API key', { exact: true }).inputValue();
  expect(secret).toMatch(/^qdr_\w{36}$/);

  const authorization = `Bearer ${secret}`;
  const made = await request.post('/api/v1/codes', {
    headers: { authorization, 'Idempotency-Key': 'journey' },
    data: { type: 'link', content: 'https://a.example/', name: 'From a program' },
  });
  expect([made.status(), (await made.json()).data.tags]).toEqual([201, ['Menu']]);

  await page.getByRole('link', { name: 'I have kept it' }).click();
  const row = page.locator('.session-list li');
  await expect(row).toContainText(`Web shop …${secret.slice(-4)}`);
  await expect(row).toContainText('May read and change · Only codes tagged Menu');
  await expect(row).toContainText('Web pages of https://shop.example, http://localhost:5173');
  await row.getByRole('link', { name: 'Change Web shop' }).click();
  await expect(pages).toHaveValue('https://shop.example\nhttp://localhost:5173');
  await pages.fill('https://shop.example');
  await page.getByRole('button', { name: 'Save the changes' }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter your password.');
  await expect(pages).toHaveValue('https://shop.example');
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Save the changes' }).click();
  await expect(page.getByText('API key changed')).toBeVisible();
  await expect(row).not.toContainText('localhost');
  await row.getByRole('link', { name: 'Renew Web shop' }).click();
  await page.locator('label', { hasText: 'Works for another hour' }).click();
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  const renewed = await page.getByLabel('API key', { exact: true }).inputValue();
  for (const one of [secret, renewed]) {
    const listed = await request.get('/api/v1/codes', { headers: { authorization: `Bearer ${one}` } });
    expect(listed.status()).toBe(200);
  }
  await page.getByRole('link', { name: 'I have kept it' }).click();
  await expect(row).toContainText(`which ends in ${secret.slice(-4)}, works until`);

  await row.getByRole('link', { name: 'Revoke Web shop' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Revoke this key?');
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await expect(page.getByText('API key revoked')).toBeVisible();
  await expect(page.getByText('No program has a key yet.')).toBeVisible();
  const refused = await request.get('/api/v1/codes', { headers: { authorization: `Bearer ${renewed}` } });
  expect(refused.status()).toBe(401);
});
