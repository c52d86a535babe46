import { readFile } from 'node:fs/promises';
import { expect, PHONE, test, visitorHeaders } from '../support/fixtures';

test('codes selected in the list are compared, and the form changes what is', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const [menu, poster] = [
    await factories.code(account, { content: 'https://menu.example/' }),
    await factories.code(account, { content: 'https://poster.example/' }),
  ];
  await page.request.get(`/r/${menu.slug}`, { headers: PHONE, maxRedirects: 0 });
  await factories.counted();
  await open('/user/qrcodes');
  for (const { id } of [menu, poster]) await page.locator(`input[name="id[]"][value="${id}"]`).check();
  await page.getByRole('button', { name: 'Compare' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Compare' })).toBeVisible();
  const table = page.getByRole('table', { name: 'Side by side' });
  await expect(table.getByRole('columnheader')).toHaveText([/poster\.example/, /menu\.example/]);
  await expect(table.getByRole('row', { name: /^All visits/ })).toContainText('1');
  await page.getByText('Compare three or four').click();
  await page.getByRole('group', { name: 'Column C' }).getByLabel('What').selectOption({ label: 'All codes' });
  await page.getByRole('main').getByRole('button', { name: 'Compare' }).click();
  await expect(table.getByRole('columnheader')).toHaveCount(3);
  await expect(table.getByRole('columnheader', { name: /^C: All codes/ })).toBeVisible();
});

test('the report of the shown days is read, and downloaded as a PDF', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await factories.code(account);
  await open('/user/analytics?period=7');
  await page.getByRole('link', { name: 'Report' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Report: / })).toBeVisible();
  await expect(page.getByRole('region', { name: 'What is counted' })).toContainText(
    'Scans and clicks by people together.',
  );
  await expect(page.getByRole('region', { name: 'What stands out' })).toContainText('quasi-Poisson test');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as a PDF' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^report-\d{4}-\d\d-\d\d\.pdf$/);
  expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-');
});

test('a report is shared by a link, read without signing in, and ended', async ({
  page,
  open,
  signIn,
  factories,
  browser,
}) => {
  const account = await signIn();
  await factories.code(account, { content: 'https://destination.example/' });
  await open('/user/analytics/report?period=7');
  await page.locator('summary', { hasText: 'Share this report' }).click();
  await page.getByRole('button', { name: 'Make the link' }).click();
  await expect(page.locator('.error-summary')).toContainText('Give the link a name.');
  await page.getByLabel('Name of the link').fill('Client Miller');
  await page.getByLabel('Works for').selectOption({ label: '90 days' });
  await page.getByRole('button', { name: 'Make the link' }).click();
  const item = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'Client Miller' }) });
  await expect(item).toContainText('All codes, the last 7 days');
  const address = await item.getByRole('textbox', { name: 'Address of “Client Miller”' }).inputValue();
  const { pathname, search } = new URL(address);
  const { javaScriptEnabled = true } = test.info().project.use;
  const stranger = await browser.newContext({
    locale: 'fr-FR',
    javaScriptEnabled,
    extraHTTPHeaders: visitorHeaders(),
  });
  const read = await stranger.newPage();
  const origin = new URL(page.url()).origin;
  const opened = await read.goto(origin + pathname + search);
  expect(opened?.headers()['x-robots-tag']).toContain('noindex');
  await expect(read.getByRole('heading', { level: 1, name: /^Rapport\s: / })).toBeVisible();
  await expect(read.locator('meta[name="robots"]')).toHaveAttribute('content', 'noindex, nofollow');
  await expect(read.locator('link[rel="canonical"]')).toHaveCount(0);
  expect(await read.content()).not.toContain('destination.example');
  const [download] = await Promise.all([
    read.waitForEvent('download'),
    read.getByRole('link', { name: 'Télécharger en PDF' }).click(),
  ]);
  expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-');
  await item.locator('summary').click();
  await item.getByRole('button', { name: 'End it now' }).click();
  await expect(page.getByText('The link has ended.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Client Miller' })).toHaveCount(0);
  expect((await read.goto(origin + pathname + search))?.status()).toBe(410);
  await expect(read.getByRole('heading', { level: 1, name: 'Ce lien n’est plus valable' })).toBeVisible();
  await stranger.close();
});
