import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { test as base, expect } from '../support/fixtures';
import { startWebsite } from '../support/website';

interface TaggedSite {
  /** URL of a website with an analytics tag in its settings. */
  url: string;
  /** Paths of the requests for the tag's script. */
  requested: string[];
}

const test = base.extend<{ clearRequests: undefined }, { tagged: TaggedSite }>({
  tagged: [
    async ({ browserName: _browser }, use) => {
      const requested: string[] = [];
      const tagServer = createServer((request, response) => {
        requested.push(request.url ?? '');
        response.setHeader('Content-Type', 'text/javascript').end('window.tagHasRun = true;');
      });
      await new Promise<void>((resolve) => tagServer.listen(0, '127.0.0.1', resolve));
      const { port } = tagServer.address() as AddressInfo;
      await using site = await startWebsite({
        ANALYTICS_ID: 'G-E2E',
        ANALYTICS_SCRIPT_URL: `http://127.0.0.1:${port}/gtag/js`,
      });
      await use({ url: site.url, requested });
      tagServer.close();
    },
    { scope: 'worker' },
  ],

  clearRequests: [
    async ({ tagged }, use) => {
      tagged.requested.length = 0;
      await use(undefined);
    },
    { auto: true },
  ],
});

const banner = (page: Page) => page.getByRole('region', { name: 'Cookies', exact: true });

/** The commands in the data layer as the tag would read them. */
function commandsOf(page: Page): Promise<unknown[][]> {
  return page.evaluate(() =>
    (window.dataLayer ?? []).map((entry) => Array.from(entry as ArrayLike<unknown>)),
  );
}

async function viewsOf(page: Page): Promise<unknown[]> {
  return (await commandsOf(page)).filter(([command]) => command === 'event').map(([, , values]) => values);
}

test('without consent, page views never leave the page', async ({ page, open, tagged }) => {
  await open(`${tagged.url}/faq?category=general`);
  await expect.poll(() => viewsOf(page)).toHaveLength(1);
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect.poll(() => viewsOf(page)).toHaveLength(2);
  const [consent] = await commandsOf(page);
  expect(consent?.slice(0, 2)).toEqual(['consent', 'default']);
  expect(Object.values(consent?.[2] ?? {})).toEqual(['denied', 'denied', 'denied', 'denied']);
  expect(await viewsOf(page)).toMatchObject([
    { page_path: '/faq', page_location: `${tagged.url}/faq` },
    { page_path: '/contact', page_location: `${tagged.url}/contact`, page_title: await page.title() },
  ]);
  expect(tagged.requested).toEqual([]);
});

test('a refused form does not count as another page view', async ({ page, open, tagged }) => {
  await open(`${tagged.url}/`);
  await expect.poll(() => viewsOf(page)).toHaveLength(1);
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeFocused();
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect.poll(async () => (await viewsOf(page)).at(-1)).toMatchObject({ page_path: '/contact' });
  expect(await viewsOf(page)).toHaveLength(2);
});

test('accepting loads the tag, which reports the current page and every later page', async ({
  page,
  open,
  tagged,
}) => {
  await open(`${tagged.url}/faq`);
  await banner(page).getByRole('button', { name: 'Accept all' }).click();
  await expect.poll(() => page.evaluate(() => 'tagHasRun' in window)).toBe(true);
  expect(tagged.requested).toEqual(['/gtag/js?id=G-E2E']);
  const update = (await commandsOf(page)).find(
    ([command, what]) => command === 'consent' && what === 'update',
  );
  expect(update?.[2]).toMatchObject({ analytics_storage: 'granted', ad_storage: 'granted' });
  expect(await viewsOf(page)).toMatchObject([{ page_path: '/faq' }]);
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect.poll(() => viewsOf(page)).toMatchObject([{ page_path: '/faq' }, { page_path: '/contact' }]);

  await open(`${tagged.url}/pricings`);
  await expect.poll(() => viewsOf(page)).toMatchObject([{ page_path: '/pricings' }]);
  await expect.poll(() => tagged.requested).toHaveLength(2);
});

test('refusing clears the data layer and stops recording', async ({ page, open, tagged }) => {
  await open(`${tagged.url}/faq`);
  await expect.poll(() => viewsOf(page)).toHaveLength(1);
  await banner(page).getByRole('button', { name: 'Reject all' }).click();
  await expect.poll(() => commandsOf(page)).toEqual([]);
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  expect(await commandsOf(page)).toEqual([]);
  await open(`${tagged.url}/faq`);
  expect(await page.evaluate(() => window.dataLayer ?? null)).toBeNull();
  expect(tagged.requested).toEqual([]);
});

test("withdrawing consent deletes the tag's cookies", async ({ page, open, tagged }) => {
  await page.context().addCookies([
    { name: 'consent', value: 'v1.analytics', url: tagged.url },
    { name: '_ga', value: 'GA1.1.1.1', url: tagged.url },
    { name: '_ga_E2E', value: 'GS1.1.1', url: tagged.url },
  ]);
  await open(`${tagged.url}/faq`);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Cookie settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cookie settings' });
  await dialog
    .getByRole('group', { name: 'Analytics' })
    .locator('label', { hasText: 'Do not allow' })
    .click();
  await dialog.getByRole('button', { name: 'Save my choice' }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => commandsOf(page)).toEqual([]);
  await expect
    .poll(async () => (await page.context().cookies()).map(({ name }) => name))
    .toEqual(['consent']);
});

test('without a tag in the settings, pages contain no trace of it', async ({
  page,
  open,
  tagged,
  baseURL,
}) => {
  const traces = /googletagmanager|google-analytics|gtag|G-E2E|"analytics"|script_url/i;
  for (const cookie of ['', 'consent=v1.analytics.advertising']) {
    const [plain, withTag] = await Promise.all(
      [baseURL, tagged.url].map((url) => page.request.get(`${url}/faq`, { headers: { Cookie: cookie } })),
    );
    expect(await plain?.text()).not.toMatch(traces);
    expect(plain?.headers()['content-security-policy']).not.toMatch(traces);
    expect(await withTag?.text()).toMatch(/G-E2E/);
    expect(withTag?.headers()['content-security-policy']).toContain('https://www.googletagmanager.com');
  }
  const files: string[] = [];
  page.on('request', (request) => files.push(request.url()));
  await open('/faq');
  await banner(page).getByRole('button', { name: 'Accept all' }).click();
  await expect(banner(page).getByText('Your choice is saved')).toBeVisible();
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  expect(files.filter((file) => /analytics/.test(file) || !file.startsWith(baseURL ?? ''))).toEqual([]);
  expect(await page.evaluate(() => 'dataLayer' in window)).toBe(false);
});
