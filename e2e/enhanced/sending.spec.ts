import type { Locator, Page } from '@playwright/test';
import { expect, forgetZone, test } from '../support/fixtures';
import { pictureBytes } from '../support/logos';
import { fillOrder, newBuyer } from '../support/orders';

const NO_ANSWER = /^There was no answer: the network connection failed\./;

/**
 * Fails all data requests, with `arrives` only after the server got the POST; returns a restoring function.
 */
async function loseNetwork(page: Page, { arrives = false } = {}): Promise<() => Promise<void>> {
  const isData = /\.data(\?|$)/;
  await page.route(isData, async (route) => {
    if (arrives && route.request().method() === 'POST') await route.fetch({ maxRedirects: 0 });
    await route.abort('internetdisconnected');
  });
  return () => page.unroute(isData);
}

/** Presses a button and expects a network error on the same page. */
async function expectNoAnswer(page: Page, button: Locator): Promise<void> {
  const address = page.url();
  await button.click();
  await expect(page.getByRole('alert')).toHaveText(NO_ANSWER);
  await expect(page.getByRole('alert')).toHaveCount(1);
  await expect(button).toBeFocused();
  expect(page.url()).toBe(address);
}

test('without a network, the home page keeps the design, including its file, and can resend it', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await open('/');
  await page.getByLabel('Web address').fill('https://patient.example/');
  await page.getByLabel('Your own image').setInputFiles(await pictureBytes('mark.png'));
  const button = page.getByRole('button', { name: 'Create the code' });
  const restore = await loseNetwork(page);
  await expectNoAnswer(page, button);
  await expect(page.getByLabel('Web address')).toHaveValue('https://patient.example/');
  await expect(page.getByLabel('Your own image')).toHaveValue(/mark\.png$/);
  await restore();
  await button.click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  const [code] = await factories.codesOf(account);
  const logo = await page.request.get(`/user/qrcodes/${code?.id}/logo`);
  expect(logo.headers()['content-type']).toBe('image/png');
});

test('without a network, the dialog stays open, and a lost response creates no second code', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await open('/user/dashboard');
  await page.getByRole('banner').getByRole('link', { name: 'Create a QR code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a QR code' });
  await dialog.getByLabel('Web address').fill('https://once.example/');
  const button = dialog.getByRole('button', { name: 'Create the code' });
  const restore = await loseNetwork(page, { arrives: true });
  await expectNoAnswer(page, button);
  expect(await factories.codesOf(account)).toHaveLength(1);
  const box = await dialog.getByRole('alert').boundingBox();
  expect(box?.y).toBeGreaterThan((await dialog.getByLabel('Web address').boundingBox())?.y ?? Infinity);
  expect(box?.y).toBeLessThan((await dialog.getByLabel('Your own image').boundingBox())?.y ?? 0);
  await restore();
  await button.click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  await expect(dialog).toHaveCount(0);
  expect(await factories.codesOf(account)).toHaveLength(1);
});

test('without a network, a message stays in its form', async ({ page, open }) => {
  await open('/contact');
  await page.getByLabel('E-mail address').fill('ada@sheet.example');
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Lovelace');
  await page.getByLabel('Subject').selectOption({ index: 1 });
  await page.getByLabel('Message', { exact: true }).fill('Where do I find my invoices?');
  const button = page.getByRole('button', { name: 'Send the message' });
  const restore = await loseNetwork(page);
  await expectNoAnswer(page, button);
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Where do I find my invoices?');
  await restore();
  await button.click();
  await expect(page.getByRole('heading', { name: 'Your message has been sent' })).toBeVisible();
});

test('without a network, an order stays filled in and can be resent', async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  const buyer = newBuyer();
  await fillOrder(page, buyer);
  const button = page.getByRole('button', { name: /^Order with obligation to pay/ });
  const restore = await loseNetwork(page);
  await expectNoAnswer(page, button);
  await expect(page.getByLabel('E-mail address')).toHaveValue(buyer.email);
  await expect(page.getByLabel('I accept the terms of sale.')).toBeChecked();
  await restore();
  await button.click();
  await expect(page.getByLabel('Card number')).toBeVisible();
});

test('without a network, a password stays too', async ({ page, open }) => {
  await open('/login');
  await page.getByLabel('E-mail address').fill('ada@sheet.example');
  await page.getByLabel('Password', { exact: true }).fill('seven paper lanterns');
  await loseNetwork(page);
  await expectNoAnswer(page, page.getByRole('button', { name: 'Sign in' }));
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('seven paper lanterns');
});

test('while a slow response is pending, the button says so once, keeps the focus and ignores a second press', async ({
  page,
  open,
}) => {
  await page.clock.install();
  await open('/login');
  const posts: string[] = [];
  let answer = () => undefined as unknown;
  const held = new Promise<unknown>((resolve) => {
    answer = () => resolve(undefined);
  });
  await page.route(/\.data(\?|$)/, async (route) => {
    posts.push(route.request().url());
    await held;
    await route.continue();
  });
  const form = page.locator('main form');
  const button = page.getByRole('button', { name: 'Sign in' });
  await page.clock.pauseAt(Date.now() + 60_000);
  await button.click();
  await expect(form.getByRole('status')).toBeAttached();
  await page.clock.runFor(290);
  await expect(form.getByRole('status')).toBeEmpty();
  await expect(button).not.toHaveAttribute('aria-disabled');
  await page.clock.runFor(20);
  await expect(form.getByRole('status')).toHaveText('Sending…');
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await expect(button).toHaveAttribute('aria-busy', 'true');
  await expect(button).toBeFocused();
  await button.press('Enter');
  await page.getByLabel('E-mail address').press('Enter');
  answer();
  await page.clock.resume();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeFocused();
  expect(posts).toHaveLength(1);
  await expect(form.getByRole('status')).toHaveCount(0);
  await expect(button).not.toHaveAttribute('aria-disabled');
});

test('a refused form adds no history entry', async ({ page, open, back }) => {
  await open('/faq');
  await page.getByRole('banner').getByRole('link', { name: 'Quadrille' }).click();
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeFocused();
  await expect(page).toHaveURL('/');
  await back('/faq');
  await expect(page).toHaveURL('/faq');
});

test('saving a form adds no history entry', async ({ page, open, signIn, back }) => {
  await signIn();
  await open('/contact');
  await open('/user/settings');
  await page.getByLabel('First name').fill('Katherine');
  await page.getByRole('button', { name: 'Save the profile' }).click();
  await expect(page.getByText('Profile saved')).toBeVisible();
  await back('/contact');
  await expect(page).toHaveURL('/contact');
});

test('an error disappears on the first change of its field, which keeps the focus', async ({
  page,
  open,
}) => {
  await open('/contact');
  await page.getByRole('button', { name: 'Send the message' }).click();
  const summary = page.getByRole('region', { name: 'There is a problem' });
  await expect(summary).toBeFocused();
  const before = await summary.getByRole('listitem').count();
  const email = page.getByLabel('E-mail address');
  await email.pressSequentially('ada');
  await expect(email).toBeFocused();
  await expect(email).not.toHaveAttribute('aria-invalid');
  await expect(email).toHaveAccessibleDescription(/^(?!.*Error)/);
  await expect(summary.getByRole('listitem')).toHaveCount(before - 1);
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(summary).toBeFocused();
  await expect(email).toHaveAttribute('aria-invalid', 'true');
  await expect(summary.getByRole('listitem')).toHaveCount(before);
});

test('the errors of an order disappear one by one, and the summary with the last', async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  const title = await page.title();
  await fillOrder(page, { ...newBuyer(), email: '' });
  await page.getByLabel('I accept the terms of sale.').uncheck();
  await page.getByRole('button', { name: /^Order with obligation to pay/ }).click();
  const summary = page.getByRole('region', { name: 'There is a problem' });
  await expect(summary.getByRole('listitem')).toHaveCount(2);
  await expect(page).toHaveTitle(`Error: ${title}`);
  await page.getByLabel('I accept the terms of sale.').check();
  await expect(summary.getByRole('listitem')).toHaveCount(1);
  await page.getByLabel('E-mail address').fill('ada@sheet.example');
  await expect(summary).toHaveCount(0);
  await expect(page.locator('[aria-invalid]')).toHaveCount(0);
  await expect(page).toHaveTitle(title);
});

test('an error about the content disappears when another type is chosen', async ({ page, open }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('not an address');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByLabel('Web address')).toHaveAttribute('aria-invalid', 'true');
  await page
    .getByRole('group', { name: 'What should it open?' })
    .locator('label')
    .filter({ hasText: 'Text' })
    .click();
  await expect(page.locator('[aria-invalid]')).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'There is a problem' })).toHaveCount(0);
});

test('a form sent while the page revalidates still redirects to its target', async ({
  page,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://soon-gone.example/' });
  // The first page of an account stores the time zone of the browser, and reloads its data in it.
  await forgetZone(page, factories, account);
  const path = `/user/qrcodes/${code.id}/delete`;
  const deleted = signal();
  let isRefreshing = true;
  await page.route(`**${path}.data*`, async (route) => {
    if (route.request().method() === 'POST') {
      const response = await route.fetch({ maxRedirects: 0 });
      deleted.fire();
      if (isRefreshing) await page.waitForRequest((request) => request.url().includes('/deleted.data'));
      return route.fulfill({ response });
    }
    await Promise.race([deleted.fired, page.getByText('Sending…').waitFor({ state: 'attached' })]);
    const response = await route.fetch({ maxRedirects: 0 });
    isRefreshing = response.status() !== 200;
    return route.fulfill({ response });
  });
  const refresh = page.waitForRequest((request) => request.url().includes(`${path}.data`));
  await page.goto(path);
  await refresh;
  await page.getByRole('button', { name: /^Delete/ }).click();
  await expect(page).toHaveURL('/user/qrcodes');
  await expect(page.getByText('QR code deleted successfully')).toBeVisible();
});

function signal(): { fire(): void; fired: Promise<void> } {
  let fire = () => {};
  const fired = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fire: () => fire(), fired };
}
