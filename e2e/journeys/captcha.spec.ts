import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { fillOrder, newBuyer } from '../support/orders';
import { type OwnSite, ownSiteURL, startOwnSite } from '../support/own-site';

// One website for all of them.
test.describe.configure({ mode: 'default' });

let site: OwnSite;

test.use({
  baseURL: async ({ browserName: _browser }, use, { parallelIndex }) => use(ownSiteURL(parallelIndex)),
});

test.beforeAll(async ({ browserName: _browser }, { parallelIndex }) => {
  test.setTimeout(90_000);
  site = await startOwnSite(parallelIndex, { CAPTCHA_SITE_KEY: 'site-key' });
});
test.afterAll(() => site?.close());

const TOO_FAST = 'That was sent faster than anyone can type.';
const FAKE_CAPTCHA = `
  window.grecaptcha = {
    execute: async (key, { action }) => 'token of ' + key + ' for ' + action,
  };
`;

interface Guarded {
  path: string;
  fill: (page: Page) => Promise<void>;
  button: string | RegExp;
  outcome: string;
  /** A field whose typed text a refused form shows again: its label and text. */
  kept: [label: string, text: RegExp];
}

const newEmail = () => `${crypto.randomUUID()}@test.example`;

const GUARDED: Record<string, Guarded> = {
  'signing in': {
    path: '/login',
    fill: async (page) => {
      const { email, password } = await site.account();
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
    },
    button: 'Sign in',
    outcome: 'Login successful',
    kept: ['E-mail address', /@test\.example$/],
  },
  'resetting a password': {
    path: '/forgot-password',
    fill: async (page) => page.getByLabel('E-mail address').fill(newEmail()),
    button: 'Send me the link',
    outcome: 'An email has been sent with instructions to reset your password.',
    kept: ['E-mail address', /@test\.example$/],
  },
  contacting: {
    path: '/contact',
    fill: async (page) => {
      await page.getByLabel('E-mail address').fill(newEmail());
      await page.getByLabel('First name').fill('Ada');
      await page.getByLabel('Last name').fill('Lovelace');
      await page.getByLabel('Subject').selectOption('Payment and invoices');
      await page.getByLabel('Message', { exact: true }).fill('Where do I find my invoices?');
    },
    button: 'Send the message',
    outcome: 'Your message has been sent',
    kept: ['Message', /^Where do I find my invoices\?$/],
  },
  ordering: {
    path: '/subscribe/basic_monthly',
    fill: async (page) => fillOrder(page, newBuyer()),
    button: /^Order with obligation to pay/,
    outcome: 'Save your card',
    kept: ['E-mail address', /@shop\.example$/],
  },
};

for (const [what, { path, fill, button, outcome, kept }] of Object.entries(GUARDED)) {
  test(`with a captcha, ${what} works with and without scripts`, { tag: '@late' }, async ({
    page,
    open,
    mode,
  }) => {
    await page.route('https://www.google.com/recaptcha/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: FAKE_CAPTCHA }),
    );
    await open(path);
    await fill(page);
    const send = page.getByRole('main').getByRole('button', { name: button });
    if (mode !== 'js') {
      // However slow the machine is, the server now sees a form less than a second old.
      await site.shift(-60_000);
      await send.click();
      await expect(page.getByText(TOO_FAST).first()).toBeVisible();
      await expect(page.getByLabel(kept[0], { exact: true })).toHaveValue(kept[1]);
      if (path === '/login')
        await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
      await site.shift(120_000);
    }
    await send.click();
    await expect(page.getByText(outcome).first()).toBeVisible();
  });

  // Without scripts, it is never asked for.
  test(`if the captcha does not load, ${what} still works`, { tag: '@once' }, async ({ page, open }) => {
    await page.route('https://www.google.com/recaptcha/**', (route) => route.abort());
    await open(path);
    await fill(page);
    await site.shift(60_000);
    await page.getByRole('main').getByRole('button', { name: button }).click();
    await expect(page.getByText(outcome).first()).toBeVisible();
  });
}
