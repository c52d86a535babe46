import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { HOST_PORT } from '../support/ports';

const STAND_IN = `
  setTimeout(() => {
    window.grecaptcha = {
      execute: async (key, { action }) => 'token of ' + key + ' for ' + action,
    };
  }, 60);
`;

test('the price changes at once, is spoken, and leaves focus and place alone', async ({ page, open }) => {
  await open('/pricings');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const yearly = page.getByRole('link', { name: 'Yearly' });
  await yearly.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: '€106.92 per year' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '€106.92 per year' })).toBeAttached();
  await expect(yearly).toBeFocused();
  await expect(page).toHaveURL(/billing=yearly$/);
  expect(requests.filter((path) => path.startsWith('/pricings'))).toEqual([]);
});

test('the questions follow every key while the focus stays in the field', async ({ page, open }) => {
  await open('/faq');
  const field = page.getByLabel('Search the questions');
  await field.pressSequentially('wi-fi network');
  await expect(page.getByText(/^\d answers found$/).first()).toBeVisible();
  await expect(page.locator('details:not([open])')).toHaveCount(0);
  await expect(field).toBeFocused();
  await expect(page).toHaveURL(/\?q=wi-fi\+network$/);
  await expect(page.getByRole('status').filter({ hasText: 'answers found' })).toBeAttached();
  await page.getByRole('link', { name: 'Support', exact: true }).click();
  await expect(page.getByRole('heading', { name: /^Nothing found/ })).toBeVisible();
  await field.fill('');
  await expect(page.getByText('How do I reach support?')).toBeVisible();
  await expect(page.locator('details[open]')).toHaveCount(0);
  await expect(page).toHaveURL(/\/faq\?category=support$/);
  await page.reload();
  await expect(page.getByText('How do I create a QR code?')).toBeHidden();
});

test('what was typed before scripts ran is searched for once they do', async ({ page }) => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/faq', { waitUntil: 'commit' });
  await page.getByLabel('Search the questions').fill('invoices');
  release();
  await expect(page.getByText(/answers? found$/).first()).toBeVisible();
  await expect(page.getByLabel('Search the questions')).toHaveValue('invoices');
});

test('a link of the footer opens another answer of the same page', async ({ page, open }) => {
  await open('/faq?category=support');
  const footer = page.getByRole('contentinfo');
  await footer.getByRole('link', { name: 'How to create a code' }).click();
  await expect(page.getByText('The preview shows you the result')).toBeInViewport();
  await footer.getByRole('link', { name: 'Kinds of QR codes' }).click();
  await expect(page.getByText('Link: opens a web page.')).toBeInViewport();
});

test('a legal page can be printed', async ({ page, open }) => {
  await page.addInitScript(() => {
    window.print = () => document.documentElement.setAttribute('data-printed', '');
  });
  await open('/privacy-policy');
  await page.getByRole('button', { name: 'Print this page' }).click();
  await expect(page.locator('html[data-printed]')).toBeAttached();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('button', { name: 'Print this page' })).toBeHidden();
  await expect(page.getByRole('navigation', { name: 'On this page' })).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Your rights', exact: true })).toBeVisible();
});

test('with a captcha a message leaves with the token of its action', async ({ page, ready }) => {
  await using website = await startWebsite({ CAPTCHA_SITE_KEY: 'site-key' });
  await page.route('https://www.google.com/recaptcha/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: STAND_IN }),
  );
  await page.goto(`${website.url}/contact`);
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
}) => {
  await using website = await startWebsite({ CAPTCHA_SITE_KEY: 'site-key' });
  let isDown = true;
  await page.route('https://www.google.com/recaptcha/**', (route) =>
    isDown ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: STAND_IN }),
  );
  await page.goto(`${website.url}/contact`);
  await ready();
  await fillMessage(page);
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page.getByText('The check against robots did not succeed.')).toBeVisible();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Where do I find my invoices?');
  isDown = false;
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page.getByRole('heading', { name: 'Your message has been sent' })).toBeVisible();
});

test('with a captcha a page without scripts names the address to write to', async ({ browser }) => {
  await using website = await startWebsite({ CAPTCHA_SITE_KEY: 'site-key' });
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const response = await page.goto(`${website.url}/contact`);
  expect(response?.headers()['content-security-policy']).toMatch(
    /script-src [^;]*https:\/\/www\.google\.com\/recaptcha\/.*frame-src https:\/\/www\.google\.com\/recaptcha\//,
  );
  await expect(page.getByText('Without scripts, please write to contact@quadrille.example.')).toBeVisible();
  await context.close();
});

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

/** The built website once more, with other settings, before the same host. */
async function startWebsite(settings: Record<string, string>) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const web = spawn('node', ['node_modules/@remix-run/serve/dist/cli.js', 'build/server/index.js'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      PUBLIC_URL: url,
      HOST_URL: `http://127.0.0.1:${HOST_PORT}`,
      SESSION_SECRET: 'a secret of the journeys that is long enough',
      TRUST_PROXY: 'x-forwarded-for',
      LOG_LEVEL: 'warn',
      ...settings,
    },
  });
  await expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        (answer) => answer.ok,
        () => false,
      ),
    )
    .toBe(true);
  return {
    url,
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => web.once('exit', resolve));
      web.kill('SIGKILL');
      await gone;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
