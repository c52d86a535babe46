import type { Page } from '@playwright/test';
import { findViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { mailedPath } from '../support/mails';
import { CARDS, enterCard, newBuyer, order, orderForm, sendCard, sendOrder, setUp } from '../support/orders';

const PHONE = { width: 360, height: 800 };
const DESK = { width: 1440, height: 900 };

/** Nothing against accessibility in either theme, and nothing wider than the screen of a phone or a desk. */
async function expectGood(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect.soft(await findViolations(page), `${name}, ${colorScheme}`).toEqual([]);
  }
  for (const size of [PHONE, DESK]) {
    await page.setViewportSize(size);
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect.soft(scrollWidth, `${name}, ${size.width} wide`).toBe(clientWidth);
  }
}

test('card page, portal and the pages after an order are accessible, on a phone and in dark mode', async ({
  page,
  open,
  factories,
}) => {
  test.setTimeout(120_000);
  const buyer = newBuyer();
  const cardPage = await sendOrder(page, '/subscribe/basic_monthly', orderForm(buyer));
  await page.goto(cardPage);
  await page.getByText('Test cards').click();
  await expectGood(page, 'card page');
  await enterCard(page, 'Save card', CARDS.declined);
  await expect(page).toHaveTitle(/^Error: /);
  await expectGood(page, 'card page, refused');
  await enterCard(page, 'Save card', CARDS.asksHolder);
  await expect(page.getByRole('button', { name: 'It is me' })).toBeVisible();
  await expectGood(page, 'question of the bank');
  await open(await sendCard(page, cardPage, buyer.name));
  await expectGood(page, 'order complete');
  const failed = { ...newBuyer(), card: CARDS.neverCharged, path: '/subscribe/basic_monthly?trial=no' };
  await open(await order(page, failed));
  await expectGood(page, 'payment failed');
  await setUp(page, open, await mailedPath(factories, buyer.email, '/onboarding'));
  for (const path of ['', '/cancel', '/switch']) {
    await open(`/user/subscription${path}`);
    await expectGood(page, `subscription ${path}`);
  }
  await open('/user/subscription');
  await page.getByRole('button', { name: 'Manage the subscription and the card' }).click();
  await expect(page.getByRole('heading', { name: 'Your payment details' })).toBeVisible();
  await expectGood(page, 'portal');
});
