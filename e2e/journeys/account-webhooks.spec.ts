import { expect, test } from '../support/fixtures';

test('a webhook is added, tested, changed, switched off and deleted', async ({
  page,
  open,
  signIn,
  mode,
}) => {
  const { password } = await signIn();
  await open('/user/settings');
  await page.getByRole('link', { name: 'Manage webhooks' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Webhooks');
  await page.getByRole('link', { name: 'Add a webhook' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Add a webhook');

  await page.getByLabel('Address of your program').fill('https://192.168.1.1/hooks');
  for (const name of ['A code was made', 'A code was changed', 'A code was deleted'])
    await page.getByLabel(name).uncheck();
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await expect(page.locator('.error-summary')).toContainText('Choose at least one thing that it is told.');
  await page.getByLabel('A code was made').check();
  await page.getByRole('button', { name: 'Add the webhook' }).click();
  await expect(page.locator('.error-summary')).toContainText(
    'This address cannot be reached from the internet.',
  );
  await expect(page.getByLabel('Current password')).toHaveValue('');
  await page.getByLabel('Address of your program').fill('https://hooks.example.com/a');
  await page.getByLabel('What it is for').fill('Stock system');
  await page.getByLabel('Only codes with one tag').fill('Menu');
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Add the webhook' }).click();

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Webhook');
  const facts = page.locator('.sheet').first();
  await expect(facts).toContainText('Stock system https://hooks.example.com/a');
  await expect(facts).toContainText('Told: A code was made');
  await expect(facts).toContainText('Only codes tagged Menu');
  await page.getByText('Show the secret').click();
  await expect(page.getByLabel('Secret of the webhook')).toHaveValue(/^whsec_[\w+/]{43}=$/);
  await page.getByRole('link', { name: 'Make a new secret' }).click();
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter your password.');
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  await expect(page.getByText('Messages are also signed with the secret from before until')).toBeVisible();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText('The message is on its way')).toBeVisible();
  const row = page.locator('#log li');
  // Until scripts run, the page shows what was answered when it is loaded again.
  await expect(async () => {
    if (mode !== 'js') await page.reload({ waitUntil: 'domcontentloaded' });
    await expect(row).toContainText('Accepted', { timeout: 4_000 });
  }).toPass();
  await expect(row).toContainText(/Response 202 after \d+ ms/);
  await row.getByText('Message').first().click();
  await expect(row.locator('pre').first()).toContainText('"type": "test"');
  await expect(row.locator('pre').last()).toHaveText('noted');
  await row.getByRole('button', { name: 'Send again Test' }).click();
  await expect(row).toHaveCount(2);

  await page.getByRole('button', { name: 'Switch off' }).click();
  await expect(facts).toContainText('Switched off (since');
  await page.getByRole('link', { name: 'Change' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Change the webhook');
  await page.getByLabel('The first visit of a code').check();
  await page.getByRole('button', { name: 'Save the webhook' }).click();
  await expect(facts).toContainText('The first visit of a code');
  await page.getByRole('button', { name: 'Switch on' }).click();
  await expect(facts).not.toContainText('Switched off');

  await page.getByRole('link', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Delete this webhook?');
  await page.getByRole('button', { name: 'Delete the webhook' }).click();
  await expect(page.getByText('Webhook deleted')).toBeVisible();
  await expect(page.getByText('No program is told anything yet.')).toBeVisible();
});
