import type { Page } from '@playwright/test';
import { expect, forgetZone, test } from '../support/fixtures';

const NO_ANSWER = /^There was no answer: the network connection failed\./;

/** Lets the next two requests for this data fail, first on the way and then at the server; answers how many did. */
async function failTwice(page: Page, data: RegExp): Promise<() => number> {
  let failures = 0;
  await page.route(data, (route) => {
    failures += 1;
    if (failures === 1) return route.abort('internetdisconnected');
    if (failures === 2) return route.fulfill({ status: 503, body: 'Service Unavailable' });
    failures = 2;
    return route.continue();
  });
  return () => failures;
}

test('a running job is followed to its end although requests fail', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await factories.manyCodes(account, 250);
  await open('/user/qrcodes?search=made');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('checkbox', { name: 'All 250 results' }).check();
  await page.locator('.selection-bar summary').click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete 250 codes' }).click();
  await expect(page.getByRole('progressbar')).toBeVisible();
  const failures = await failTwice(page, /\/jobs\/[^/]*\.data/);
  const heading = await page.getByRole('heading', { level: 1 }).elementHandle();
  await expect(page.getByRole('main').getByText('Done: 250 of 250 codes')).toBeVisible();
  expect(failures()).toBe(2);
  expect(await heading?.evaluate((element) => element.isConnected)).toBe(true);
});

test('a page with an id in its address stays although the first request for its routes fails', async ({
  page,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const { id } = await factories.code(account);
  await forgetZone(page, factories, account);
  const routes = await failTwice(page, new RegExp(`/__manifest\\?(?:p=%2Fuser%2Fqrcodes%2F${id}&)?version=`));
  const data = await failTwice(page, new RegExp(`/${id}\\.data`));
  const answer = page.waitForResponse((response) => response.url().includes(`/${id}.data`) && response.ok());
  await page.goto(`/user/qrcodes/${id}`);
  await page.locator('#name > summary').click();
  const name = page.getByLabel('Name', { exact: false }).first();
  await name.fill('Half typed');
  await (await answer).finished();
  expect([routes(), data()]).toEqual([2, 2]);
  await expect(name).toHaveValue('Half typed');
});

test('a page that stores the zone of the browser stays although requests fail', async ({
  page,
  signIn,
  factories,
}) => {
  await forgetZone(page, factories, await signIn());
  const failures = await failTwice(page, /\/contact\.data/);
  const answer = page.waitForResponse(
    (response) => response.url().includes('/contact.data') && response.ok(),
  );
  await page.goto('/contact');
  await page.getByLabel('First name').fill('Ada');
  await (await answer).finished();
  expect(failures()).toBe(2);
  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveCount(0);
  await expect(page.getByLabel('First name')).toHaveValue('Ada');
});

test('a page that asks twice stays although its refresh fails', async ({ page, signIn, factories }) => {
  await forgetZone(page, factories, await signIn());
  const failed = new Set<string>();
  await page.route(/\/create\.data/, (route) => {
    const part = new URL(route.request().url()).search;
    if (failed.has(part)) return route.continue();
    failed.add(part);
    return route.abort('internetdisconnected');
  });
  const answers = new Set<string>();
  page.on('response', (response) => {
    if (response.ok() && response.url().includes('/create.data')) answers.add(response.url());
  });
  await page.goto('/create');
  await page.getByLabel('Web address').fill('https://kept.example/');
  await expect.poll(() => answers.size).toBe(2);
  expect(failed.size).toBe(2);
  await expect(page.getByLabel('Web address')).toHaveValue('https://kept.example/');
});

test('the page for errors, and the one it is left for, get the focus', async ({ page, open }) => {
  await open('/contact');
  await page.route('**/faq.data*', (route) => route.abort('internetdisconnected'));
  await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).first().click();
  const heading = page.getByRole('heading', { level: 1 });
  await expect(page.locator('.error-page h1')).toBeFocused();
  await page.locator('.error-page').getByRole('link', { name: 'Write to us' }).click();
  await expect(page).toHaveURL(/\/contact$/);
  await expect(page.locator('.error-page')).toHaveCount(0);
  await expect(heading).toBeFocused();
});

test('what is typed stays where a file of the form for a new code is lost', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const { id } = await factories.code(await signIn());
  await page.route(/\/dialog-body-[^/]*\.js/, (route) => route.abort('internetdisconnected'));
  await open(`/user/qrcodes/${id}`);
  await page.locator('#name > summary').click();
  const name = page.getByLabel('Name', { exact: false }).first();
  await name.fill('Half typed');
  const opener = page.getByRole('banner').getByRole('link', { name: 'Create a QR code' });
  await opener.click();
  const alert = page.getByRole('alert');
  await expect(alert).toHaveText(/^The service is not responding right now\./);
  await expect(name).toHaveValue('Half typed');
  await alert.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(opener).toBeFocused();
  await opener.click();
  await expect(page).toHaveURL(/\/create$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Create a QR code' })).toBeVisible();
});

test('a failed refresh holds up neither a form nor a link', async ({ page, signIn, factories }) => {
  await forgetZone(page, factories, await signIn());
  await page.route(/\/settings\.data/, (route) =>
    route.request().method() === 'POST' ? route.continue() : route.abort('internetdisconnected'),
  );
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/settings.data'));
  await page.goto('/user/settings');
  await failed;
  await page.getByLabel('First name').fill('');
  await page.getByLabel('E-mail address').first().fill('nobody');
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeFocused();
  await page.getByRole('contentinfo').getByRole('link', { name: 'Contact' }).click();
  await expect(page).toHaveURL(/\/contact$/);
});

test('what is typed stays where the form for a new code cannot be loaded', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const { id } = await factories.code(await signIn());
  await open(`/user/qrcodes/${id}`);
  await page.locator('#name > summary').click();
  const name = page.getByLabel('Name', { exact: false }).first();
  await name.fill('Half typed');
  const opener = page.getByRole('banner').getByRole('link', { name: 'Create a QR code' });
  await page.route('**/create.data*', (route) => route.abort('internetdisconnected'));
  for (let presses = 0; presses < 2; presses += 1) {
    await opener.click();
    await expect(page.getByRole('alert')).toHaveText(NO_ANSWER);
    await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
    await expect(page.getByRole('alert')).toHaveCount(0);
  }
  await expect(name).toHaveValue('Half typed');
  await page.unroute('**/create.data*');
  await opener.click();
  await expect(page.getByRole('dialog', { name: 'Create a QR code' })).toBeVisible();
  await expect(name).toHaveValue('Half typed');
});

test('what is typed stays where the cookie settings cannot be loaded', async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  await page.getByLabel('Town').fill('Paris');
  const link = page.getByRole('contentinfo').getByRole('link', { name: 'Cookie settings' });
  await page.route('**/cookies.data*', (route) => route.abort('internetdisconnected'));
  await link.click();
  await expect(page.getByRole('alert')).toHaveText(NO_ANSWER);
  await page.unroute('**/cookies.data*');
  await link.click();
  await expect(page.getByRole('dialog', { name: 'Cookie settings' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByLabel('Town')).toHaveValue('Paris');
});
