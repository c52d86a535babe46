import type { Browser, BrowserContext, Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

test('codes are named and tagged, then found by search, order and tag, which are part of the URL', async ({
  page,
  open,
  signIn,
  factories,
  ready,
  mode,
}) => {
  const account = await signIn();
  const first = await factories.code(account, { content: 'https://osteria.example/terrace?table=12' });
  await factories.code(account, { content: 'https://osteria.example/wine' });
  await open(`/user/qrcodes/${first.id}`);
  await page.locator('#name > summary').click();
  await page.getByLabel('Name', { exact: false }).first().fill('Table 12');
  await page.getByLabel('Tags').fill('Terrace, menu');
  await page.getByRole('button', { name: 'Save name and tags' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Table 12' })).toBeVisible();
  await expect(page.getByText('Renamed to “Table 12”')).toBeVisible();

  await open('/user/qrcodes');
  await expect(page.getByRole('rowheader')).toHaveCount(2);
  await ready();
  await page.getByLabel('Search names').fill('TERRACE');
  await page.getByLabel('Order').selectOption('By name');
  await apply(page, mode);
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await expect(page).toHaveURL(/\/user\/qrcodes\?search=TERRACE&order=name$/);
  await expect(page.getByText('osteria.example/terrace?table=12')).toBeVisible();
  const pictures = await page.locator('.code-cell__picture').getAttribute('src');
  const answer = await page.request.get(pictures ?? '');
  expect(answer.headers()['cache-control']).toBe('private, no-cache');
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
  mode,
}) => {
  const account = await signIn();
  const dattel = await factories.code(account, { name: 'Dattel' });
  await factories.code(account, { name: 'Äpfel', tags: ['fruit'] });
  await factories.code(account, { name: 'Birnen', tags: ['fruit', 'sale'] });
  const text = { type: 'text', content: 'x', visibility: 'private' };
  await factories.code(account, { name: 'Zettel', ...text });
  await open(`/user/qrcodes/${dattel.id}`);
  await page.locator('#archive > summary').click();
  await page.getByRole('button', { name: 'Archive this code' }).click();
  await expect(
    page.getByText('Archived: it is out of your list, and printed copies keep working.'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Put it back into the list' })).toBeVisible();

  const views: [choose: () => Promise<unknown>, query: string, names: string[]][] = [
    [
      async () => {
        await page.getByLabel('Search names').fill('apfel');
        await page.getByRole('button', { name: 'Search', exact: true }).click();
      },
      'search=apfel',
      ['Äpfel'],
    ],
    [
      () => page.getByLabel('Tag', { exact: true }).selectOption('fruit (2)'),
      'tag=fruit',
      ['Birnen', 'Äpfel'],
    ],
    [() => page.getByLabel('Show').selectOption('Archived'), 'show=archived', ['Dattel']],
    [() => page.getByLabel('Order').selectOption('By name'), 'order=name', ['Äpfel', 'Birnen', 'Zettel']],
  ];
  const addresses: string[] = [];
  for (const [choose, query, names] of views) {
    await open('/user/qrcodes');
    await ready();
    await choose();
    if (!query.startsWith('search')) await apply(page, mode);
    await expect(page).toHaveURL(new RegExp(`/user/qrcodes\\?${query}$`));
    await expect(page.getByRole('rowheader')).toHaveCount(names.length);
    await expect(page.getByRole('rowheader')).toContainText(names);
    addresses.push(page.url());
  }

  // The other choices are sent by the same form.
  for (const [label, option, query] of [
    ['Show', 'Never visited', 'show=never_visited'],
    ['Show', 'All, archived too', 'show=all'],
    ['Order', 'Most visits', 'order=visits'],
    ['Order', 'Last visit', 'order=last_visit'],
    ['Kind', 'Text', 'type=text'],
    ['Who can open it', 'Public', 'visibility=public'],
  ] as const) {
    const field = page.getByLabel(label);
    const value = await field.locator(`option:text-is("${option}")`).getAttribute('value');
    expect(`${await field.getAttribute('name')}=${value}`).toBe(query);
  }

  const other = await openFresh(browser, context);
  for (const index of [0, 3]) {
    await other.goto(addresses[index] ?? '');
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
  mode,
}) => {
  const account = await signIn();
  for (let n = 1; n <= 27; n += 1) await factories.code(account, { content: `https://many.example/${n}` });
  await open('/user/qrcodes');
  await page.getByLabel('Codes per page').selectOption('25');
  await apply(page, mode);
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

/** Once scripts run, each choice applies at once. */
async function apply(page: Page, mode: string): Promise<void> {
  if (mode !== 'js') await page.getByRole('button', { name: 'Apply' }).click();
}

/** A page of a new browser with nothing but the session of another. */
async function openFresh(browser: Browser, context: BrowserContext): Promise<Page> {
  const fresh = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  await fresh.addCookies((await context.cookies()).filter(({ httpOnly }) => httpOnly));
  return fresh.newPage();
}
