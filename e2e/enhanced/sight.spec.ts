import { expect, test } from '../support/fixtures';
import { findCutOff } from '../support/look-rules';

test('at twice the text size the advantages do not overlap their heading', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open('/');
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  const section = page.locator('#advantages');
  const heading = await section.getByRole('heading', { level: 2 }).evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  });
  const list = await section.getByRole('list').boundingBox();
  expect(list?.x).toBeGreaterThanOrEqual(heading);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
});

test('logos stay visible with forced colours', async ({ page, open }) => {
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
  await open('/create');
  const tile = page.locator('.logos__tile').first();
  await expect(tile).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(tile).toHaveCSS('forced-color-adjust', 'none');
});

test('a long address that a message offers is not cut off on a phone', async ({ page, open }) => {
  await open('/create');
  const address = page.getByLabel('Web address');
  await address.fill('https://https://example.com/a-menu-with-a-very-long-name-and-no-space');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByRole('region', { name: 'There is a problem' })).toContainText('Did you mean');
  expect(await findCutOff(page)).toEqual([]);
});
