import type { Page } from '@playwright/test';
import { expect, forgetZone, test } from '../support/fixtures';

test.use({ timezoneId: 'Asia/Tokyo' });

const PAGES = ['/user/dashboard', '/user/qrcodes', '/user/subscription', '/user/settings', '/user/analytics'];

/** The abbreviated zones after the times of day on a page. */
async function zonesOn(page: Page): Promise<string[]> {
  const text = (await page.getByRole('main').allInnerTexts()).join(' ').replaceAll('\u00a0', ' ');
  return [...text.matchAll(/\b\d\d:\d\d ((?:[A-Z]{2,5})(?:[+-]\d+)?)/g)].map(([, zone]) => zone ?? '');
}

for (const chosen of [null, 'America/New_York']) {
  const zone = chosen ?? 'no zone';
  test(`with ${zone} chosen, all account pages show times in a single zone`, async ({
    page,
    open,
    signIn,
    factories,
    mode,
  }) => {
    const account = await signIn();
    await forgetZone(page, factories, account);
    const { id } = await factories.code(account);
    if (chosen) {
      await open('/user/settings');
      await page.getByLabel('Time zone of the account').selectOption(chosen);
      await page.getByRole('button', { name: 'Save the time zone' }).click();
      await expect(page.getByText('Time zone saved')).toBeVisible();
      await expect(page.getByLabel('Time zone of the account')).toHaveValue(chosen);
    } else if (mode === 'js') {
      await open('/user/settings');
      await expect(page.getByLabel('Time zone of the account')).toHaveValue('Asia/Tokyo');
    } else {
      await open('/user/settings');
      await expect(page.getByText('No zone is set yet')).toBeVisible();
    }
    const found = new Map<string, string[]>();
    for (const path of [...PAGES, `/user/qrcodes/${id}`]) {
      await open(path);
      found.set(path, await zonesOn(page));
    }
    for (const path of ['/user/dashboard', '/user/subscription', '/user/settings'])
      expect(found.get(path)?.length, path).toBeGreaterThan(0);
    expect(new Set([...found.values()].flat()).size).toBe(1);
    if (chosen) expect(found.get('/user/dashboard')?.[0]).toMatch(/^(?:GMT-[45]|E[SD]T)$/);
  });
}
