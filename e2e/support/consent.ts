import type { Page } from '@playwright/test';
import { expect } from './fixtures';

export const consentBanner = (page: Page) => page.getByRole('region', { name: 'Cookies', exact: true });

/** Without scripts the style sheet says it, so that nobody reads it before it is true. */
export async function expectChoiceSaved(page: Page): Promise<void> {
  const status = consentBanner(page).getByRole('status');
  await expect(status).toMatchAriaSnapshot('- status: /Your choice is saved\\./');
}
