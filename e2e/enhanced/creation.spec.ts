import { chooseType, expect, test } from '../support/fixtures';
import { badLogos, pictureBytes } from '../support/logos';

test('the preview updates on every keystroke and is verified by a decoder after a pause', async ({
  page,
  open,
}) => {
  await open('/');
  await page.getByLabel('Web address').pressSequentially('example.com/live');
  await expect(page.getByRole('img', { name: 'Preview of your QR code' })).toBeVisible();
  await expect(page.getByText('16 of 255 characters')).toBeVisible();
  await expect(page.getByText('reads back: example.com/live')).toBeVisible();
  const before = await page.locator('.code-picture path').getAttribute('d');
  await page.locator('label').filter({ hasText: 'Heart' }).click();
  await expect(page.locator('.code-picture image')).toHaveAttribute('href', '/presets/heart.svg');
  await expect(page.locator('.code-picture path')).not.toHaveAttribute('d', before ?? '');
  await page.getByLabel('Web address').fill('');
  await expect(page.getByText('Your code appears here')).toBeVisible();
});

test('on a wide window the form stays as it is when its preview appears', async ({ page, open }) => {
  await open('/create');
  const form = page.locator('.creation__form');
  const distance = async () => {
    const [outer, first] = [await form.boundingBox(), await form.locator('fieldset').first().boundingBox()];
    return (first?.y ?? 0) - (outer?.y ?? 0);
  };
  const before = await distance();
  await page.getByLabel('Web address').fill('example.com/still');
  await expect(page.getByText('reads back: example.com/still')).toBeVisible();
  expect(await distance()).toBe(before);
});

test('a chosen logo is graded by itself, and no tile is shown as chosen beside it', async ({
  page,
  open,
}) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/logo');
  await page.getByLabel('Your own image').setInputFiles(await pictureBytes('mark.png'));
  const verdict = page.getByRole('region', { name: 'Preview' }).getByRole('status');
  await expect(verdict).toContainText(/grade [ABC]: read in/);
  await expect(page.getByRole('radio', { name: 'No logo' })).not.toBeChecked();
  await page.locator('label').filter({ hasText: 'Heart' }).click();
  await expect(page.locator('.code-picture image')).toHaveAttribute('href', '/presets/heart.svg');
});

test('a design that the form would refuse gets the reason instead of a verdict', async ({ page, open }) => {
  await open('/create');
  await chooseType(page, 'Wi-Fi');
  await page.getByLabel('Network name (SSID)').fill('Net');
  await page.getByLabel('Network password').fill('court');
  await expect(page.getByText(/^not checked: A WPA password has 8 to 63/)).toBeVisible();
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('not checked: first correct what is marked in the form')).toBeVisible();
  await expect(page.getByText('reads back')).toHaveCount(0);
  await page.getByLabel('Network password').fill('courtyard');
  const verdict = page.getByRole('region', { name: 'Preview' }).getByRole('status');
  await expect(verdict).toContainText('reads back: WIFI:T:WPA;S:Net;P:courtyard;;');
  const check = page.getByRole('button', { name: 'Preview and check' });
  await check.click();
  await expect(verdict).toContainText('grade A');
  await expect(check).toBeFocused();
});

test('the live preview replaces the first logo with another', async ({ page, open }) => {
  await open('/create');
  const logo = page.locator('.code-picture image');
  const addresses: string[] = [];
  for (const red of [196, 20]) {
    await page.locator('input[name=logo]').setInputFiles(await pictureBytes(`red-${red}.png`, red));
    await page.getByLabel('Web address').fill(`https://example.com/${red}`);
    await page.getByRole('button', { name: 'Preview and check' }).click();
    await expect(page.getByText(`Current logo: red-${red}.png`)).toBeVisible();
    await expect(logo).toHaveAttribute('href', /^\/drafts\//);
    const path = page.locator('.code-picture path');
    const before = await path.getAttribute('d');
    await page.getByLabel('Web address').pressSequentially('/live');
    await expect(path).not.toHaveAttribute('d', before ?? '');
    addresses.push((await logo.getAttribute('href')) ?? '');
  }
  expect(addresses[1]).toMatch(/^\/drafts\//);
  expect(addresses[1]).not.toBe(addresses[0]);
});

test('a refused form still shows the preview of its code', async ({ page, open, signIn }) => {
  await signIn();
  await open('/create');
  const picture = page.getByRole('img', { name: 'Preview of your QR code' });
  await page.getByLabel('Web address').fill('https://example.com/kept');
  await page.getByText('Name, tags and counting').click();
  await page.getByLabel('Tags').fill('a'.repeat(31));
  await expect(picture).toBeVisible();
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeFocused();
  await expect(page.getByText('reads back: example.com/kept')).toBeVisible();
  await expect(picture).toBeVisible();
  await page.getByLabel('Web address').fill('');
  await expect(page.getByText('Your code appears here')).toBeVisible();
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByRole('link', { name: /content for the QR code/ })).toBeVisible();
  await expect(page.getByText('Your code appears here')).toBeVisible();
});

test('a section stays open while an error in it is corrected', async ({ page, open, signIn }) => {
  await signIn();
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/kept');
  await page.getByText('Name, tags and counting').click();
  await page.getByLabel('Tags').fill('a'.repeat(31));
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByLabel('Tags')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Tags').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await expect(page.getByLabel('Tags')).not.toHaveAttribute('aria-invalid');
  await expect(page.getByLabel('Tags')).toBeFocused();
  await page.keyboard.press('Backspace');
  await expect(page.getByLabel('Tags')).toHaveValue('a'.repeat(29));
});

test('a requested preview survives a change of language', async ({ page, open }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/kept');
  await Promise.all([
    page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().includes('/create.data'),
    ),
    page.getByRole('button', { name: 'Preview and check' }).click(),
  ]);
  await expect(page.getByText('reads back: example.com/kept')).toBeVisible();
  await page.getByRole('button', { name: /^Language/ }).click();
  await page.getByRole('button', { name: 'Deutsch', exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('heading', { level: 1, name: 'QR-Code erstellen' })).toBeVisible();
  await expect(page.locator('.creation__preview .code-picture')).toBeVisible();
});

test('on other pages, the form opens in a dialog that only its buttons close', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  await open('/user/qrcodes');
  await page.getByRole('banner').getByRole('link', { name: 'Create a QR code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a QR code' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await page.mouse.click(2, 2);
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Create the code' }).click();
  await expect(dialog.getByText('Please enter valid content for the QR code.').first()).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole('banner').getByRole('link', { name: 'Create a QR code' }).click();
  await dialog.getByLabel('Web address').fill('https://from-dialog.example/');
  await dialog.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  await expect(dialog).toBeHidden();
  expect(await factories.codesOf(account)).toHaveLength(1);
});

test('in the dialog, an error links to its field, and Cancel returns the focus to the opener', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/dashboard');
  const title = await page.title();
  const opener = page.getByRole('banner').getByRole('link', { name: 'Create a QR code' });
  await opener.click();
  const dialog = page.getByRole('dialog', { name: 'Create a QR code' });
  const address = dialog.getByLabel('Web address');
  await address.fill('not an address');
  await dialog.getByRole('button', { name: 'Create the code' }).click();
  const summary = dialog.getByRole('region', { name: 'There is a problem' });
  await summary.getByRole('link', { name: /^Enter a web address/ }).click();
  await expect(address).toBeFocused();
  await expect(address).toHaveValue('not an address');
  await expect(address).toHaveAttribute('aria-invalid', 'true');
  await expect(summary).toBeVisible();
  await expect(page).toHaveTitle(`Error: ${title}`);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(opener).toBeFocused();
  await expect(page).toHaveTitle(title);
});

test('in the dialog, an error that is not about the content appears below the content field', async ({
  page,
  open,
  signIn,
}) => {
  await signIn();
  await open('/user/dashboard');
  await page.getByRole('banner').getByRole('link', { name: 'Create a QR code' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a QR code' });
  const address = dialog.getByLabel('Web address');
  await address.fill('https://example.com/');
  const [note] = await badLogos();
  await dialog.getByLabel('Your own image').setInputFiles(note?.[0] ?? []);
  const button = dialog.getByRole('button', { name: 'Create the code' });
  await button.click();
  await expect(button).toHaveAccessibleDescription(/^We cannot read this kind of file/);
  const box = await dialog.locator('#create-failure').boundingBox();
  expect(box?.y).toBeGreaterThan((await address.boundingBox())?.y ?? Number.POSITIVE_INFINITY);
  expect(box?.y).toBeLessThan((await dialog.getByLabel('Your own image').boundingBox())?.y ?? 0);
});

test('a notice disappears by itself, like a toast', async ({ page, open, factories, baseURL }) => {
  const { email, password } = await factories.account();
  const headers = { Origin: baseURL ?? '' };
  await page.request.post('/login', { form: { email, password }, headers, maxRedirects: 0 });
  await open('/user/dashboard');
  const notice = page.getByText('Login successful');
  await expect(notice).toBeVisible();
  await expect(notice).toBeHidden();
});

test('navigation moves the focus to the heading of the new page', async ({ page, open }) => {
  await open('/');
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeFocused();
});

test('with a broken file, the live preview shows the code without a logo, and the page says so', async ({
  page,
  open,
}) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/a-longer-address');
  const path = page.locator('.code-picture path');
  await expect(path).toBeVisible();
  const plain = await path.getAttribute('d');
  const [note] = await badLogos();
  await page.locator('input[name=logo]').setInputFiles(note?.[0] ?? []);
  await expect(page.getByText('The logo could not be loaded')).toBeVisible();
  await expect(page.locator('.code-picture image')).toHaveCount(0);
  const modules = (d: string | null) =>
    d?.match(/M\d+ \d+h\d+/g)?.reduce((sum, run) => sum + Number(run.split('h')[1]), 0);
  expect(modules(await path.getAttribute('d'))).toBe(modules(plain));
});
