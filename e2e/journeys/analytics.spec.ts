import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, type Factories, PHONE, test } from '../support/fixtures';

/** Requests a code's path as a phone would that scanned the image or opened the copied link. */
async function visit(page: Page, factories: Factories, path: string): Promise<void> {
  const response = await page.request.get(path, { headers: PHONE, maxRedirects: 0 });
  expect(response.status()).toBe(302);
  await factories.counted();
}

/** Finds a figure by its name, with its value and its definition. */
function figure(page: Page, name: string) {
  return page
    .locator('.figure-list > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) });
}

function choose(page: Page, period: string) {
  return page.locator('.statistics-filter label').filter({ hasText: period }).click();
}

const submit = (page: Page) => page.getByRole('button', { name: 'Show the figures' }).click();

test("today's visits are counted by kind, each figure with its definition", async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account);
  for (const path of [`/r/${code.slug}`, `/r/${code.slug}`, `/l/${code.slug}`])
    await visit(page, factories, path);
  expect(await open('/user/analytics')).toBe(200);
  await expect(page.getByRole('heading', { level: 1, name: 'Analytics' })).toBeVisible();
  await expect(figure(page, 'All visits')).toContainText('3');
  await expect(figure(page, 'Scans')).toContainText('2');
  await expect(figure(page, 'Clicks')).toContainText('1');
  await expect(figure(page, 'Unique visitors')).toContainText('Different visitors of each day (UTC)');
  await expect(figure(page, 'Conversion rate')).toContainText('not measured');
  const trend = page
    .getByRole('figure')
    .filter({ has: page.getByRole('heading', { name: 'Visits by day' }) });
  await expect(trend).toContainText('3 visits: 2 scans and 1 click.');
  await trend.getByText('Show as a table').click();
  await expect(trend.getByRole('table', { name: 'Visits by day' }).getByRole('row')).toHaveCount(31);
});

test('the values of a day are shown for the pointer and for the keyboard', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account);
  for (const path of [`/r/${code.slug}`, `/l/${code.slug}`]) await visit(page, factories, path);
  await open('/user/analytics?period=7');
  const values = page.getByRole('group', { name: 'Values of “Visits by day”' });
  const shown = () =>
    values
      .locator('label span')
      .evaluateAll((all) =>
        all.filter((one) => getComputedStyle(one).opacity === '1').map(({ textContent }) => textContent),
      );
  const visits = expect.stringMatching(/ \(so far\) All visits 2 · scans 1 · clicks 1$/);
  await expect.poll(shown).toEqual([visits]);
  await values.getByRole('radio', { name: /All visits 2 · scans 1/ }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(values.getByRole('radio').nth(5)).toBeFocused();
  await expect.poll(shown).toEqual([expect.stringMatching(/All visits 0 · scans 0 · clicks 0$/)]);
  await values.locator('label').last().hover();
  await expect.poll(shown).toEqual([visits]);
});

test('what a figure counts is explained behind its question mark', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  await factories.code(await signIn());
  await open('/user/analytics');
  const text = figure(page, 'Unique visitors').getByText('Different visitors of each day (UTC)');
  await expect(figure(page, 'Unique visitors')).toContainText('added up by day, in UTC');
  await expect(text).toBeHidden();
  await figure(page, 'Unique visitors').locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(text).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Visits by day' })).toBeVisible();
});

test('an opened table is printed in full', async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  await visit(page, factories, `/r/${(await factories.code(account)).slug}`);
  await open('/user/analytics');
  const trend = page
    .getByRole('figure')
    .filter({ has: page.getByRole('heading', { name: 'Visits by day' }) });
  await trend.getByText('Show as a table').click();
  await page.emulateMedia({ media: 'print' });
  const hidden = await trend
    .locator('.table-scroller')
    .evaluate((scroller) => scroller.scrollHeight - scroller.clientHeight);
  expect(hidden).toBeLessThanOrEqual(1);
});

test('the form selects another period and a single code, and the URL can be shared', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const [menu, sale] = [
    await factories.code(account, { content: 'https://shop.example/menu' }),
    await factories.code(account, { content: 'https://shop.example/sale' }),
  ];
  for (const { slug } of [menu, menu, sale]) await visit(page, factories, `/r/${slug}`);
  await open('/user/analytics');
  await expect(page.getByRole('figure').filter({ hasText: 'Most active codes' })).toContainText(
    'Most often: shop.example/menu, 66.7% of the visits.',
  );
  await choose(page, '7 days');
  await page.getByLabel('Code', { exact: true }).selectOption({ label: 'shop.example/sale' });
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await submit(page);
  await expect(page).toHaveURL(new RegExp(`period=7&.*code=${sale.id}&timeZone=Asia%2FTokyo`));
  await expect(figure(page, 'All visits')).toContainText('1');
  await expect(page.getByLabel('7 days')).toBeChecked();
  await expect(page.getByLabel('Time zone')).toHaveValue('Asia/Tokyo');
  await expect(page.getByRole('heading', { name: 'Codes', exact: true })).toHaveCount(0);
});

test('the figures can be narrowed to the codes with a tag', async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  const [terrace, bar, flyer] = [
    await factories.code(account, { content: 'https://shop.example/terrace', tags: ['menu'] }),
    await factories.code(account, { content: 'https://shop.example/bar', tags: ['menu', 'evening'] }),
    await factories.code(account, { content: 'https://shop.example/flyer' }),
  ];
  for (const { slug } of [terrace, terrace, bar, flyer]) await visit(page, factories, `/r/${slug}`);
  await open('/user/analytics');
  await expect(figure(page, 'All visits')).toContainText('4');
  const tags = page.getByLabel('Tag', { exact: true });
  const ranking = page.getByRole('figure').filter({ hasText: 'Most active codes' });
  for (const [tag, visits, shown] of [
    ['menu', '3', ['terrace', 'bar']],
    ['evening', '1', ['bar']],
  ] as const) {
    await tags.selectOption(tag);
    await submit(page);
    await expect(page).toHaveURL(new RegExp(`tag=${tag}&`));
    await expect(figure(page, 'All visits')).toContainText(visits);
    await expect(tags).toHaveValue(tag);
    await expect(figure(page, 'Visitors, added up per code')).toBeVisible();
    await expect(figure(page, 'Unique visitors')).toHaveCount(0);
    for (const name of shown) await expect(ranking).toContainText(`shop.example/${name}`);
    await expect(ranking).not.toContainText('shop.example/flyer');
  }
});

test('invalid dates stay in the form with an error beside them', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  await factories.code(await signIn());
  await open('/user/analytics');
  await choose(page, 'Custom range');
  await page.getByLabel('From').fill('2026-02-02');
  await page.getByLabel('To, included').fill('2026-02-01');
  await submit(page);
  await expect(page).toHaveTitle(/^Error: Analytics/);
  await expect(page.locator('.error-summary')).toBeFocused();
  const mistake = 'The start date must not be after the end date.';
  await expect(page.getByRole('link', { name: mistake })).toBeVisible();
  await expect(page.getByLabel('From')).toHaveAccessibleDescription(`Error: ${mistake}`);
  await expect(page.getByLabel('From')).toHaveValue('2026-02-02');
  await expect(figure(page, 'All visits')).toContainText('0');
  expect((await page.request.get(page.url())).status()).toBe(400);
  await page.getByLabel('From').fill('2026-01-30');
  await submit(page);
  await expect(page.getByText('30 January – 1 February 2026')).toBeVisible();
  await expect(page).toHaveTitle(/^Analytics/);
});

test('an account without codes is invited to create one', async ({ page, open, signIn }) => {
  await signIn();
  await open('/user/analytics');
  await expect(page.getByRole('heading', { name: 'No code yet' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'Create a QR code' })).toBeVisible();
  await expect(page.getByRole('figure')).toHaveCount(0);
});

test("another account's code is not found", async ({ page, open, signIn, factories }) => {
  await signIn();
  const foreign = await factories.code(await factories.account());
  expect(await open(`/user/analytics?code=${foreign.id}`)).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
});

test('without a subscription, the page offers the downloads and links to the subscription', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn({ access: false });
  const code = await factories.code(account, { content: 'https://shop.example/menu' });
  await visit(page, factories, `/r/${code.slug}`);
  await open('/user/analytics');
  await expect(page.getByRole('heading', { name: 'Figures need an active subscription' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'Go to subscription' })).toBeVisible();
  for (const [name, content] of [
    ['Each day', ';1;1;0;'],
    ['Single visits of the last 90 days', `${code.id};;scan;human;`],
    ['All codes and where they lead', 'https://shop.example/menu'],
  ] as const) {
    await page.getByLabel('Columns are separated by').selectOption({ value: 'semicolon' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name, exact: true }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^(daily|visits|codes)-\d{4}-\d\d-\d\d\.csv$/);
    expect(await readFile(await download.path(), 'utf8')).toContain(content);
  }
  await open(`/user/qrcodes/${code.id}`);
  await expect(page.getByText('Its visits are counted.')).toBeVisible();
});

test('the page of a code shows its health and its last visits', async ({ page, open, signIn, factories }) => {
  const account = await signIn();
  const code = await factories.code(account);
  await open(`/user/qrcodes/${code.id}`);
  await expect(page.getByText('New: nobody has visited this code yet.')).toBeVisible();
  await visit(page, factories, `/l/${code.slug}`);
  await open(`/user/qrcodes/${code.id}`);
  await expect(page.getByText(/^Active: the last visit was on/)).toBeVisible();
  await page.locator('#visits > summary').click();
  await expect(page.getByRole('table', { name: 'Last visits' }).getByRole('row').nth(1)).toContainText(
    'Link openedA personPhone · iOS',
  );
  await page.getByRole('link', { name: 'All figures and charts of this code' }).click();
  await expect(page).toHaveURL(new RegExp(`/user/analytics\\?code=${code.id}$`));
  await expect(figure(page, 'Clicks')).toContainText('1');
});

test('any of many codes can be found by its content and stays selected', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const attic = await factories.code(account, { content: 'https://old.example/attic?box=7' });
  for (let made = 0; made < 100; made += 10) {
    await Promise.all(Array.from({ length: 10 }, () => factories.code(account)));
  }
  await visit(page, factories, `/r/${attic.slug}`);
  await open('/user/analytics?period=7');
  const select = page.getByLabel('Code', { exact: true });
  await expect(select.getByRole('option')).toHaveCount(101);
  await expect(select).toHaveAccessibleDescription(/The search below finds every other one/);
  const field = page.getByRole('searchbox', { name: 'Find a code' });
  await field.fill('ATTIC?box');
  await page.getByRole('search').getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('heading', { name: '1 code with “ATTIC?box”' })).toBeVisible();
  await expect(page.getByLabel('7 days')).toBeChecked();
  await expect(field).toHaveValue('ATTIC?box');
  await page.getByRole('search').getByRole('link', { name: 'old.example/attic?box=7' }).click();
  await expect(page).toHaveURL(new RegExp(`period=7&.*code=${attic.id}`));
  await expect(select).toHaveValue(attic.id);
  await expect(figure(page, 'All visits')).toContainText('1');
  await open('/user/analytics?find=nowhere');
  await expect(page.getByRole('heading', { name: 'No code with “nowhere”' })).toBeVisible();
});

test('after too many downloads, the page says when the next one is available', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  await factories.code(await signIn());
  for (let file = 0; file < 20; file += 1) {
    expect((await page.request.get('/user/analytics/codes.csv')).status()).toBe(200);
  }
  await open('/user/analytics?period=7');
  await page.locator('summary', { hasText: 'Export' }).click();
  const [refused] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('again=')),
    page.getByRole('button', { name: 'Each day', exact: true }).click(),
  ]);
  expect(refused.status()).toBe(429);
  expect(Number(refused.headers()['retry-after'])).toBeGreaterThan(200);
  await expect(page.locator('.error-summary')).toContainText(
    /You have downloaded 20 files within 5 minutes\. You can download the next one from \d\d:\d\d\./,
  );
  await expect(page).toHaveTitle(/^Error: Analytics/);
  await expect(page.getByLabel('7 days')).toBeChecked();
  expect((await page.request.get('/user/analytics/codes.csv')).status()).toBe(429);
});

test('a time zone with a half-hour offset explains how its hours are counted', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  await factories.code(await signIn());
  await open('/user/analytics?timeZone=Asia/Kolkata');
  const note = 'the first 30 minutes of a day count for the day before';
  await expect(page.locator('.note', { hasText: note })).toBeVisible();
  await expect(page.getByRole('figure').filter({ hasText: 'Visits by day' })).toContainText(note);
  await open('/user/analytics?timeZone=Europe/Paris');
  await expect(page.getByText(note)).toHaveCount(0);
});
