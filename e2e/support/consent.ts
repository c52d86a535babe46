import type { Page } from '@playwright/test';
import { expect } from './fixtures';

export const consentBanner = (page: Page) => page.getByRole('region', { name: 'Cookies', exact: true });

/** Reads the accessibility tree, because without scripts the style sheet generates the message. */
export async function expectChoiceSaved(page: Page): Promise<void> {
  const status = consentBanner(page).getByRole('status');
  await expect(status).toMatchAriaSnapshot('- status: /Your choice is saved\\./');
}
