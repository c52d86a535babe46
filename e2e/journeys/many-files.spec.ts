import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from '../support/fixtures';

/** The last ones by name, with numbers as numbers. */
const LAST = ['https://made.example/1000', 'https://made.example/1001'];

test('a ZIP of more than 1,000 codes is offered in parts, of which the second holds the codes after the first', {
  tag: '@once',
}, async ({ page, open, signIn, factories, ready }) => {
  await factories.manyCodes(await signIn(), 1_002);
  await open('/user/qrcodes');
  await ready();
  await page
    .getByRole('checkbox', { name: /^Select made/ })
    .first()
    .check();
  await page.getByRole('checkbox', { name: 'All 1,002 results' }).check();
  await page.getByRole('button', { name: 'ZIP' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Download 1,002 codes as a ZIP' })).toBeVisible();
  await expect(page.getByText('download these 2 one after the other')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download 1 to 1000' })).toBeVisible();
  await ready();
  const zip = await download(page, page.getByRole('button', { name: 'Download 1001 to 1002' }));
  expect(zip.name).toMatch(/-2\.zip$/);
  const files = unzipSync(zip.bytes);
  expect(Object.keys(files).filter((name) => name.endsWith('.png'))).toHaveLength(2);
  const [, ...rows] = strFromU8(files['codes.csv'] ?? new Uint8Array())
    .trimEnd()
    .split('\r\n');
  expect(rows.map((row) => row.split(',')[2])).toEqual(LAST);
});

test('print sheets of more than 1,000 codes are offered in parts', { tag: '@once' }, async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  await factories.manyCodes(await signIn(), 1_442);
  await open('/user/qrcodes');
  await ready();
  await page
    .getByRole('checkbox', { name: /^Select made/ })
    .first()
    .check();
  await page.getByRole('checkbox', { name: 'All 1,442 results' }).check();
  await page.getByRole('button', { name: 'Print sheet' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Print sheet of 1,442 codes' })).toBeVisible();
  await expect(page.getByText('download these 4 one after the other')).toBeVisible();
  await ready();
  await page.getByLabel('Codes in this file').selectOption('1441–1442');
  await page.getByRole('button', { name: 'Update the picture' }).click();
  await expect(page.getByText('1 page. The codes are')).toBeVisible();
  await expect(page.getByLabel('Codes in this file')).toHaveValue('4');
  await ready();
  const sheet = await download(page, page.getByRole('button', { name: 'Download the PDF' }));
  expect(sheet.name).toBe('qr-sheet-a4-24-4.pdf');
  expect(sheet.bytes.subarray(0, 5).toString()).toBe('%PDF-');
});

async function download(page: Page, button: Locator): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}
