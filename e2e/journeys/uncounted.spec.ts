import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { expectJobEnd } from '../support/jobs';

test('a code can be made without counting, its page says so, and counting again asks first', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  await open('/create');
  await page
    .locator('label')
    .filter({ hasText: /^Text$/ })
    .first()
    .click();
  await page.getByRole('textbox', { name: 'Text' }).fill('Contains sulphites');
  await page.getByText('Name, tags and counting').click();
  await page.getByLabel('Do not count visits').check();
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByRole('cell', { name: 'Not counted' })).toBeVisible();
  const [code] = await factories.codesOf(account);

  const visitor = await page.request.get(`/r/${code?.slug}`);
  expect(visitor.headers()['x-visits-counted']).toBe('no');
  expect(await visitor.text()).toContain('Visits of this code are not counted.');
  await factories.counted();
  expect(await factories.visitsOf(code?.id ?? '')).toEqual([]);

  await open(`/user/qrcodes/${code?.id}`);
  await expect(page.getByText('so there are no figures.')).toBeVisible();
  await page.getByRole('link', { name: 'Count visits again' }).click();
  await expect(page.getByText('Do not do this with a code on a wine label')).toBeVisible();
  await ready();
  await page.getByRole('button', { name: 'Count visits' }).click();
  await expect(page.getByText('Visits of this code are counted again.')).toBeVisible();

  await ready();
  await page.locator('#counting > summary').click();
  await page.getByRole('button', { name: 'Stop counting visits' }).click();
  await expect(page.getByText('No longer counted')).toBeVisible();
});

test('deleting offers archiving, and a code can be made again as it is', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://kept.example/', name: 'Cellar' });
  await open(`/user/qrcodes/${code.id}/delete`);
  await page.getByRole('button', { name: 'Archive it instead' }).click();
  await expect(page.getByText('This code is archived').first()).toBeVisible({ timeout: 30_000 });
  await ready();
  await page.getByRole('button', { name: 'Make another like this' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Cellar (copy)' })).toBeVisible();
  expect(await factories.codesOf(account)).toMatchObject([
    { content: 'https://kept.example/', deleted_at: null },
    { content: 'https://kept.example/', deleted_at: null },
  ]);
});

test('the addresses of many codes are replaced after they have been shown, and brought back', async ({
  page,
  open,
  signIn,
  factories,
  ready,
  mode,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://old.example/menu' });
  await factories.code(account, { content: 'https://old.example/wine' });
  await factories.code(account, { type: 'text', content: 'A text', name: 'Text code' });
  await open('/user/qrcodes?size=25');
  await ready();
  for (const box of await page.getByRole('checkbox', { name: /^Select (?:old|Text)/ }).all())
    await box.check();
  await act(page, 'Target and campaign');
  await ready();
  await page.locator('label').filter({ hasText: 'Replace a part of their addresses' }).click();
  await page.getByLabel('Find').fill('old.example');
  await page.getByLabel('Replace with').fill('new.example');
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await expect(page.getByText('https://new.example/menu')).toBeVisible();
  await expect(page.getByText('This is not a link code')).toBeVisible();
  expect((await page.request.get(`/r/${code.slug}`, { maxRedirects: 0 })).headers().location).toContain(
    'old',
  );
  await ready();
  await page.getByRole('button', { name: 'Change 2 addresses' }).click();
  if (page.url().includes('/jobs/')) await expectJobEnd(page, mode, 'Done: 2 of 2 codes');
  else await expect(page.getByText('Codes changed: 2')).toBeVisible();
  await expect
    .poll(async () => (await page.request.get(`/r/${code.slug}`, { maxRedirects: 0 })).headers().location)
    .toBe('https://new.example/menu');

  await open(`/user/qrcodes/${code.id}`);
  await page.locator('#history > summary').click();
  await page.getByRole('button', { name: 'Bring back what it was before' }).click();
  await expect(page.getByText('The code now leads to old.example/menu')).toBeVisible();
});

/** Chooses an act, which may be in the menu of the less frequent ones. */
async function act(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  if (!(await button.isVisible())) await page.locator('.selection-bar__more > summary').click();
  await button.click();
}
