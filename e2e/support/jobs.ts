import { expect, type Page } from '@playwright/test';
import type { Mode } from './fixtures';

/** Waits for the job page to show its end; while scripts are blocked, it must be reloaded by its link. */
export async function expectJobEnd(page: Page, mode: Mode, words: string): Promise<void> {
  const end = page.getByRole('main').getByText(words);
  await expect(async () => {
    if (mode === 'slow' && !(await end.isVisible()))
      await page.getByRole('link', { name: 'Check progress' }).click({ timeout: 1_000 });
    await expect(end).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 30_000 });
}
