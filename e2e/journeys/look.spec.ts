import { expect, test } from '../support/fixtures';
import { pictureBytes } from '../support/logos';

test('a look chosen on the home page is drawn, saved with the code, and can be changed on its page', async ({
  page,
  open,
  ready,
  signIn,
}) => {
  await signIn();
  await open('/');
  await page.getByLabel('Web address').fill('https://example.com/menu');
  await page.getByRole('button', { name: 'Choose its look' }).click();
  await expect(page.getByRole('group', { name: 'Ready-made' })).toBeVisible();
  await expect(page.getByLabel('Web address')).toHaveValue('https://example.com/menu');
  await ready();
  await page.locator('label').filter({ hasText: 'Terrace' }).click();
  await page.getByRole('button', { name: 'Preview and check' }).click();
  const picture = page.getByRole('img', { name: 'Preview of your QR code' });
  await expect(picture.locator('path[fill="#a4210d"]')).toHaveCount(1);
  await expect(page.getByText('grade A: read')).toBeVisible();
  await expect(page.getByLabel('Frame text')).toHaveValue('Scan for the menu');
  await expect(page.getByRole('radio', { name: 'Vertical bars' })).toBeChecked();
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();

  await ready();
  await page.locator('main a[href^="/user/qrcodes/"]', { hasText: 'example.com/menu' }).first().click();
  await page.getByRole('link', { name: 'Change logo and look' }).click();
  await expect(page.getByRole('heading', { name: 'Logo and look of this code' })).toBeVisible();
  await ready();
  await page.getByRole('textbox', { name: 'Modules', exact: true }).fill('#1c5a3');
  await page.locator('label').filter({ hasText: 'Horizontal bars' }).click();
  await page.getByRole('button', { name: 'Use this logo and look' }).click();
  await expect(page.getByRole('textbox', { name: 'Modules', exact: true })).toHaveAttribute(
    'aria-invalid',
    'true',
  );
  await expect(page.getByRole('textbox', { name: 'Modules', exact: true })).toHaveValue('#1c5a3');
  await expect(page.getByRole('radio', { name: 'Horizontal bars' })).toBeChecked();
  await ready();
  await page.getByRole('textbox', { name: 'Modules', exact: true }).fill('#1c5a39');
  await page.getByRole('button', { name: 'Use this logo and look' }).click();
  await expect(page).toHaveURL(/\/user\/qrcodes\/[0-9a-f-]{36}$/);
  await expect(page.locator('.code-page__picture path[fill="#1c5a39"]')).toHaveCount(1);
});

test('an invalid colour loses none of the input', async ({ page, open }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/kept');
  await page.locator('#look > summary').click();
  await page.locator('label').filter({ hasText: 'Badge' }).click();
  await page.getByLabel('Frame text').fill('Table 12');
  await page.getByRole('textbox', { name: 'Background', exact: true }).fill('white');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  const ground = page.getByRole('textbox', { name: 'Background', exact: true });
  await expect(ground).toHaveAccessibleDescription(/Enter a colour as # and six digits/);
  await expect(ground).toHaveValue('white');
  await expect(page.getByLabel('Web address')).toHaveValue('https://example.com/kept');
  await expect(page.getByLabel('Frame text')).toHaveValue('Table 12');
  await expect(page.getByRole('radio', { name: 'Badge' })).toBeChecked();
});

test('Enter submits with the main button, although the buttons that fix the look precede it', async ({
  page,
  open,
  ready,
  signIn,
  factories,
}) => {
  const { id } = await factories.code(await signIn());
  const modules = page.getByRole('textbox', { name: 'Modules', exact: true });
  for (const path of ['/create', `/user/qrcodes/${id}/look`]) {
    await open(path);
    const isNew = path === '/create';
    if (isNew) {
      await page.getByLabel('Web address').fill('https://example.com/pale');
      await page.locator('#look > summary').click();
    }
    await modules.fill('#dddddd');
    await page.getByRole('button', { name: 'Preview and check' }).click();
    await expect(modules).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByRole('button', { name: 'Stronger contrast' })).toBeVisible();
    await ready();
    await expect(
      page.getByRole('button', { name: isNew ? 'Create the code' : 'Use this logo and look' }),
    ).toHaveCount(1);

    const answer = page.waitForResponse(
      (response) =>
        response.request().method() === 'POST' &&
        new URL(response.url()).pathname.replace('.data', '') === path,
    );
    // Unlike `press`, a click waits for the frame in which the URL's fragment takes the focus away.
    await modules.click();
    await page.keyboard.press('Enter');
    expect((await answer).status()).toBe(422);
    await expect(modules).toHaveValue('#dddddd');
  }
});

test('a code that exists gets a logo, keeps it through a preview, and gets its earlier one back', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const { id } = await factories.code(account, { content: 'https://table.example/' });
  await open(`/user/qrcodes/${id}/look`);
  await ready();
  await page.getByLabel('Your own image').setInputFiles(await pictureBytes('house.png', 90));
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.locator('#look-preview image')).toHaveCount(1);
  await expect(page.getByRole('radio', { name: 'house.png' })).toBeChecked();
  await ready();
  await page.getByRole('button', { name: 'Use this logo and look' }).click();
  await expect(page).toHaveURL(`/user/qrcodes/${id}`);
  await expect(page.locator('.code-page__picture image')).toHaveCount(1);

  await open(`/user/qrcodes/${id}/look`);
  await ready();
  await page.locator('label').filter({ hasText: 'No logo' }).click();
  await page.getByRole('button', { name: 'Use this logo and look' }).click();
  await expect(page.locator('.code-page__picture image')).toHaveCount(0);
  await ready();
  await page.locator('#history > summary').click();
  await page.getByRole('button', { name: 'Bring back the previous logo' }).first().click();
  await expect(page.locator('.code-page__picture image')).toHaveCount(1);
});
