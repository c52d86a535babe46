import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

// An authenticator stays with its tab.
test.use({ reuseContext: false });

/** Adds the browser's virtual authenticator, with user verification that always succeeds. */
async function attachAuthenticator(page: Page) {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await protocol.send('WebAuthn.addVirtualAuthenticator', { options });
  return {
    setVerified: (isUserVerified: boolean) =>
      protocol.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** Forgets its passkeys, so that it can add another one to the same account, as another device would. */
    clear: () => protocol.send('WebAuthn.clearCredentials', { authenticatorId }),
  };
}

test('a passkey that did not reach the server can be sent again without the password', async ({
  page,
  open,
  signIn,
}) => {
  await attachAuthenticator(page);
  const account = await signIn();
  await open('/user/settings/passkeys');
  const add = page.locator('form', { has: page.locator('input[value=start]') });
  const isAdding = (data: string | null) => data?.includes('intent=add') ?? false;
  await page.route('**/passkeys.data*', (route) =>
    isAdding(route.request().postData()) ? route.abort('internetdisconnected') : route.continue(),
  );
  await add.getByLabel('Name').fill('Work laptop');
  await add.getByLabel('Current password').fill(account.password);
  await add.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByRole('alert')).toContainText('There was no answer');
  await expect(add.getByLabel('Name')).toHaveValue('Work laptop');
  await page.unroute('**/passkeys.data*');
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('Passkey added')).toBeVisible();
  await expect(page.locator('.session-list strong')).toHaveText('Work laptop');
  await expect(add.getByLabel('Name')).toHaveValue('');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a passkey that is still being sent when another one is added is added too', async ({
  page,
  open,
  signIn,
}) => {
  const authenticator = await attachAuthenticator(page);
  const account = await signIn();
  await open('/user/settings/passkeys');
  const add = page.locator('form', { has: page.locator('input[value=start]') });
  const addNamed = async (name: string) => {
    await add.getByLabel('Name').fill(name);
    await add.getByLabel('Current password').fill(account.password);
    await add.getByRole('button', { name: 'Add a passkey' }).click();
  };
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/passkeys.data*', async (route) => {
    const data = route.request().postData();
    if (data?.includes('intent=add') && data.includes('name=Phone')) await isReleased;
    await route.continue().catch(() => undefined);
  });
  const isSending = page.waitForRequest((request) => request.postData()?.includes('intent=add') ?? false);
  await addNamed('Phone');
  await isSending;
  await authenticator.clear();
  await addNamed('Laptop');
  await expect(page.locator('.session-list strong')).toHaveText(['Laptop']);
  release();
  await expect(page.locator('.session-list strong')).toHaveCount(2);
});

test('a passkey is added, logs in to the requested page, is renamed and removed', async ({
  page,
  open,
  signIn,
}) => {
  const authenticator = await attachAuthenticator(page);
  const account = await signIn();
  await open('/user/settings/passkeys');
  const add = page.locator('form', { has: page.locator('input[value=start]') });
  await add.getByLabel('Name').fill('Work laptop');
  await add.getByLabel('Current password').fill('not the password');
  await add.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.locator('.error-summary')).toContainText('This is not your current password.');
  await add.getByLabel('Current password').fill(account.password);
  await add.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByText('Passkey added')).toBeVisible();
  await expect(page.locator('.session-list strong')).toHaveText('Work laptop');

  await page.context().clearCookies();
  await open('/user/settings/passkeys');
  await authenticator.setVerified(false);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByRole('alert')).toContainText('No passkey was used.');
  await authenticator.setVerified(true);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByText('Login successful')).toBeVisible();
  await expect(page).toHaveURL(/\/user\/settings\/passkeys$/);
  await expect(page.getByText('Not used yet')).toBeHidden();

  await page.locator('.passkey-name').getByLabel('Name').fill('Old laptop');
  await page.getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByText('Passkey renamed')).toBeVisible();
  await page.getByRole('link', { name: 'Remove Old laptop' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Remove this passkey?');
  await page.getByLabel('Current password').fill(account.password);
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByText('Passkey removed')).toBeVisible();

  // The device still offers the passkey that the server no longer knows.
  await page.context().clearCookies();
  await open('/login');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByText('The passkey was not accepted.')).toBeVisible();
});
