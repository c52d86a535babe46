import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { expectJobEnd } from '../support/jobs';

test('a file without mistakes is imported completely, with names and tags', async ({
  page,
  open,
  signIn,
  factories,
  ready,
  mode,
}) => {
  const account = await signIn();
  const rows = [
    'name,type,content,tags,visibility',
    'Lunch menu,link,https://lunch.example/today,"menu, noon",public',
    'House rules,text,No dogs after eight,,private',
  ];
  await open('/user/qrcodes/import');
  await readFile(page, Buffer.from(rows.join('\r\n')));
  await expect(page.getByRole('heading', { name: '2 rows can become codes' })).toBeVisible();
  await expect(page.getByText('Every row is in order.')).toBeVisible();
  await expect(page.getByRole('table', { name: /mistake/ })).toHaveCount(0);
  const preview = page.getByRole('table', { name: 'How the first rows would turn out' });
  await expect(preview.getByRole('row')).toContainText(['Name', 'Lunch menu', 'House rules']);
  expect(await factories.codesOf(account)).toEqual([]);

  await ready();
  await page.getByRole('button', { name: 'Create up to 2 codes' }).click();
  await expectJobEnd(page, mode, 'Done: 2 of 2 codes');
  await open('/user/qrcodes?order=name');
  await expect(page.getByRole('rowheader')).toContainText(['House rules', 'Lunch menu']);
  await expect(page.getByRole('rowheader', { name: 'Lunch menu' }).getByRole('listitem')).toHaveText([
    'menu',
    'noon',
  ]);
  const made = await factories.codesOf(account);
  expect(made).toHaveLength(2);
  expect(made).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'link',
        content: 'https://lunch.example/today',
        visibility: 'public',
      }),
      expect.objectContaining({ type: 'text', content: 'No dogs after eight', visibility: 'private' }),
    ]),
  );
});

test('a file is imported after its errors have been shown', async ({
  page,
  open,
  signIn,
  factories,
  ready,
  mode,
}) => {
  const account = await signIn();
  const rows = ['Name;Content;Tags', 'Menü;https://import.example/menu;a', 'Bad;javascript:alert(1);b'];
  await open('/user/qrcodes/import');
  await readFile(page, Buffer.from(rows.join('\r\n'), 'latin1'));
  const mistakes = page.getByRole('table', { name: '1 mistake' });
  await expect(mistakes.getByRole('row').nth(1)).toContainText('javascript:alert(1)');
  expect(await factories.codesOf(account)).toEqual([]);

  await ready();
  await page.getByRole('button', { name: 'Create 1 code' }).click();
  await expectJobEnd(page, mode, 'Done: 1 of 1 code');
  await open('/user/qrcodes');
  await expect(page.getByRole('link', { name: 'Menü', exact: true })).toBeVisible();
  expect(await factories.codesOf(account)).toMatchObject([
    { type: 'link', content: 'https://import.example/menu' },
  ]);
});

test('a report of thousands of mistakes has pages, and a file of all', { tag: '@once' }, async ({
  page,
  open,
  signIn,
  ready,
}) => {
  await signIn();
  const rows = Array.from({ length: 3_000 }, (_, index) => `=bad ${index}`);
  await open('/user/qrcodes/import');
  await readFile(page, Buffer.from(['Content', ...rows].join('\n')));
  const mistakes = page.getByRole('table', { name: '3,000 mistakes' });
  await expect(mistakes.getByRole('rowheader').first()).toHaveText('2');
  await ready();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Page 6' }).click();
  await expect(page).toHaveURL(/\?page=6#import-problems$/);
  await expect(mistakes.getByRole('rowheader').first()).toHaveText('2502');
  await expect(mistakes.getByRole('rowheader').last()).toHaveText('3001');
  await ready();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download all mistakes (CSV)' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(lines).toHaveLength(3_001);
  expect(lines[0]).toBe('\ufeffRow,Column,In the file,What is wrong');
  expect(lines[3_000]).toMatch(/^3001,Content,'=bad 2999,/);
});

test('repeated rows have pages, and a file that the page of the import links to', { tag: '@once' }, async ({
  page,
  open,
  signIn,
  ready,
  mode,
}) => {
  await signIn();
  const rows = Array.from({ length: 703 }, () => 'https://again.example/');
  await open('/user/qrcodes/import');
  await readFile(page, Buffer.from(['Content', ...rows, '=bad'].join('\n')));
  const repeated = page.getByRole('table', { name: '702 duplicate rows' });
  await expect(repeated.getByRole('row').nth(1)).toHaveText('32');
  await ready();
  await page
    .getByRole('navigation', { name: 'Pages of duplicate rows' })
    .getByRole('link', { name: 'Page 2' })
    .click();
  await expect(page).toHaveURL(/\?duplicates=2#import-duplicates$/);
  await expect(repeated.getByRole('rowheader').first()).toHaveText('503');
  await expect(repeated.getByRole('rowheader').last()).toHaveText('704');
  await ready();
  await page.getByLabel('Skip 702 duplicate rows').check();
  await page.getByRole('button', { name: 'Create up to 703 codes' }).click();
  await expectJobEnd(page, mode, 'Done: 1 of 1 code');
  await ready();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the duplicate rows of the file (CSV)' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(lines).toHaveLength(703);
});

/** Has the open import page read a CSV file. */
async function readFile(page: Page, content: Buffer): Promise<void> {
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'codes.csv', mimeType: 'text/csv', buffer: content });
  await page.getByRole('button', { name: 'Upload the file' }).click();
}
