import type { Page } from '@playwright/test';
import { send } from '../../tests/support/json-calls';
import { type Account, test as base, expect, type Factories, forgetZone } from '../support/fixtures';
import { isFormPost } from '../support/form-posts';
import { host } from '../support/host';
import { mailedPath } from '../support/mails';
import { startWebsite } from '../support/website';

const test = base.extend<object, { checked: { url: string } }>({
  // Worker-scoped, because a page that is closing may still send requests.
  checked: [
    async ({ browserName: _browser }, use) => {
      await using website = await startWebsite({ CAPTCHA_SITE_KEY: 'site-key' });
      await use(website);
    },
    { scope: 'worker' },
  ],
});

const FAKE_CAPTCHA = `
  setTimeout(() => {
    window.grecaptcha = {
      execute: async (key, { action }) => 'token of ' + key + ' for ' + action,
    };
  }, 60);
`;

/** Resolves with its token only when the test calls `giveToken()`. */
const SLOW_FAKE_CAPTCHA = `
  window.grecaptcha = {
    execute: () => new Promise((give) => { window.giveToken = () => give('a token'); }),
  };
`;

test('with a captcha, a message is sent with a token for its action', async ({ page, ready, checked }) => {
  await page.route('https://www.google.com/recaptcha/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: FAKE_CAPTCHA }),
  );
  await page.goto(`${checked.url}/contact`);
  await ready();
  await fillMessage(page);
  const [request] = await Promise.all([
    page.waitForRequest(isFormPost),
    page.getByRole('button', { name: 'Send the message' }).click(),
  ]);
  expect(new URLSearchParams(request.postData() ?? '').get('captcha')).toBe('token of site-key for contact');
  await expect(page.getByRole('heading', { name: 'Your message has been sent' })).toBeVisible();
  await expect(page.locator('script[src*=recaptcha]')).toHaveCount(1);
});

test('while the captcha token is pending, the button is busy and a second press does nothing', async ({
  page,
  ready,
  checked,
}) => {
  await page.route('https://www.google.com/recaptcha/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: SLOW_FAKE_CAPTCHA }),
  );
  let posts = 0;
  page.on('request', (request) => {
    if (isFormPost(request)) posts += 1;
  });
  await page.goto(`${checked.url}/contact`);
  await ready();
  await fillMessage(page);
  const button = page.getByRole('button', { name: 'Send the message' });
  await button.click();
  await expect(button).toHaveAttribute('aria-busy', 'true');
  await expect(page.getByText('Sending…')).toBeAttached();
  await button.press('Enter');
  expect(posts).toBe(0);
  await page.waitForFunction(() => 'giveToken' in window);
  await page.evaluate('giveToken()');
  await expect(page.getByRole('heading', { name: 'Your message has been sent' })).toBeVisible();
  expect(posts).toBe(1);
});

test('the captcha token is kept while the page reloads its data', async ({
  page,
  ready,
  checked,
  signIn,
  factories,
}) => {
  await page.route('https://www.google.com/recaptcha/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: SLOW_FAKE_CAPTCHA }),
  );
  // The first page of an account stores the time zone of the browser, and reloads its data in it.
  await forgetZone(page, factories, await signIn());
  let reload = () => {};
  const reloaded = new Promise<void>((resolve) => {
    reload = resolve;
  });
  await page.route(/\/contact\.data/, async (route) => {
    if (route.request().method() === 'GET') await reloaded;
    await route.continue();
  });
  const reloading = page.waitForRequest(/\/contact\.data/);
  await page.goto(`${checked.url}/contact`);
  await ready();
  await reloading;
  await fillMessage(page);
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page.getByText('Sending…')).toBeAttached();
  await page.waitForFunction(() => 'giveToken' in window);
  await page.evaluate('giveToken()');
  const posted = page.waitForRequest(isFormPost);
  reload();
  expect(new URLSearchParams((await posted).postData() ?? '').get('captcha')).toBe('a token');
});

test("with a captcha, the page's CSP allows its origin", async ({ page, checked }) => {
  await page.route('https://www.google.com/recaptcha/**', (route) => route.abort());
  const response = await page.goto(`${checked.url}/contact`);
  expect(response?.headers()['content-security-policy']).toMatch(
    /script-src [^;]*https:\/\/www\.google\.com\/recaptcha\/.*frame-src https:\/\/www\.google\.com\/recaptcha\//,
  );
});

const PASSWORD = 'seven paper lanterns at noon';
const MAILED = 'An email has been sent with instructions to reset your password.';
const SENT_AGAIN = 'If there is an account to set up, a new link is on its way.';

interface Guarded {
  action: string;
  on: string;
  /** Creates what the page needs and resolves with its path. */
  path: (factories: Factories, signIn: () => Promise<Account>) => Promise<string>;
  /** Text to type, keyed by field label. */
  entered: Record<string, string>;
  button: string;
  outcome: string;
}

const newEmail = () => `${crypto.randomUUID()}@test.example`;

const guarded: Guarded[] = [
  {
    action: 'login',
    on: '/login',
    path: async () => '/login',
    entered: { 'E-mail address': newEmail(), Password: PASSWORD },
    button: 'Sign in',
    outcome: 'Login error. Please check your credentials.',
  },
  ...['/forgot-password', '/reset-password'].map((path) => ({
    action: 'forgot_password',
    on: path,
    path: async () => path,
    entered: { 'E-mail address': newEmail() },
    button: 'Send me the link',
    outcome: MAILED,
  })),
  {
    action: 'reset_password',
    on: 'a mailed link',
    path: async (factories) => {
      const { email } = await factories.account();
      await send(host, 'POST', '/api/account/forgot-password', { email });
      return mailedPath(factories, email);
    },
    entered: { 'New password': PASSWORD, 'Repeat the password': PASSWORD },
    button: 'Save the password',
    outcome: 'Password reset successfully',
  },
  {
    action: 'resend_onboarding',
    on: '/onboarding',
    path: async () => '/onboarding',
    entered: { 'E-mail address': newEmail() },
    button: 'Send me a new link',
    outcome: SENT_AGAIN,
  },
  {
    action: 'resend_onboarding',
    on: 'an expired link',
    path: async (factories) => {
      const { email } = await factories.bought({ email: newEmail() });
      const path = await mailedPath(factories, email);
      await factories.endLinks(email);
      return path;
    },
    entered: {},
    button: 'Send me a new link',
    outcome: SENT_AGAIN,
  },
  {
    action: 'resend_email_change',
    on: 'the settings',
    path: async (_, signIn) => {
      const { token, password } = await signIn();
      const change = { firstName: 'Ada', lastName: 'Tester', email: newEmail(), currentPassword: password };
      await send(host, 'PUT', '/api/account/profile', change, { token });
      return '/user/settings';
    },
    entered: {},
    button: 'Send the mail again',
    outcome: 'The mail to confirm your new address is on its way',
  },
];

for (const { action, on, path, entered, button, outcome } of guarded) {
  // All of them send what one hook makes.
  for (const isDown of action === 'login' ? [false, true] : [false]) {
    const sent = isDown ? 'only the form token if the captcha does not load' : `a token for ${action}`;
    test(`with a captcha, ${on} sends ${sent}`, async ({ page, ready, checked, factories, signIn }) => {
      await page.route('https://www.google.com/recaptcha/**', (route) =>
        isDown ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: FAKE_CAPTCHA }),
      );
      // Cookies ignore the port, so the session of the main site is valid on this one too.
      await page.goto(checked.url + (await path(factories, signIn)));
      await ready();
      for (const [label, text] of Object.entries(entered)) {
        await page.getByLabel(label, { exact: true }).fill(text);
      }
      const [request] = await Promise.all([
        page.waitForRequest(isFormPost),
        page.getByRole('main').getByRole('button', { name: button, exact: true }).click(),
      ]);
      const posted = new URLSearchParams(request.postData() ?? '');
      expect(posted.get('captcha')).toBe(isDown ? '' : `token of site-key for ${action}`);
      expect(posted.get('formToken')).toMatch(/^\d+\.[\w-]{16}\.[\w-]{43}$/);
      await expect(page.getByText(outcome)).toBeVisible();
    });
  }
}

test('without a captcha, the CSP does not allow its origin', async ({ page }) => {
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
