import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { isFormPost } from '../support/form-posts';
import { mailedPath } from '../support/mails';

const PASSWORD = 'seven paper lanterns at noon';

let buyers = 0;
const newEmail = () => `buyer-${Date.now().toString(36)}-${process.pid}-${buyers++}@shop.example`;

async function choosePassword(page: Page, password: string, again = password): Promise<void> {
  await page.getByLabel('New password').fill(password);
  await page.getByLabel('Repeat the password').fill(again);
}

test('a purchased account is set up by its mailed link, and the saved design becomes its first code', async ({
  page,
  open,
  factories,
}) => {
  const { email } = await factories.bought({ email: newEmail(), content: 'https://first.example/' });
  const path = await mailedPath(factories, email);
  expect(await open(path)).toBe(200);
  await expect(page.getByLabel('E-mail address')).toHaveValue(email);
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Byron');
  await choosePassword(page, PASSWORD, 'something else');
  await page.getByRole('button', { name: 'Set up my account' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toContainText(
    'Type the same password in both fields.',
  );
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByLabel('First name')).toHaveValue('Ada');
  await expect(page.getByLabel('New password')).toHaveValue('');
  await choosePassword(page, PASSWORD);
  await page.getByRole('button', { name: 'Set up my account' }).click();
  await expect(page.getByText('Onboarding successful')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/qrcodes\/[\w-]+\/ready$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your code is ready, Ada.');
  await expect(page.getByRole('main').getByRole('link', { name: 'https://first.example/' })).toBeVisible();
  await expect(page.getByText(/reads back: /)).toBeVisible();
  const print = page.getByRole('link', { name: 'Download for print (PDF, 40 mm)' });
  const file = await page.request.get((await print.getAttribute('href')) ?? '');
  expect(file.headers()['content-disposition']).toContain('40mm.pdf"');
  await expect(page.getByRole('link', { name: 'Ada' }).first()).toBeVisible();
  expect(await open(path)).toBe(410);
  await expect(page.getByRole('heading', { name: 'This link has been used already' })).toBeVisible();
});

test('an expired or unknown link says so and offers to mail a new one', async ({ page, open, factories }) => {
  const { email } = await factories.bought({ email: newEmail() });
  const path = await mailedPath(factories, email);
  const mailsSent = async () => (await factories.mailsTo(email)).length;
  await factories.endLinks(email);
  expect(await open(path)).toBe(410);
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible();
  await page.getByRole('button', { name: 'Send me a new link' }).click();
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
  await expect.poll(mailsSent).toBe(2);
  expect(await open(await mailedPath(factories, email))).toBe(200);

  expect(await open(`/onboarding?token=${'x'.repeat(43)}`)).toBe(404);
  await page.getByRole('button', { name: 'Send me a new link' }).click();
  await expect(page.getByText('Enter your e-mail address.').first()).toBeVisible();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Send me a new link' }).click();
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
  await expect.poll(mailsSent).toBe(3);
});

test('a forgotten password is reset by a mailed link, which is not used up by opening it', async ({
  page,
  open,
  factories,
}) => {
  const account = await factories.account();
  await open('/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expect(page).toHaveURL(/forgot-password$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Forgot your password?' })).toBeVisible();
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByRole('button', { name: 'Send me the link' }).click();
  await expect(
    page.getByText('An email has been sent with instructions to reset your password.'),
  ).toBeVisible();
  const path = await mailedPath(factories, account.email);
  await open(path);
  expect(await open(path)).toBe(200);
  await choosePassword(page, 'short');
  await page.getByRole('button', { name: 'Save the password' }).click();
  await expect(page.getByText('Choose a password with at least 8 characters.').first()).toBeVisible();
  await choosePassword(page, PASSWORD);
  await page.getByRole('button', { name: 'Save the password' }).click();
  await expect(page.getByText('Password reset successfully')).toBeVisible();
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Login successful')).toBeVisible();
  expect(await open(path)).toBe(410);
});

test('an unknown address gets the same response, and too many requests keep what was typed', async ({
  page,
  open,
  factories,
}) => {
  const email = newEmail();
  for (const _ of [1, 2, 3]) {
    await open('/forgot-password');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send me the link' }).click();
    await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
  }
  expect(await factories.mailsTo(email)).toEqual([]);
  await open('/forgot-password');
  await page.getByLabel('E-mail address').fill(email);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => isFormPost(response.request())),
    page.getByRole('button', { name: 'Send me the link' }).click(),
  ]);
  expect(answer.status()).toBe(429);
  await expect(page.getByText('Too many attempts.').first()).toBeVisible();
  await expect(page.getByLabel('E-mail address')).toHaveValue(email);
});

test('pages with a secret in their URL keep it out of referrers and caches', { tag: '@once' }, async ({
  open,
  page,
  factories,
}) => {
  const { email } = await factories.bought({ email: newEmail() });
  const response = await page.request.get(await mailedPath(factories, email));
  expect(response.headers()['referrer-policy']).toBe('strict-origin');
  expect(response.headers()['cache-control']).toBe('no-store');
  expect(await open('/reset-password')).toBe(200);
  expect(await open(`/reset-password?token=${'y'.repeat(43)}`)).toBe(404);
  expect(await open('/confirm-email?token=broken')).toBe(404);
});

test('the password reset pages redirect a signed-in user home', async ({ page, open, signIn }) => {
  await signIn();
  await open('/forgot-password');
  await expect(page).toHaveURL(/\/$/);
});
