import { expect, test } from '../support/fixtures';

test('the preview follows the look, and so do contrast, caption and the name of the look', async ({
  page,
  open,
}) => {
  await open('/');
  await page.getByLabel('Web address').fill('https://example.com/menu');
  const asked = page.waitForResponse((response) => response.url().includes('/messages/'));
  await page.getByRole('button', { name: 'Choose its look' }).click();
  expect((await asked).ok()).toBe(true);
  await expect(page).toHaveURL(/\/$/);
  await expect(page.locator('#look > summary')).toBeFocused();
  await page.locator('label').filter({ hasText: 'Terrace' }).click();
  const picture = page.getByRole('img', { name: 'Preview of your QR code' });
  await expect(picture.locator('path[fill="#a4210d"]')).toHaveCount(1);
  await expect(page.getByText('17 of 30 characters')).toBeVisible();
  await expect(page.getByText('contrast 7.4 : 1, needs 3 : 1')).toBeVisible();
  // Of frame, caption, ground, modules and corners.
  await expect(picture.locator('path')).toHaveCount(5);

  await page.getByRole('textbox', { name: 'Corners', exact: true }).fill('#dddddd');
  await expect(page.getByText('contrast 1.3 : 1, too little: it needs 3 : 1')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'My own' })).toBeChecked();
  await page.getByLabel('Corners, colour chooser').fill('#1c5a39');
  await expect(page.getByRole('textbox', { name: 'Corners', exact: true })).toHaveValue('#1c5a39');
  await expect(picture.locator('path[fill="#1c5a39"]')).toHaveCount(1);
  await page.locator('label').filter({ hasText: /^Ink$/ }).click();
  await expect(page.getByRole('textbox', { name: 'Corners', exact: true })).toHaveValue('#14203c');
  await expect(page.getByLabel('Text of the frame')).toBeHidden();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('a small preview stays in sight while typing, and never over what is typed in', async ({
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
    for (const control of [page.getByRole('textbox', { name: 'Ground', exact: true }), address]) {
      await control.focus();
      await expect(small).toBeInViewport({ ratio: 1 });
      expect((await control.boundingBox())?.y).toBeGreaterThan(await bottomOfSmall());
    }
    await page.locator('.creation__preview .code-picture').scrollIntoViewIfNeeded();
    await expect(small).toHaveCount(0);
  });
});
