import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

const NO_ANSWER = /^There was no answer: the network connection failed\./;
const MESSAGE = 'Where do I find my invoices?';

async function write(page: Page, email: string): Promise<void> {
  const form = page.locator('form.contact');
  await form.locator('[name=email]').fill(email);
  await form.locator('[name=firstname]').fill('Ada');
  await form.locator('[name=lastname]').fill('Lovelace');
  await form.locator('[name=subject]').selectOption({ index: 1 });
  await form.locator('[name=message]').fill(MESSAGE);
}

async function switchTo(page: Page, language: string): Promise<void> {
  await page.getByRole('button', { name: /^(Language|Sprache)/ }).click();
  await page.getByRole('button', { name: language, exact: true }).click();
}

/** Lets the next POST reach the server but drops its response. */
async function loseResponse(page: Page): Promise<void> {
  await page.route(
    (url) => url.pathname.endsWith('.data'),
    async (route) => {
      if (route.request().method() === 'POST') await route.fetch({ maxRedirects: 0 });
      await route.abort('internetdisconnected');
    },
    { times: 1 },
  );
}

test('what is typed on the page of one code is not shown on that of another', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const { id } = await factories.code(account, { content: 'https://original.example/' });
  await open(`/user/qrcodes/${id}`);
  const target = page.getByLabel('Web address');
  await target.fill('https://unsaved.example/');
  await page.getByRole('button', { name: 'Make another like this' }).click();
  await expect(page.getByText('Another code like it has been made')).toBeVisible();
  await expect(page).not.toHaveURL(new RegExp(id));
  await expect(target).toHaveValue('https://original.example/');
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(id));
  await expect(target).toHaveValue('https://unsaved.example/');
});

test('Back restores a form that was left through a link, except fields saved elsewhere since', async ({
  page,
  context,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/settings');
  await page.getByLabel('First name').fill('Half');
  await page.getByLabel('Last name').fill('Typed');
  await page.getByRole('contentinfo').getByRole('link', { name: 'Contact' }).click();
  await expect(page).toHaveURL('/contact');
  await page.locator('[name=message]').fill(MESSAGE);
  await page.goBack();
  await expect(page.getByLabel('First name')).toHaveValue('Half');
  await expect(page.getByLabel('Last name')).toHaveValue('Typed');
  await page.goForward();
  await expect(page.locator('[name=message]')).toHaveValue(MESSAGE);

  const other = await context.newPage();
  await other.goto('/user/settings');
  await expect(other.locator('html[data-ready]')).toBeAttached();
  await other.getByLabel('First name').fill('Newer');
  await other.getByRole('button', { name: 'Save the profile' }).click();
  await expect(other.getByText('Profile saved')).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel('First name')).toHaveValue('Newer');
  await expect(page.getByLabel('Last name')).toHaveValue('Typed');
});

test('Back restores neither what was sent nor a password', async ({ page, open }) => {
  await open('/login');
  await page.getByLabel('Password', { exact: true }).fill('seven paper lanterns');
  await page.getByRole('button', { name: 'Show the password' }).click();
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click();
  await expect(page).toHaveURL('/contact');
  await write(page, 'ada@sent.example');
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page.getByRole('heading', { name: 'Your message has been sent' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/contact');
  await expect(page.locator('[name=message]')).toHaveValue('');
  await page.goBack();
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
});

test('a message whose response was lost is sent once, even after a change of language', async ({
  page,
  open,
  factories,
}) => {
  const email = 'ada@once-sent.example';
  await open('/contact');
  await write(page, email);
  await loseResponse(page);
  await page.locator('form.contact button[type=submit]').click();
  await expect(page.getByRole('alert')).toHaveText(NO_ANSWER);
  await switchTo(page, 'Deutsch');
  await expect(page.getByLabel('Vorname')).toHaveValue('Ada');
  await page.locator('form.contact button[type=submit]').click();
  await expect(page).toHaveURL(/\/contact\?sent=1$/);
  expect(await factories.mailsTo(email)).toHaveLength(1);
});

for (const left of ['home for another page', 'the dialog']) {
  test(`a code whose response was lost is created once, even after leaving ${left}`, async ({
    page,
    open,
    signIn,
    factories,
  }) => {
    const account = await signIn();
    await open(left === 'the dialog' ? '/user/dashboard' : '/');
    const opener = page.getByRole('banner').getByRole('link', { name: 'Create a QR code' });
    if (left === 'the dialog') await opener.click();
    const button = page.getByRole('button', { name: 'Create the code' });
    await page.getByLabel('Web address').fill('https://once.example/');
    await loseResponse(page);
    await button.click();
    await expect(page.getByRole('alert')).toHaveText(NO_ANSWER);
    if (left === 'the dialog') {
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await opener.click();
    } else {
      await page.getByRole('contentinfo').getByRole('link', { name: 'Contact' }).click();
      await expect(page).toHaveURL('/contact');
      await page.goBack();
    }
    await expect(page.getByLabel('Web address')).toHaveValue('https://once.example/');
    await button.click();
    await expect(page.getByText('QR code created successfully')).toBeVisible();
    expect(await factories.codesOf(account)).toHaveLength(1);
  });
}

test('if a language cannot be loaded, the page stays as it is and says so', async ({ page, open }) => {
  await open('/contact');
  await write(page, 'ada@here.example');
  const [alert, html] = [page.getByRole('alert'), page.locator('html')];
  await page.route('**/locale', (route) => route.abort('internetdisconnected'));
  await switchTo(page, 'Deutsch');
  await expect(alert).toHaveText(NO_ANSWER);
  await page.unroute('**/locale');
  await page.route('**/contact.data*', (route) => route.abort('internetdisconnected'));
  // The language menu is still open.
  await page.getByRole('button', { name: 'Deutsch', exact: true }).click();
  await expect(alert).toHaveText(NO_ANSWER);
  await expect(html).toHaveAttribute('lang', 'en');
  await page.locator('[name=lastname]').fill('Byron');
  await page.unroute('**/contact.data*');
  await expect(html).toHaveAttribute('lang', 'de');
  await expect(alert).toHaveCount(0);
  await expect(page.getByLabel('Vorname')).toHaveValue('Ada');
  await expect(page.getByLabel('Nachname')).toHaveValue('Byron');
  await expect(page.locator('[name=message]')).toHaveValue(MESSAGE);
});

test('a form that gets no response keeps its input, even if the language is switched while it is sent', async ({
  page,
  open,
}) => {
  await open('/login');
  await page.locator('[name=email]').fill('ada@here.example');
  await page.locator('[name=password]').fill('seven paper lanterns');
  let lose = () => {};
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  await page.route('**/login.data*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await lost;
    await route.abort('internetdisconnected');
  });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await switchTo(page, 'Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  lose();
  await expect(page.getByRole('alert')).toHaveText(/^Es kam keine Antwort/);
  await expect(page.locator('[name=email]')).toHaveValue('ada@here.example');
  await expect(page.locator('[name=password]')).toHaveValue('seven paper lanterns');
});
