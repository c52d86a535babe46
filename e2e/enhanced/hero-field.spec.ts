import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';

const field = (page: Page) => page.locator('.hero canvas');

/** URLs of the field's scripts that the page requests; grows as they are requested. */
function collectRequests(page: Page): string[] {
  const files: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('hero-field-drawing')) files.push(request.url());
  });
  return files;
}

/** Fast-forwards the timers and waits for one round trip, so that all deferred requests have been sent. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.clock.runFor(5_000);
  await page.evaluate(() => fetch('/robots.txt').then((answer) => answer.text()));
}

test('wide screens show a purely decorative field of modules', async ({ page, open }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open('/');
  await expect(field(page)).toBeAttached();
  await expect(field(page)).toHaveAttribute('aria-hidden', 'true');
  await expect(field(page)).toHaveCSS('pointer-events', 'none');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1440);
});

test('the field is not loaded on small screens or for users who prefer less motion or data', async ({
  page,
  open,
}) => {
  const files = collectRequests(page);
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
  test(`${cause} only logs a warning`, async ({ page, open }) => {
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
