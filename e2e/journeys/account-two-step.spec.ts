import type { Page } from '@playwright/test';
import { codeAt } from '../../tests/support/authenticator';
import { expect, test } from '../support/fixtures';

/** Sets up two-step login by hand; returns the secret key typed into the app. */
async function turnOn(page: Page, password: string): Promise<string> {
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible();
  const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '');
  await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, new Date()));
  await page.getByRole('button', { name: 'Turn on' }).click();
  await expect(page.getByRole('heading', { name: 'Your recovery codes' })).toBeVisible();
  return secret;
}

test('switching language or theme never hides the recovery codes', async ({ page, open, signIn, mode }) => {
  const account = await signIn();
  await open('/user/settings/two-step');
  await turnOn(page, account.password);
  const codes = await page.locator('.recovery-codes li').allInnerTexts();
  expect(codes).toHaveLength(10);
  const language = page.getByRole('button', { name: /^Language/ });
  const dark = page.getByRole('button', { name: 'Dark' });
  if (mode === 'js') {
    await dark.click();
    await language.click();
    await page.getByRole('button', { name: 'Deutsch', exact: true }).click();
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Two-step sign-in');
  } else {
    await expect(language).toBeHidden();
    await expect(dark).toBeHidden();
  }
  await expect(page.locator('.recovery-codes li')).toHaveText(codes);
});

test('two-step login is set up, accepts a code of the app, and is turned off with a recovery code', async ({
  page,
  open,
  signIn,
}) => {
  const account = await signIn();
  await open('/user/settings');
  await page.getByRole('link', { name: 'Set up Two-step sign-in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Two-step sign-in');
  const secret = await turnOn(page, account.password);
  const codes = await page.locator('.recovery-codes li').allInnerTexts();
  expect(codes).toHaveLength(10);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download as a text file' }).click();
  const file = await (await download).createReadStream();
  let text = '';
  for await (const part of file) text += part;
  for (const code of codes) expect(text).toContain(code);

  await page.context().clearCookies();
  await open('/user/settings/two-step');
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByLabel('Keep me signed in').check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.locator('.error-summary')).toContainText('This code is not right.');
  // Use the code of the next time step; the current one was used up to turn two-step login on.
  await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, new Date(), 1));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Login successful')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/settings\/two-step$/);
  const [session] = (await page.context().cookies()).filter(({ name }) => name === 'session');
  expect(session?.expires ?? 0).toBeGreaterThan(Date.now() / 1000 + 29 * 24 * 3600);

  const end = page.locator('form', { has: page.getByRole('button', { name: 'Turn two-step sign-in off' }) });
  await end.getByLabel('Current password').fill(account.password);
  await end.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
  await end.getByRole('button').last().click();
  await expect(page.getByText('Two-step sign-in is off')).toBeVisible();
});

test('posting the code page twice signs in with either response', async ({ page, open, signIn, baseURL }) => {
  const account = await signIn();
  await open('/user/settings/two-step');
  const secret = await turnOn(page, account.password);
  await page.context().clearCookies();
  await open('/login');
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
  // As a browser without scripts sends an impatient second press: with the cookies from before the first response.
  const form = { code: codeAt(secret, new Date(), 1) };
  const cookies = await page.context().cookies();
  const headers = {
    Origin: baseURL ?? '',
    Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
  };
  for (const turn of ['first', 'second']) {
    await page.context().clearCookies();
    const posted = await page.request.post('/login/code', { form, headers, maxRedirects: 0 });
    expect([posted.status(), posted.headers().location], turn).toEqual([303, '/user/dashboard']);
    await open('/user/dashboard');
    await expect(page.getByText('Login successful')).toBeVisible();
  }
});

test('the code page opens only during a sign-in', async ({ page, open }) => {
  await open('/login/code');
  await expect(page).toHaveURL(/\/login$/);
});
