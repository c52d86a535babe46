import type { Page } from '@playwright/test';
import { findViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { mailedPath } from '../support/mails';
import { CARDS, enterCard, newBuyer, order, orderForm, sendCard, sendOrder, setUp } from '../support/orders';

const PHONE = { width: 360, height: 800 };
const DESKTOP = { width: 1440, height: 900 };

/** Expects no axe violation in either theme and no horizontal overflow on a phone or a desktop. */
async function checkPage(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect.soft(await findViolations(page), `${name}, ${colorScheme}`).toEqual([]);
  }
  for (const size of [PHONE, DESKTOP]) {
    await page.setViewportSize(size);
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect.soft(scrollWidth, `${name}, ${size.width} wide`).toBe(clientWidth);
  }
}

test('the card page, the portal and the pages after an order are accessible, on a phone and in dark mode', async ({
  page,
  open,
  factories,
}) => {
  test.setTimeout(120_000);
  const buyer = newBuyer();
  const cardPage = await sendOrder(page, '/subscribe/basic_monthly', orderForm(buyer));
  await page.goto(cardPage);
  await page.getByText('Test cards').click();
  await checkPage(page, 'card page');
  await enterCard(page, 'Save card', CARDS.declined);
  await expect(page).toHaveTitle(/^Error: /);
  await checkPage(page, 'card page, refused');
  await enterCard(page, 'Save card', CARDS.asksHolder);
  await expect(page.getByRole('button', { name: 'It is me' })).toBeVisible();
  await checkPage(page, 'question of the bank');
  await open(await sendCard(page, cardPage, buyer.name));
  await checkPage(page, 'order complete');
  const failed = { ...newBuyer(), card: CARDS.neverCharged, path: '/subscribe/basic_monthly?trial=no' };
  await open(await order(page, failed));
  await checkPage(page, 'payment failed');
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  for (const path of ['', '/cancel', '/switch']) {
    await open(`/user/subscription${path}`);
    await checkPage(page, `subscription ${path}`);
  }
  await open('/user/subscription');
  await page.getByRole('button', { name: 'Manage the subscription and the card' }).click();
  await expect(page.getByRole('heading', { name: 'Your payment details' })).toBeVisible();
  await checkPage(page, 'portal');
});
