import type { Page } from '@playwright/test';
import { chooseType, expect, test } from '../support/fixtures';
import { newBuyer, order } from '../support/orders';

// Smooth scrolling would move the menu from under the resting pointer, which closes it.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

async function switchTo(page: Page, language: string): Promise<void> {
  await page.getByRole('button', { name: /^(Language|Langue|Sprache)/ }).click();
  await page.getByRole('button', { name: language, exact: true }).click();
}

test('an unfinished message survives two changes of language', async ({ page, open, ready }) => {
  await open('/contact');
  await page.getByLabel('E-mail address').fill('ada@test.example');
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Subject').selectOption('Payment and invoices');
  const message = `Where do I find my invoices? ${'And the older ones? '.repeat(200)}`;
  await page.getByLabel('Message', { exact: true }).fill(message);
  await switchTo(page, 'Deutsch');
  await expect(page.getByRole('heading', { level: 1, name: 'Schreiben Sie uns' })).toBeVisible();
  await ready();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page).toHaveTitle(/^Kontakt/);
  await expect(page.getByRole('region', { name: 'Es gibt ein Problem' })).toHaveCount(0);
  await expect(page.getByLabel('Vorname')).toHaveValue('Ada');
  await page.getByLabel('Nachname').fill('Lovelace');
  await switchTo(page, 'Français');
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  await ready();
  await expect(page.getByLabel('Prénom')).toHaveValue('Ada');
  await expect(page.getByLabel('Nom', { exact: true })).toHaveValue('Lovelace');
  await expect(page.getByLabel('Adresse e-mail')).toHaveValue('ada@test.example');
  await expect(page.getByRole('combobox')).toHaveValue('billing');
  await expect(page.locator('textarea')).toHaveValue(message);
  await page.locator('form.contact button[type=submit]').click();
  await expect(page).toHaveURL(/\/contact\?sent=1$/);
  await expect(page.getByText('Votre message a été envoyé').first()).toBeVisible();
});

test('an unfinished design survives a change of language', async ({ page, open, ready }) => {
  await open('/');
  await chooseType(page, 'E-mail');
  await page.getByLabel('E-mail address').fill('hello@test.example');
  await page.getByLabel('Subject').fill('A table for two');
  await page.getByText('White background behind the logo').click();
  const backing = await page.locator('[name=useWhiteBackground]').isChecked();
  await switchTo(page, 'Italiano');
  await expect(page.locator('html')).toHaveAttribute('lang', 'it');
  await ready();
  await expect(page.locator('[name=type][value=email]')).toBeChecked();
  await expect(page.locator('[name=address]')).toHaveValue('hello@test.example');
  await expect(page.locator('[name=subject]')).toHaveValue('A table for two');
  expect(await page.locator('[name=useWhiteBackground]').isChecked()).toBe(backing);
  await open('/pricings');
  await expect(page.locator('html')).toHaveAttribute('lang', 'it');
});

test('an unfinished order survives a change of language', async ({ page, open, ready }) => {
  await open('/subscribe/basic_yearly');
  await page.locator('[name=name]').fill('Ada Lovelace');
  await page.locator('[name=email]').fill('ada@test.example');
  await page.locator('[name=country]').selectOption('FR');
  await page.locator('[name=terms]').check();
  await switchTo(page, 'Español');
  await expect(page.locator('html')).toHaveAttribute('lang', 'es');
  await ready();
  await expect(page).toHaveURL(/\/subscribe\/basic_yearly/);
  await expect(page.locator('[name=name]')).toHaveValue('Ada Lovelace');
  await expect(page.locator('[name=email]')).toHaveValue('ada@test.example');
  await expect(page.locator('[name=country]')).toHaveValue('FR');
  await expect(page.locator('[name=terms]')).toBeChecked();
  await expect(page.locator('[name=waiver]')).not.toBeChecked();
});

test('changing the language never sends a password back', async ({ page, open, ready, mode }) => {
  await open('/login');
  await page.getByLabel('E-mail address').fill('ada@test.example');
  await page.getByLabel('Password', { exact: true }).fill('a secret phrase');
  await switchTo(page, 'Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await ready();
  await expect(page.locator('[name=email]')).toHaveValue('ada@test.example');
  // With scripts, the page is not reloaded, so the field keeps its value.
  await expect(page.locator('[name=password]')).toHaveValue(mode === 'js' ? 'a secret phrase' : '');
  expect(await page.content()).not.toContain('a secret phrase');
});

test('Enter in a field sends the form and does not switch the language', async ({ page, open }) => {
  await open('/contact');
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('First name').press('Enter');
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.getByLabel('First name')).toHaveValue('Ada');
});

test('a refused form keeps its input and its errors in another language', async ({ page, open, ready }) => {
  await open('/contact');
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('E-mail address').fill('nonsense');
  await page.locator('form.contact button[type=submit]').click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeVisible();
  await ready();
  const errors = page.locator('.field-error');
  const found = await errors.count();
  expect(found).toBeGreaterThan(1);
  for (const [language, tag, problem] of [
    ['Deutsch', 'de', 'Es gibt ein Problem'],
    ['Français', 'fr', 'Il y a un problème'],
  ] as const) {
    await switchTo(page, language);
    await expect(page.locator('html')).toHaveAttribute('lang', tag);
    await ready();
    await expect(page.getByRole('region', { name: problem })).toBeVisible();
    await expect(errors).toHaveCount(found);
    await expect(page.getByText(/Enter your|errors\./)).toHaveCount(0);
    await expect(page.locator('[name=firstname]')).toHaveValue('Ada');
    await expect(page.locator('[name=email]')).toHaveValue('nonsense');
  }
});

test('whichever form of a page was refused keeps its errors in another language', async ({
  page,
  open,
  ready,
  signIn,
  factories,
  mode,
}) => {
  const account = await signIn();
  await factories.signInWays(account);
  const languages = [
    ['Deutsch', 'de', 'Es gibt ein Problem'],
    ['Français', 'fr', 'Il y a un problème'],
  ] as const;
  const forms = [
    ['/user/settings', 'password'],
    ['/user/settings/two-step', 'start'],
    ['/user/settings/passkeys', 'passkey-'],
    ['/user/qrcodes/import', 'import'],
    // Only scripts add a passkey.
    ...(mode === 'js' ? [['/user/settings/passkeys', 'start'] as const] : []),
  ] as const;
  for (const [path, id] of forms) {
    await open(path);
    const form = page.locator(`form[id^="${id}"]`);
    if (id === 'passkey-') await form.locator('[name=name]').fill('');
    await form.locator('button[type=submit]').click();
    const summary = page.locator('.error-summary');
    await expect(summary).toBeVisible();
    await ready();
    const errors = page.locator('.field-error');
    const found = await errors.count();
    expect(found).toBeGreaterThan(0);
    // Twice, because the next form starts in the last language.
    for (const [language, tag, problem] of languages) {
      await switchTo(page, language);
      await expect(page.locator('html')).toHaveAttribute('lang', tag);
      await ready();
      await expect(page.getByRole('region', { name: problem })).toBeVisible();
      await expect(errors).toHaveCount(found);
      await expect(page.getByText(/errors\./)).toHaveCount(0);
    }
  }
});

test('a refused sign-in keeps its errors in another language, and never sends a password back', async ({
  page,
  open,
  ready,
  mode,
}) => {
  await open('/login');
  await page.getByLabel('Password', { exact: true }).fill('a second try');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeVisible();
  await ready();
  await page.locator('[name=password]').fill('a third try');
  await switchTo(page, 'Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await ready();
  await expect(page.getByRole('region', { name: 'Es gibt ein Problem' })).toBeVisible();
  await expect(page.locator('[name=password]')).toHaveValue(mode === 'js' ? 'a third try' : '');
  expect(await page.content()).not.toContain('a third try');
});

test('an unfinished declaration survives a change of language', async ({ page, open, ready }) => {
  await open('/withdraw');
  await page.locator('[name=name]').fill('Ada Lovelace');
  await page.locator('[name=email]').fill('ada@test.example');
  await switchTo(page, 'Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await ready();
  await expect(page).toHaveURL(/\/withdraw/);
  await expect(page.locator('[name=name]')).toHaveValue('Ada Lovelace');
  await expect(page.locator('[name=email]')).toHaveValue('ada@test.example');
});

for (const { path, check, confirm, received } of [
  {
    path: '/cancel-contract',
    check: 'Prüfen Sie Ihre Kündigung',
    confirm: 'Jetzt kündigen',
    received: 'Ihre Kündigung ist eingegangen',
  },
  {
    path: '/withdraw',
    check: 'Prüfen Sie Ihren Widerruf',
    confirm: 'Widerruf bestätigen',
    received: 'Ihr Widerruf ist eingegangen',
  },
]) {
  test(`the second step of ${path} survives changes of language and can be completed`, async ({
    page,
    open,
    ready,
  }) => {
    const { name, email } = newBuyer();
    await order(page, { name, email });
    await open(path);
    await page.locator('[name=name]').fill(name);
    await page.locator('[name=email]').fill(email);
    await page.locator('[name=reference]').fill('my last bill');
    await page.getByRole('button', { name: 'Check the details' }).click();
    await expect(page.getByText('Nothing has been sent yet.')).toBeVisible();
    await ready();
    for (const [language, tag] of [
      ['Français', 'fr'],
      ['Deutsch', 'de'],
    ] as const) {
      await switchTo(page, language);
      await expect(page.locator('html')).toHaveAttribute('lang', tag);
      await ready();
      await expect(page.locator('#declaration dd')).toContainText([/./, name, email, 'my last bill']);
    }
    await expect(page.getByRole('heading', { level: 1, name: check })).toBeVisible();
    await page.getByRole('button', { name: 'Angaben ändern' }).click();
    await expect(page.locator('[name=reference]:not([type=hidden])')).toHaveValue('my last bill');
    await page.locator('#declaration button[type=submit]').click();
    await page.getByRole('button', { name: confirm }).click();
    await expect(page.getByRole('heading', { name: received })).toBeVisible();
  });
}

test('print sheet options and a tag for many codes survive a change of language', async ({
  page,
  open,
  ready,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://before.example/' });
  await open(`/user/qrcodes/sheet?ids=${code.id}`);
  await page.locator('[name=start]').fill('4');
  await page.locator('[name=action]').fill('Scan for the menu');
  await switchTo(page, 'Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await ready();
  await expect(page.locator('[name=start]')).toHaveValue('4');
  await expect(page.locator('[name=action]')).toHaveValue('Scan for the menu');
  await switchTo(page, 'Français');
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  await expect(page.locator('[name=action]')).toHaveValue('Scan for the menu');

  await open(`/user/qrcodes/selection?act=tag&ids=${code.id}`);
  await page.locator('[name=withTag]').fill('terrace');
  await switchTo(page, 'Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await ready();
  await expect(page.locator('[name=withTag]')).toHaveValue('terrace');
  await open(`/user/qrcodes/${code.id}`);
  await expect(page.locator('#labels [name=tags]')).toHaveValue('');
});

test('an unfinished change to a code survives a change of language', async ({
  page,
  open,
  ready,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const code = await factories.code(account, { content: 'https://before.example/' });
  await open(`/user/qrcodes/${code.id}`);
  await page.locator('#edit [name=content]').fill('https://half.example/typed');
  await switchTo(page, 'Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await ready();
  await expect(page.locator('#edit [name=content]')).toHaveValue('https://half.example/typed');
  expect(await factories.codesOf(account)).toMatchObject([{ content: 'https://before.example/' }]);
});

test('the language of the report page can be switched without a subscription', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await factories.endAccess(account);
  await open('/user/analytics/report');
  await switchTo(page, 'Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
});
