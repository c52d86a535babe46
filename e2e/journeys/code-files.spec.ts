import { readFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import { pdfPages } from '../../app/codes/pictures/code-pdf.server';
import { decodeImage, decodePixels } from '../../app/codes/pictures/decode.server';
import { expect, test } from '../support/fixtures';

test('selected codes download as a ZIP whose files open and can be scanned', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const codes = await Promise.all(
    [1, 2, 3].map((n) => factories.code(account, { content: `https://menu.example/${n}` })),
  );
  await open(`/user/qrcodes/zip?${codes.map(({ id }) => `id=${id}`).join('&')}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Download 3 codes as a ZIP');
  await page.getByLabel('Width in pixels').fill('40');
  await page.getByRole('button', { name: 'Download the ZIP' }).click();
  await expect(page.getByRole('link', { name: /whole pixels, from 300 to 4096/ })).toBeVisible();
  await page.getByLabel('Width in pixels').fill('400');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the ZIP' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^qr-codes-[\d-]+\.zip$/);
  const files = Object.entries(unzipSync(await readFile(await download.path())));
  expect(files.map(([name]) => name)).toEqual([
    ...[1, 2, 3].map((n) => `qr-menu-example-${n}-400.png`),
    'codes.csv',
  ]);
  const pictures = files.filter(([name]) => name.endsWith('.png'));
  for (const [n, [, bytes]] of pictures.entries()) {
    expect(await decodeImage(bytes)).toMatch(new RegExp(`/R/${codes[n]?.slug}$`));
  }
});

test('each selected code is printed on its own poster, and the typed call to action is kept', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const codes = await Promise.all(
    [1, 2].map((n) => factories.code(account, { content: `https://menu.example/${n}` })),
  );
  await open(`/user/qrcodes/sheet?${codes.map(({ id }) => `id=${id}`).join('&')}`);
  await expect(page.getByRole('img', { name: 'The first page in outline' })).toBeVisible();
  await page.locator('label').filter({ hasText: 'A6' }).click();
  await page.getByRole('textbox', { name: 'Call to action', exact: true }).fill('Order here');
  await page.getByRole('button', { name: 'Update the picture' }).click();
  await expect(page.getByText(/2 pages\. The codes are \d+ mm wide/)).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Call to action', exact: true })).toHaveValue('Order here');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the PDF' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('qr-sheet-poster-a6.pdf');
  const read: (string | null)[] = [];
  for await (const pixels of pdfPages(await readFile(await download.path()), () => 1200)) {
    read.push(await decodePixels(pixels));
  }
  expect(read).toEqual(codes.map(({ slug }) => expect.stringMatching(new RegExp(`/R/${slug}$`))));
});
