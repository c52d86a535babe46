import type { Page, Request } from '@playwright/test';
import { expect, test } from '../support/fixtures';

/** Holds the data requests that match; returns a function that lets the next of them pass. */
async function hold(page: Page, matches: (request: Request) => boolean): Promise<() => Promise<void>> {
  const held: (() => void)[] = [];
  await page.route(/\.data(\?|$)/, async (route) => {
    if (matches(route.request())) await new Promise<void>((release) => held.push(release));
    // The router may have aborted the request by now.
    await route.fallback().catch(() => undefined);
  });
  return async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    held.shift()?.();
  };
}

const isPost = (request: Request) => request.method() === 'POST';

/** Sends a new name for the code whose page is open. */
async function rename(page: Page, name: string): Promise<void> {
  const form = page.locator('#labels');
  await form.evaluate((element) => element.closest('details')?.setAttribute('open', ''));
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: /^Save/ }).click();
}

test('two forms of a page that are sent at once both show their outcome', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://menu.example/' });
  await open(`/user/qrcodes/${code.id}`);
  const release = await hold(page, isPost);
  await rename(page, 'Summer menu');
  await page.getByText('Pause', { exact: true }).click();
  await page.locator('#pause-form').getByRole('textbox').fill('Closed for the winter');
  await page.locator('#pause-form').getByRole('button').click();
  await release();
  await expect(page.getByText('Renamed to “Summer menu”')).toBeVisible();
  await release();
  await expect(page.getByText('Paused: whoever scans the code reads the message.')).toBeVisible();
  await expect(page.locator('#pause-form').getByRole('textbox')).toHaveValue('Closed for the winter');
});

test('a form whose language is switched while it is sent shows its outcome', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://menu.example/' });
  await open(`/user/qrcodes/${code.id}`);
  const release = await hold(page, isPost);
  await rename(page, 'Summer menu');
  await page.getByText('English').first().click();
  await page.getByRole('button', { name: 'Français' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', /^fr/);
  await release();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Summer menu');
  await expect(page.getByText('Renommé en « Summer menu »')).toBeVisible();
});

test('a code whose dialog is cancelled while it is sent is announced where its owner went', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/dashboard');
  await page.getByRole('banner').getByRole('link', { name: 'Create a QR code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a QR code' });
  await dialog.getByLabel('Web address').fill('https://hasty.example/');
  const release = await hold(page, isPost);
  await dialog.getByRole('button', { name: 'Create the code' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).first().click();
  await page.getByRole('navigation').getByRole('link', { name: 'Analytics' }).first().click();
  await expect(page).toHaveURL(/\/user\/analytics/);
  await release();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/analytics/);
});

test('closing the dialog loads nothing, so that it works without a network', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/dashboard');
  const opener = page.getByRole('banner').getByRole('link', { name: 'Create a QR code' });
  const dialog = page.getByRole('dialog', { name: 'Create a QR code' });
  for (const close of [
    () => dialog.getByRole('button', { name: 'Cancel' }).first().click(),
    () => page.goBack(),
  ]) {
    await opener.click();
    await expect(dialog.getByLabel('Web address')).toBeVisible();
    await page.route(/\.data(\?|$)/, (route) => route.abort('internetdisconnected'));
    await close();
    await expect(dialog).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => 'dialog' in (history.state ?? {}))).toBe(false);
    await page.unroute(/\.data(\?|$)/);
    await expect(page.getByRole('heading', { level: 1, name: /^Welcome/ })).toBeVisible();
  }
});

test('Back closes a dialog on a page that was reloaded with an open dialog', async ({
  page,
  open,
  signIn,
  ready,
}) => {
  await signIn();
  await open('/user/dashboard');
  const opener = page.getByRole('banner').getByRole('link', { name: 'Create a QR code' });
  const dialog = page.getByRole('dialog', { name: 'Create a QR code' });
  await opener.click();
  await expect(dialog).toBeVisible();
  await page.reload();
  await ready();
  await opener.click();
  await expect(dialog).toBeVisible();
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL('/user/dashboard');
});

test('a code whose button is pressed while its preview is on the way is created after it', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await open('/');
  await page.getByLabel('Web address').fill('https://example.com/hasty');
  const release = await hold(page, isPost);
  await page.getByRole('button', { name: 'Preview and check' }).click();
  // Without waiting: after a moment it is `aria-disabled`, but can still be pressed.
  await page.getByRole('button', { name: 'Create the code' }).click({ force: true });
  expect(await factories.codesOf(account)).toHaveLength(0);
  await release();
  await release();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  expect(await factories.codesOf(account)).toHaveLength(1);
});

test('a code created while the page is reloaded for its preview can be opened from the list', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/');
  await page.getByLabel('Web address').fill('https://example.com/hasty');
  const release = await hold(page, (request) => !isPost(request) && request.url().includes('_root.data'));
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('grade A: read')).toBeVisible();
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  await release();
  await page.locator('main').getByRole('link', { name: /hasty/ }).first().click();
  await expect(page.getByRole('link', { name: 'Change logo and look' })).toBeVisible();
});
