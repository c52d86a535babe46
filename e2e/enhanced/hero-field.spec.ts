import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

const field = (page: Page) => page.locator('.hero canvas');

/** Files of the field that the page asked for, as they come. */
function askedFor(page: Page): string[] {
  const files: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('hero-field-drawing')) files.push(request.url());
  });
  return files;
}

/** Lets everything come that the page puts off: time goes by at once, and what is asked for is asked for. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.clock.runFor(5_000);
  await page.evaluate(() => fetch('/robots.txt').then((answer) => answer.text()));
}

test('wide screens get a field of modules that is purely decorative', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open('/');
  await expect(field(page)).toBeAttached();
  await expect(field(page)).toHaveAttribute('aria-hidden', 'true');
  await expect(field(page)).toHaveCSS('pointer-events', 'none');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1440);
});

test('the field stays away from small screens, and from whoever wants less motion or less data', async ({
  page,
  open,
}) => {
  const files = askedFor(page);
  await page.clock.install();
  const filesAt = async (width: number, media: Parameters<Page['emulateMedia']>[0] = {}) => {
    files.length = 0;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ reducedMotion: 'no-preference', forcedColors: 'none', ...media });
    await open('/');
    await settle(page);
    return files.length;
  };
  expect(await filesAt(1440)).toBe(1);
  expect(await filesAt(800)).toBe(0);
  expect(await filesAt(1440, { reducedMotion: 'reduce' })).toBe(0);
  expect(await filesAt(1440, { forcedColors: 'active' })).toBe(0);
  expect(await filesAt(1440, { contrast: 'more' })).toBe(0);
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  );
  expect(await filesAt(1440, { contrast: 'no-preference' })).toBe(0);
});

for (const [cause, method] of [
  ['no context', 'getContext'],
  ['a shader that does not compile', 'getShaderParameter'],
] as const) {
  test(`${cause} is noted and changes nothing`, async ({ page, open }) => {
    const warnings: string[] = [];
    page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()));
    await page.addInitScript((name) => {
      const place = name === 'getContext' ? HTMLCanvasElement : WebGLRenderingContext;
      Object.defineProperty(place.prototype, name, { value: () => null });
    }, method);
    await page.setViewportSize({ width: 1440, height: 900 });
    await open('/');
    await expect.poll(() => warnings.join()).toContain('The field of modules is left out');
    await expect(field(page)).toHaveCount(0);
    await expect(page.getByLabel('Web address')).toBeVisible();
  });
}
