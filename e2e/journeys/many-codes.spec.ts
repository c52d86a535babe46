import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { expect, type Mode, test } from '../support/fixtures';

test('codes are named and tagged, then found by search, order and tag, which are part of the URL', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const first = await factories.code(account, { content: 'https://osteria.example/terrace?table=12' });
  await factories.code(account, { content: 'https://osteria.example/wine' });
  await open(`/user/qrcodes/${first.id}`);
  await page.getByLabel('Name', { exact: false }).first().fill('Table 12');
  await page.getByLabel('Tags').fill('Terrace, menu');
  await page.getByRole('button', { name: 'Save name and tags' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Table 12' })).toBeVisible();

  await open('/user/qrcodes');
  await expect(page.getByRole('rowheader')).toHaveCount(2);
  await ready();
  await page.getByLabel('Search names').fill('TERRACE');
  await page.getByLabel('Order').selectOption('By name');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await expect(page).toHaveURL(/search=TERRACE.*order=name/);
  await expect(page.getByText('osteria.example/terrace?table=12')).toBeVisible();
  const pictures = await page.locator('.code-cell__picture').getAttribute('src');
  const answer = await page.request.get(pictures ?? '');
  expect(answer.headers()['cache-control']).toContain('immutable');
  expect(await answer.text()).toContain(`<view id="${first.id}"`);

  await page.getByRole('link', { name: 'menu' }).click();
  await expect(page).toHaveURL(/\?tag=menu$/);
  await expect(page.getByRole('rowheader')).toHaveCount(1);
});

test('every search, filter and order has a URL that opens the same list in a fresh browser', async ({
  page,
  context,
  browser,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const dattel = await factories.code(account, { name: 'Dattel' });
  const apfel = await factories.code(account, { name: 'Äpfel', tags: ['fruit'] });
  await factories.code(account, { name: 'Birnen', tags: ['fruit', 'sale'] });
  const text = { type: 'text', content: 'x', visibility: 'private' };
  const zettel = await factories.code(account, { name: 'Zettel', ...text });
  for (const hoursAgo of [5, 4]) await factories.visit(apfel, hoursAgo);
  await factories.visit(zettel, 1);
  await open(`/user/qrcodes/${dattel.id}`);
  await page.getByRole('button', { name: 'Archive this code' }).click();
  await expect(page.getByRole('button', { name: 'Put it back into the list' })).toBeVisible();

  const views: [choose: () => Promise<unknown>, query: string, names: string[]][] = [
    [() => page.getByLabel('Search names').fill('apfel'), 'search=apfel', ['Äpfel']],
    [
      () => page.getByLabel('Tag', { exact: true }).selectOption('fruit (2)'),
      'tag=fruit',
      ['Birnen', 'Äpfel'],
    ],
    [() => page.getByLabel('Show').selectOption('Never visited'), 'show=never_visited', ['Birnen']],
    [() => page.getByLabel('Show').selectOption('Archived'), 'show=archived', ['Dattel']],
    [() => page.getByLabel('Show').selectOption('All'), 'show=all', ['Zettel', 'Birnen', 'Äpfel', 'Dattel']],
    [() => page.getByLabel('Order').selectOption('By name'), 'order=name', ['Äpfel', 'Birnen', 'Zettel']],
    [
      () => page.getByLabel('Order').selectOption('Most visits'),
      'order=visits',
      ['Äpfel', 'Zettel', 'Birnen'],
    ],
    [
      () => page.getByLabel('Order').selectOption('Last visit'),
      'order=last_visit',
      ['Zettel', 'Äpfel', 'Birnen'],
    ],
    [() => page.getByLabel('Kind').selectOption('Text'), 'type=text', ['Zettel']],
    [
      () => page.getByLabel('Who can open it').selectOption('Public'),
      'visibility=public',
      ['Birnen', 'Äpfel'],
    ],
  ];
  const addresses: string[] = [];
  for (const [choose, query, names] of views) {
    await open('/user/qrcodes');
    await ready();
    await page.getByText('More filters').click();
    await choose();
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect(page).toHaveURL(new RegExp(`[?&]${query}`));
    await expect(page.getByRole('rowheader')).toHaveCount(names.length);
    await expect(page.getByRole('rowheader')).toContainText(names);
    addresses.push(page.url());
  }

  const other = await openFresh(browser, context);
  for (const [index, address] of addresses.entries()) {
    await other.goto(address);
    const names = views[index]?.[2] ?? [];
    await expect(other.getByRole('rowheader')).toHaveCount(names.length);
    await expect(other.getByRole('rowheader')).toContainText(names);
  }
  await other.context().close();
});

test('the number of codes per page and the page have URLs that open the same codes in a fresh browser', async ({
  page,
  context,
  browser,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  for (let n = 1; n <= 27; n += 1) await factories.code(account, { content: `https://many.example/${n}` });
  await open('/user/qrcodes');
  await page.getByText('More filters').click();
  await page.getByLabel('Codes per page').selectOption('25');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL(/[?&]size=25/);
  await expect(page.getByRole('rowheader')).toHaveCount(25);
  const long = page.url();
  await ready();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Next' }).click();
  await expect(page).toHaveURL(/[?&]size=25&page=2$/);
  await expect(page.getByRole('rowheader')).toContainText(['many.example/2', 'many.example/1']);
  const second = page.url();

  const other = await openFresh(browser, context);
  await other.goto(long);
  await expect(other.getByRole('rowheader')).toHaveCount(25);
  await expect(other.getByLabel('Codes per page')).toHaveValue('25');
  await other.goto(second);
  await expect(other.getByRole('rowheader')).toHaveCount(2);
  await expect(other.getByRole('rowheader')).toContainText(['many.example/2', 'many.example/1']);
  await other.context().close();
});

test('ticked codes are archived and restored at once, and archived codes keep redirecting', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://kept.example/' });
  await open('/user/qrcodes');
  await ready();
  await page.getByRole('checkbox', { name: 'Choose kept.example' }).check();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByText('Codes changed: 1')).toBeVisible();
  expect((await page.request.get(`/r/${code.slug}`, { maxRedirects: 0 })).status()).toBe(302);

  await open('/user/qrcodes?show=archived');
  await ready();
  await page.getByRole('checkbox', { name: 'Choose kept.example' }).check();
  await page.getByRole('button', { name: 'Take out of the archive' }).click();
  await expect(page.getByText('Codes changed: 1')).toBeVisible();
  await open('/user/qrcodes');
  await expect(page.getByRole('rowheader')).toHaveCount(1);
});

test('an action on all matching codes runs as a job, whose page follows it to the end', async ({
  page,
  open,
  signIn,
  factories,
  ready,
  mode,
}) => {
  const account = await signIn();
  for (let n = 0; n < 250; n += 1) await factories.code(account, { content: `https://many.example/${n}` });
  await open('/user/qrcodes?search=many');
  await ready();
  await page.getByRole('checkbox', { name: 'All 250 that match' }).check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Delete 250 codes?' })).toBeVisible();
  await ready();
  await page.getByRole('button', { name: 'Delete 250 codes' }).click();
  await expect(page.getByRole('progressbar')).toBeVisible();
  await expectJobEnd(page, mode, 'Done: 250 of 250 codes');
  await open('/user/qrcodes');
  await expect(page.getByRole('heading', { name: 'No codes yet' })).toBeVisible();
});

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
  await page.getByLabel('CSV file').setInputFiles({
    name: 'codes.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(rows.join('\r\n')),
  });
  await page.getByRole('button', { name: 'Read the file' }).click();
  await expect(page.getByRole('heading', { name: '2 rows can become codes' })).toBeVisible();
  await expect(page.getByText('Every row is in order.')).toBeVisible();
  await expect(page.getByRole('table', { name: /mistake/ })).toHaveCount(0);
  const preview = page.getByRole('table', { name: 'How the first rows would turn out' });
  await expect(preview.getByRole('row')).toContainText(['Name', 'Lunch menu', 'House rules']);
  expect(await factories.codesOf(account)).toEqual([]);

  await ready();
  await page.getByRole('button', { name: 'Make up to 2 codes' }).click();
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
  await page.getByLabel('CSV file').setInputFiles({
    name: 'codes.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(rows.join('\r\n'), 'latin1'),
  });
  await page.getByRole('button', { name: 'Read the file' }).click();
  const mistakes = page.getByRole('table', { name: '1 mistake' });
  await expect(mistakes.getByRole('row').nth(1)).toContainText('javascript:alert(1)');
  expect(await factories.codesOf(account)).toEqual([]);

  await ready();
  await page.getByRole('button', { name: 'Make 1 code' }).click();
  await expectJobEnd(page, mode, 'Done: 1 of 1 code');
  await open('/user/qrcodes');
  await expect(page.getByRole('link', { name: 'Menü', exact: true })).toBeVisible();
  expect(await factories.codesOf(account)).toMatchObject([
    { type: 'link', content: 'https://import.example/menu' },
  ]);
});

test('a report of thousands of mistakes has pages, and a file of all', async ({
  page,
  open,
  signIn,
  ready,
}) => {
  await signIn();
  const rows = Array.from({ length: 3_000 }, (_, index) => `=bad ${index}`);
  await open('/user/qrcodes/import');
  await page.getByLabel('CSV file').setInputFiles({
    name: 'codes.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['Content', ...rows].join('\n')),
  });
  await page.getByRole('button', { name: 'Read the file' }).click();
  const mistakes = page.getByRole('table', { name: '3000 mistakes' });
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

/** A page of a new browser with nothing but the session of another. */
async function openFresh(browser: Browser, context: BrowserContext): Promise<Page> {
  const fresh = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  await fresh.addCookies((await context.cookies()).filter(({ httpOnly }) => httpOnly));
  return fresh.newPage();
}

/** Waits for the job page to show its end; while scripts are blocked, it must be reloaded by its link. */
async function expectJobEnd(page: Page, mode: Mode, words: string): Promise<void> {
  const end = page.getByRole('main').getByText(words);
  await expect(async () => {
    if (mode === 'slow' && !(await end.isVisible()))
      await page.getByRole('link', { name: 'See how far it is' }).click({ timeout: 1_000 });
    await expect(end).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 30_000 });
}
