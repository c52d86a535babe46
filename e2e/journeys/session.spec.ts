import type { BrowserContext } from '@playwright/test';
import { type Account, expect, type Factories, test } from '../support/fixtures';

interface SignedIn {
  context: BrowserContext;
  factories: Factories;
  account: Account;
}

test('signing in returns to the requested page, signing out ends the session', { tag: '@late' }, async ({
  page,
  open,
  factories,
  ready,
}) => {
  const account = await factories.account({ firstName: 'Grace' });
  await open('/user/qrcodes?page=1');
  await expect(page).toHaveURL(/\/login\?next=/);
  await page.getByLabel('E-mail address').fill(account.email.toUpperCase());
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(/\/user\/qrcodes/);
  await expect(page.getByText('Login successful')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Grace' }).first()).toBeVisible();
  await open('/login');
  await expect(page).toHaveURL(/\/$/);
  await ready();
  await page.getByRole('button', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByText('Logout successful')).toBeVisible();
  await open('/user/qrcodes');
  await expect(page).toHaveURL(/\/login/);
});

test('a wrong password reveals nothing about the account and keeps the e-mail address', async ({
  page,
  open,
  factories,
}) => {
  const account = await factories.account();
  for (const email of [account.email, 'nobody@test.example']) {
    await open('/login');
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('Login error. Please check your credentials.').first()).toBeVisible();
    await expect(page.getByLabel('E-mail address')).toHaveValue(email);
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
    await expect(page).toHaveTitle(/^Error: /);
  }
});

test('a remembered session outlives the browser, others end with it', async ({
  page,
  open,
  context,
  factories,
}) => {
  const account = await factories.account();
  for (const remember of [true, false]) {
    await context.clearCookies();
    await open('/login');
    await page.getByLabel('E-mail address').fill(account.email);
    await page.getByLabel('Password', { exact: true }).fill(account.password);
    if (remember) await page.getByLabel('Keep me signed in').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('Login successful')).toBeVisible();
    const cookie = (await context.cookies()).find(({ name }) => name === 'session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    expect((cookie?.expires ?? 0) > 0).toBe(remember);
  }
});

for (const [kind, end] of [
  [
    'tampered',
    async ({ context }) => {
      const [cookie] = (await context.cookies()).filter(({ name }) => name === 'session');
      if (cookie) await context.addCookies([{ ...cookie, value: `x${cookie.value.slice(1)}` }]);
    },
  ],
  ['revoked', ({ factories, account }) => factories.endSessions(account)],
] satisfies [string, (signedIn: SignedIn) => Promise<void>][]) {
  test(`a ${kind} session says that it has expired and asks to sign in`, async ({
    page,
    open,
    context,
    factories,
    signIn,
  }) => {
    const account = await signIn();
    await end({ context, factories, account });
    await open('/user/qrcodes');
    await expect(page).toHaveURL(/\/login/);
    await expect(page.getByText('Your session has expired. Please log in again.')).toBeVisible();
  });
}

test('a return address on another site is not followed', async ({ page, open, factories }) => {
  const account = await factories.account();
  await open(`/login?next=${encodeURIComponent('//evil.example/')}`);
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Login successful')).toBeVisible();
  expect(new URL(page.url()).hostname).toBe('localhost');
});

test('after signing out, Back does not show the account', { tag: '@late' }, async ({
  page,
  open,
  back,
  ready,
  signIn,
}) => {
  await signIn({ firstName: 'Grace' });
  await open('/user/settings');
  await expect(page.getByLabel('First name')).toHaveValue('Grace');
  await page.getByRole('button', { name: 'My account' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page.getByText('Logout successful')).toBeVisible();
  await ready();
  await open('/faq');
  await back('/');
  await back(/\/login/);
  await expect(page.getByLabel('First name')).toHaveCount(0);
});

test('what was typed into a long form is restored on Back', { tag: '@late' }, async ({
  page,
  open,
  back,
  signIn,
}) => {
  await signIn();
  await open('/user/settings/addresses/new');
  await page.getByLabel('Street').fill('1 rue du Papier');
  await open('/faq');
  await back('/user/settings/addresses/new');
  await expect(page.getByLabel('Street')).toHaveValue('1 rue du Papier');
});
