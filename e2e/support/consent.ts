import type { Page } from '@playwright/test';
import { expect } from './fixtures';

export const consentBanner = (page: Page) => page.getByRole('region', { name: 'Cookies', exact: true });

/** Without scripts the message comes from the style sheet, so that it is never shown too early. */
export async function expectChoiceSaved(page: Page): Promise<void> {
  const status = consentBanner(page).getByRole('status');
  await expect(status).toMatchAriaSnapshot('- status: /Your choice is saved\\./');
}
