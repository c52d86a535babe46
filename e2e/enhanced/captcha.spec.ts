import type { Page } from '@playwright/test';
import { test as base, expect } from '../support/fixtures';
import { startWebsite } from '../support/website';

const test = base.extend<object, { checked: { url: string } }>({
  // A worker's and not a test's: a page that is closing may still be asking.
  checked: [
    async ({ browserName: _browser }, use) => {
      await using website = await startWebsite({ CAPTCHA_SITE_KEY: 'site-key' });
      await use(website);
    },
    { scope: 'worker' },
  ],
});

const STAND_IN = `
  setTimeout(() => {
    window.grecaptcha = {
      execute: async (key, { action }) => 'token of ' + key + ' for ' + action,
    };
  }, 60);
`;

test('with a captcha a message leaves with the token of its action', async ({ page, ready, checked }) => {
  await page.route('https://www.google.com/recaptcha/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: STAND_IN }),
  );
  await page.goto(`${checked.url}/contact`);
  await ready();
  await fillMessage(page);
  const [request] = await Promise.all([
    page.waitForRequest((sent) => sent.method() === 'POST'),
    page.getByRole('button', { name: 'Send the message' }).click(),
  ]);
  expect(new URLSearchParams(request.postData() ?? '').get('captcha')).toBe('token of site-key for contact');
  await expect(page.getByRole('heading', { name: 'Your message has been sent' })).toBeVisible();
  await expect(page.locator('script[src*=recaptcha]')).toHaveCount(1);
});

test('a captcha that does not load says so, keeps what was typed and can be tried again', async ({
  page,
  ready,
  checked,
}) => {
  let isDown = true;
  await page.route('https://www.google.com/recaptcha/**', (route) =>
    isDown ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: STAND_IN }),
  );
  await page.goto(`${checked.url}/contact`);
  await ready();
  await fillMessage(page);
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page.getByText('The check against robots did not succeed.')).toBeVisible();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Where do I find my invoices?');
  isDown = false;
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page.getByRole('heading', { name: 'Your message has been sent' })).toBeVisible();
});

test('with a captcha a page without scripts names the address to write to', async ({ browser, checked }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const response = await page.goto(`${checked.url}/contact`);
  expect(response?.headers()['content-security-policy']).toMatch(
    /script-src [^;]*https:\/\/www\.google\.com\/recaptcha\/.*frame-src https:\/\/www\.google\.com\/recaptcha\//,
  );
  await expect(page.getByText('Without scripts, please write to contact@quadrille.example.')).toBeVisible();
  await context.close();
});

const REFUSED = 'Login error. Please check your credentials.';
const MAILED = 'An email has been sent with instructions to reset your password.';

for (const { action, path, button, outcome } of [
  { action: 'login', path: '/login', button: 'Log in', outcome: REFUSED },
  { action: 'forgot_password', path: '/forgot-password', button: 'Send me the link', outcome: MAILED },
  { action: 'forgot_password', path: '/reset-password', button: 'Send me the link', outcome: MAILED },
]) {
  test(`with a captcha ${path} sends the token of ${action}, and says when it cannot`, async ({
    page,
    ready,
    checked,
  }) => {
    let isDown = true;
    await page.route('https://www.google.com/recaptcha/**', (route) =>
      isDown ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: STAND_IN }),
    );
    await page.goto(`${checked.url}${path}`);
    await ready();
    const send = page.getByRole('main').getByRole('button', { name: button, exact: true });
    const email = `${crypto.randomUUID()}@test.example`;
    await page.getByLabel('E-mail address').fill(email);
    if (action === 'login')
      await page.getByLabel('Password', { exact: true }).fill('a password that is long');
    await send.click();
    await expect(page.getByText('The check against robots could not be loaded.')).toBeVisible();
    await expect(page.getByLabel('E-mail address')).toHaveValue(email);
    isDown = false;
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === 'POST'),
      send.click(),
    ]);
    const posted = new URLSearchParams(request.postData() ?? '');
    expect(posted.get('captcha')).toBe(`token of site-key for ${action}`);
    await expect(page.getByText(outcome)).toBeVisible();
  });
}

test('without a captcha no page allows anything of it', async ({ page }) => {
  const response = await page.goto('/contact');
  expect(response?.headers()['content-security-policy']).not.toMatch(/google|gstatic/);
});

async function fillMessage(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill(`${crypto.randomUUID()}@test.example`);
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Lovelace');
  await page.getByLabel('Subject').selectOption('Payment and invoices');
  await page.getByLabel('Message', { exact: true }).fill('Where do I find my invoices?');
}
