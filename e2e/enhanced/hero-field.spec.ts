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

/** Resolves once everything that waits for an idle moment after loading had one. */
async function idle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.evaluate(
    () => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(() => resolve(null)))),
  );
}

test('wide screens get a field of modules that nothing but the eye notices', async ({ page, open }) => {
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
  await page.setViewportSize({ width: 800, height: 900 });
  await open('/');
  await idle(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await open('/');
  await idle(page);
  await page.emulateMedia({ reducedMotion: 'no-preference', forcedColors: 'active' });
  await open('/');
  await idle(page);
  await page.emulateMedia({ forcedColors: 'none' });
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  );
  await open('/');
  await idle(page);
  expect(files).toEqual([]);
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
