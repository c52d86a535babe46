import type { Page } from '@playwright/test';
import { askingProgram, programServer } from '../support/asking-program';
import { expect, test } from '../support/fixtures';

let server: Awaited<ReturnType<typeof programServer>>;

test.beforeAll(async () => {
  server = await programServer();
});
test.afterAll(() => server.close());

/** The page leads on by itself. */
async function comeBack(page: Page): Promise<string> {
  await page.waitForURL(`${server.redirect}**`);
  return page.url();
}

test('a program is allowed access after signing in, and loses it in the settings', async ({
  page,
  open,
  factories,
  request,
}) => {
  const account = await factories.account();
  const program = await askingProgram('Writing assistant', server.redirect);
  await open(program.path);
  await page.getByLabel('E-mail').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Allow “Writing assistant” access?');
  await expect(
    page.getByText('Nobody has checked this name. The access goes to a program on the device'),
  ).toBeVisible();

  await page.getByLabel('Only codes with one tag').fill('one, two');
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Allow access' }).click();
  await expect(page.locator('.error-summary')).toContainText('Enter a single tag of at most 30 characters.');
  await page.getByLabel('Only codes with one tag').fill('Menu');
  await page.getByLabel('Current password').fill('a wrong password');
  await page.getByRole('button', { name: 'Allow access' }).click();
  await expect(page.locator('.error-summary')).toContainText('This is not your current password.');
  await expect(page.getByLabel('Only codes with one tag')).toHaveValue('Menu');
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Allow access' }).click();
  const tokens = await program.tokensFor(await comeBack(page));
  const authorization = `Bearer ${tokens.access_token}`;
  const made = await request.post('/api/v1/codes', {
    headers: { authorization },
    data: { type: 'link', content: 'https://a.example/' },
  });
  expect([made.status(), (await made.json()).data.tags]).toEqual([201, ['Menu']]);

  await open('/user/settings/keys');
  const row = page.locator('#programs li');
  await expect(row).toContainText('Writing assistant on one of your devices');
  await expect(row).toContainText('For the API · May read and change · Only codes tagged Menu');
  await row.getByRole('link', { name: 'End the connection Writing assistant' }).click();
  await page.getByRole('button', { name: 'End the connection' }).click();
  await expect(page.getByText('Connection of the program ended')).toBeVisible();
  await expect(page.getByText('No program is connected.')).toBeVisible();
  const refused = await request.get('/api/v1/codes', { headers: { authorization } });
  expect(refused.status()).toBe(401);
});

test('a refusal is taken back to the program', async ({ page, open, signIn }) => {
  await signIn();
  const program = await askingProgram('Assistant', server.redirect);
  await open(program.path);
  await page.getByRole('button', { name: 'Refuse' }).click();
  expect(await comeBack(page)).toContain('error=access_denied');
});

test('a request that another browser began is not shown', async ({ page, open, signIn, browser }) => {
  await signIn();
  const program = await askingProgram('Assistant', server.redirect);
  const other = await browser.newContext();
  const elsewhere = await other.newPage();
  await elsewhere.goto(program.path);
  const next = new URL(elsewhere.url()).searchParams.get('next') ?? '';
  expect(next).toMatch(/^\/user\/authorize\/[\w-]+\/consent$/);
  await other.close();
  await open(next);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This request cannot be answered');
});
