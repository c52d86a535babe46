import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { isFormPost } from '../support/form-posts';
import { host, randomAddress } from '../support/host';
import { mailedPath } from '../support/mails';

const TOO_MANY = 'Too many attempts. Wait a few minutes, then try again.';
const PASSWORD = 'seven paper lanterns at noon';

interface Client {
  token?: string;
  address?: string | undefined;
}

/** Uses up a rate limit by calling the host `times` times, each from a random address unless one is given. */
async function call(
  times: number,
  method: string,
  path: string,
  body: object,
  { token, address }: Client = {},
) {
  for (let turn = 0; turn < times; turn += 1) {
    const answer = await host.request(path, {
      method,
      token,
      address,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).not.toBe(429);
  }
}

/** Presses a button and expects a 429 response and its explanation. */
async function expectRateLimited(
  page: Page,
  button: string,
  words: string | RegExp = TOO_MANY,
): Promise<void> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => isFormPost(response.request())),
    page.getByRole('main').getByRole('button', { name: button, exact: true }).click(),
  ]);
  expect(answer.status()).toBe(429);
  await expect(page.getByRole('region', { name: 'There is a problem' })).toContainText(words);
  await expect(page).toHaveTitle(/^Error: /);
}

test('too many sign-ins are refused, keeping everything typed but the password', async ({
  page,
  open,
  factories,
  address,
}) => {
  const { email, password } = await factories.account();
  await open('/login');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Keep me signed in').check();
  await call(5, 'POST', '/api/login_check', { email, password: 'not the password' }, { address });
  await expectRateLimited(page, 'Sign in', /enter your password again in \d+ seconds/);
  await expect(page.getByLabel('E-mail address')).toHaveValue(email);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await expect(page.getByLabel('Keep me signed in')).toBeChecked();
});

test('too many set-up mails are refused, keeping the address', async ({ page, open }) => {
  const email = `${crypto.randomUUID()}@shop.example`;
  await call(3, 'POST', '/api/account/onboarding/resend', { email });
  await open('/onboarding');
  await page.getByLabel('E-mail address').fill(email);
  await expectRateLimited(page, 'Send me a new link');
  await expect(page.getByLabel('E-mail address')).toHaveValue(email);
});

test('too many confirmation mails are refused on the page that requests them', async ({
  page,
  open,
  signIn,
}) => {
  const { email, token, password } = await signIn();
  const wanted = `new-${email}`;
  const change = { firstName: 'Ada', lastName: 'Tester', email: wanted, currentPassword: password };
  await call(1, 'PUT', '/api/account/profile', change, { token });
  await call(2, 'POST', '/api/account/email-change/resend', {}, { token });
  await open('/user/settings');
  await expectRateLimited(page, 'Send the mail again');
  await expect(page.getByText(`Waiting for confirmation from ${wanted}`)).toBeVisible();
  await page.getByRole('button', { name: 'Keep the present address' }).click();
  await expect(page.getByText('Your e-mail address stays as it is')).toBeVisible();
});

test('too many attempts to set a password with a link are refused, and the link stays valid', async ({
  page,
  open,
  factories,
}) => {
  const { email } = await factories.account();
  await call(1, 'POST', '/api/account/forgot-password', { email });
  const path = await mailedPath(factories, email);
  const token = new URL(path, 'http://localhost').searchParams.get('token');
  const weak = { password: 'P@ssw0rd123', confirmPassword: 'P@ssw0rd123' };
  await call(10, 'POST', '/api/account/reset-password', { token, ...weak });
  await open(path);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Repeat the password').fill(PASSWORD);
  await expectRateLimited(page, 'Save the password');
  await expect(page.getByLabel('New password')).toHaveValue('');
  await expect(page.getByLabel('E-mail address')).toHaveValue(email);
  expect(await open(path)).toBe(200);
});

test('after too many opened links, the names typed for a new account are kept', async ({
  page,
  open,
  factories,
}) => {
  const { email } = await factories.bought({ email: `${crypto.randomUUID()}@shop.example` });
  const path = await mailedPath(factories, email);
  const address = randomAddress();
  await page.setExtraHTTPHeaders({ 'X-Forwarded-For': address });
  await open(path);
  await page.getByLabel('First name').fill('Grace');
  await page.getByLabel('Last name').fill('Hopper');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Repeat the password').fill(PASSWORD);
  const guess = { token: 'x'.repeat(43), purpose: 'onboarding' };
  await call(59, 'POST', '/api/account/mail-token', guess, { address });
  await expectRateLimited(page, 'Set up my account');
  await expect(page.getByLabel('First name')).toHaveValue('Grace');
  await expect(page.getByLabel('Last name')).toHaveValue('Hopper');
  await expect(page.getByLabel('New password')).toHaveValue('');
});
