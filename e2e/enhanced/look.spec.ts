import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

test('the preview, contrast, caption and name of the look follow its fields', async ({ page, open }) => {
  await open('/');
  await page.getByLabel('Web address').fill('https://example.com/menu');
  const requested = page.waitForResponse((response) => response.url().includes('/messages/'));
  await page.getByRole('button', { name: 'Choose its look' }).click();
  expect((await requested).ok()).toBe(true);
  await expect(page).toHaveURL(/\/$/);
  await expect(page.locator('#look > summary')).toBeFocused();
  await page.locator('label').filter({ hasText: 'Terrace' }).click();
  const picture = page.getByRole('img', { name: 'Preview of your QR code' });
  await expect(picture.locator('path[fill="#a4210d"]')).toHaveCount(1);
  await expect(page.getByText('17 of 30 characters')).toBeVisible();
  await expect(page.getByText('contrast 7.4 : 1, needs 3 : 1')).toBeVisible();
  // One path each for frame, caption, background, modules and corners.
  await expect(picture.locator('path')).toHaveCount(5);

  await page.getByRole('textbox', { name: 'Corners', exact: true }).fill('#dddddd');
  await expect(page.getByText('contrast 1.3 : 1, too little: it needs 3 : 1')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'My own' })).toBeChecked();
  await page.getByLabel('Corners, colour chooser').fill('#1c5a39');
  await expect(page.getByRole('textbox', { name: 'Corners', exact: true })).toHaveValue('#1c5a39');
  await expect(picture.locator('path[fill="#1c5a39"]')).toHaveCount(1);
  await page.locator('label').filter({ hasText: /^Ink$/ }).click();
  await expect(page.getByRole('textbox', { name: 'Corners', exact: true })).toHaveValue('#14203c');
  await expect(page.getByLabel('Frame text')).toBeHidden();
});

for (const path of ['/', '/create']) {
  test(`custom text in a ready-made frame is saved with the code: ${path}`, async ({
    page,
    open,
    signIn,
  }) => {
    await signIn();
    await open(path);
    await page.getByLabel('Web address').fill('https://example.com/own-words');
    if (path === '/') await page.getByRole('button', { name: 'Choose its look' }).click();
    else await page.locator('#look > summary').click();
    await page.locator('label').filter({ hasText: 'Terrace' }).click();
    await page.getByLabel('Frame text').fill('Table 12');
    await page.getByRole('button', { name: 'Create the code' }).click();
    await expect(page.getByText('QR code created successfully')).toBeVisible();
    await page.locator('main a[href^="/user/qrcodes/"]', { hasText: 'own-words' }).first().click();
    await page.getByRole('link', { name: 'Change logo and look' }).click();
    await expect(page.getByLabel('Frame text')).toHaveValue('Table 12');
    await expect(page.getByRole('radio', { name: 'Terrace' })).toBeChecked();
  });
}

test('changes to a named look are saved, and an invalid colour is refused', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const { id } = await factories.code(await signIn());
  const path = `/user/qrcodes/${id}/look`;
  const [modules, corners] = ['Modules', 'Corners'].map((name) =>
    page.getByRole('textbox', { name, exact: true }),
  ) as [Locator, Locator];
  const use = page.getByRole('button', { name: 'Use this logo and look' });

  await open(path);
  await page.locator('label').filter({ hasText: 'Terrace' }).click();
  await page.getByLabel('Frame text').fill('Table 12');
  await use.click();
  await expect(page).toHaveURL(`/user/qrcodes/${id}`);
  await open(path);
  await expect(page.getByLabel('Frame text')).toHaveValue('Table 12');

  await page
    .locator('label')
    .filter({ hasText: /^Dots$/ })
    .first()
    .click();
  await corners.fill('red');
  await use.click();
  await expect(corners).toHaveAttribute('aria-invalid', 'true');
  await expect(corners).toHaveValue('red');

  await open(path);
  await modules.clear();
  // Typing passes through #1c5, which is a valid colour.
  await modules.pressSequentially('#1c5a3');
  await expect(page.getByLabel('Modules, colour chooser')).toHaveValue('#11cc55');
  await use.click();
  await expect(modules).toHaveAttribute('aria-invalid', 'true');
  await expect(modules).toHaveValue('#1c5a3');
});

test('a saved look that was fixed from the preview is no longer the selected look', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const style = {
    version: 1,
    moduleShape: 'dots',
    ringShape: 'leaf',
    centreShape: 'circle',
    moduleColour: '#000000',
    cornerColour: '#000000',
    groundColour: '#3131ff',
  };
  const poor = await factories.code(account, { content: 'https://poor.example/', style });
  const plain = await factories.code(account, { content: 'https://plain.example/' });
  await open(`/user/qrcodes/${poor.id}/look`);
  await page.locator('summary', { hasText: 'Save this look' }).click();
  await page.getByLabel('Name of the look').fill('Blue night');
  await page.getByRole('button', { name: 'Save this look' }).click();
  await expect(page.getByText('Look saved: Blue night')).toBeVisible();

  await open(`/user/qrcodes/${plain.id}/look`);
  const chosen = page.getByRole('radio', { name: 'Blue night' });
  // Make the look a custom one before the saved look is chosen.
  await page.getByRole('textbox', { name: 'Corners', exact: true }).fill('#a4210d');
  await page.locator('label', { hasText: 'Blue night' }).click();
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await page.locator('#look-preview .fixes button').first().click();
  await expect(page.locator('#look-preview').getByText(/grade [ABC]/)).toBeVisible();
  await expect(chosen).not.toBeChecked();
  await page.getByRole('button', { name: 'Use this logo and look' }).click();
  await expect(page).toHaveURL(`/user/qrcodes/${plain.id}`);
});

test('a look chosen before hydration is drawn after it', async ({ page, signIn, factories }) => {
  const { id } = await factories.code(await signIn());
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await arrival;
    await route.continue();
  });
  await page.goto(`/user/qrcodes/${id}/look`, { waitUntil: 'commit' });
  await page.locator('label').filter({ hasText: 'Terrace' }).click();
  arrive();
  await expect(page.locator('#look-preview path[fill="#a4210d"]')).toHaveCount(1);
});

test('a refused look stays in the preview beside its form', async ({ page, open, signIn, factories }) => {
  const { id } = await factories.code(await signIn());
  await open(`/user/qrcodes/${id}/look`);
  await page.locator('label').filter({ hasText: 'Terrace' }).click();
  const red = page.locator('#look-preview path[fill="#a4210d"]');
  await expect(red).toHaveCount(1);
  await page.locator('label').filter({ hasText: 'Horizontal bars' }).click();
  await page.getByRole('textbox', { name: 'Background', exact: true }).fill('white');
  await page.getByRole('button', { name: 'Use this logo and look' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toBeFocused();
  await expect(red).toHaveCount(1);
});

test.describe('in another language', () => {
  // Smooth scrolling would move the menu from under the resting pointer, which closes it.
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  async function switchToFrench(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Language/ }).click();
    await page.getByRole('button', { name: 'Français', exact: true }).click();
    await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  }

  test('the open look section and its preset captions switch language', async ({ page, open }) => {
    await open('/');
    await page.getByRole('button', { name: 'Choose its look' }).click();
    const look = page.locator('#look');
    await expect(look.getByRole('group', { name: 'Ready-made' })).toBeVisible();
    await switchToFrench(page);
    await expect(look.getByRole('group', { name: 'Styles prêts à l’emploi' })).toBeVisible();
    await expect(look).not.toContainText('readyMade.');
    await look.locator('label').filter({ hasText: 'Terrasse' }).click();
    await expect(look.locator('[name=caption]')).toHaveValue('Scannez pour voir la carte');
  });

  test('the look uses the last chosen language, even if texts of the previous one arrive late', async ({
    page,
    open,
  }) => {
    let arrive = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/messages/gb/look.*', async (route) => {
      await arrival;
      await route.continue();
    });
    await open('/');
    await page.getByRole('button', { name: 'Choose its look' }).click();
    await switchToFrench(page);
    arrive();
    const look = page.locator('#look');
    await expect(look.getByRole('group', { name: 'Styles prêts à l’emploi' })).toBeVisible();
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('a small preview stays visible while typing and never covers the focused field', async ({
    page,
    open,
  }) => {
    await open('/create');
    const small = page.locator('.small-preview');
    const address = page.getByLabel('Web address');
    await address.focus();
    const before = (await address.boundingBox())?.y;
    await address.pressSequentially('https://example.com/menu');
    await expect(small).toBeInViewport({ ratio: 1 });
    await expect.poll(async () => (await address.boundingBox())?.y).toBeCloseTo(before ?? 0, 0);
    const bottomOfSmall = async () => {
      const box = await small.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    await page.locator('#look > summary').click();
    for (const control of [page.getByRole('textbox', { name: 'Background', exact: true }), address]) {
      await control.focus();
      await expect(small).toBeInViewport({ ratio: 1 });
      expect((await control.boundingBox())?.y).toBeGreaterThan(await bottomOfSmall());
    }
    await page.locator('.creation__preview .code-picture').scrollIntoViewIfNeeded();
    await expect(small).toHaveCount(0);
  });
});

test('the angle of the gradient has a slider, in sync with its number and the preview', async ({
  page,
  open,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/menu');
  await page.locator('#look > summary').click();
  await page.getByLabel('Let the modules change to a second colour').check();
  const number = page.getByLabel('Direction', { exact: true });
  const slider = page.getByRole('slider', { name: 'Direction, slider' });
  const gradient = page.getByRole('img', { name: 'Preview of your QR code' }).locator('linearGradient');
  const ends = () => gradient.evaluate((element) => ['x1', 'y1'].map((name) => element.getAttribute(name)));
  await number.fill('45');
  await expect(slider).toHaveValue('45');
  await expect(slider).toHaveAttribute('aria-valuetext', '45 degrees');
  await expect(gradient).toHaveCount(1);
  const before = await ends();
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  await expect(number).toHaveValue('46');
  await page.keyboard.press('End');
  await expect(number).toHaveValue('359');
  await expect.poll(ends).not.toEqual(before);
  await expect(page.getByRole('radio', { name: 'My own' })).toBeChecked();
  await number.fill('');
  await expect(slider).toHaveValue('0');
  await page.locator('label').filter({ hasText: 'Night shop' }).click();
  await expect(slider).toHaveValue('45');
  const posted = await slider.evaluate(({ form }: HTMLInputElement) => [
    ...new FormData(form ?? undefined).keys(),
  ]);
  expect(posted.filter((name) => /angle|^$/i.test(name))).toEqual(['gradientAngle']);
  for (const colours of ['none', 'active'] as const) {
    await page.emulateMedia({ forcedColors: colours });
    const box = await slider.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(24);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
  }
});
