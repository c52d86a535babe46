import type { Page } from '@playwright/test';
import { pdfText } from '../../tests/support/pdf-text';
import { expect, test } from '../support/fixtures';
import { CARDS, enterCard, fillOrder, logIn, newBuyer, setUp } from '../support/orders';
import { type OwnSite, ownSiteURL, startOwnSite } from '../support/own-site';

let site: OwnSite;

test.use({
  baseURL: async ({ browserName: _browser }, use, { parallelIndex }) => use(ownSiteURL(parallelIndex)),
});

test.beforeAll(async ({ browserName: _browser }, { parallelIndex }) => {
  test.setTimeout(90_000);
  site = await startOwnSite(parallelIndex);
});
test.afterAll(() => site?.close());

test('a year of a subscription: trial, charge, failed renewal, new card, yearly, cancelled, over; the books balance', {
  tag: '@plain',
}, async ({ page, open, ready }) => {
  test.setTimeout(120_000);
  const { name, email } = newBuyer();
  const later = async (by: string) => {
    await site.advance(by);
    await page.context().clearCookies();
    await logIn(page, email, site.baseURL);
    await open('/user/subscription');
  };

  await open('/subscribe/basic_monthly');
  await fillOrder(page, { name, email });
  await page.getByRole('button', { name: /^Order with obligation to pay/ }).click();
  await expect(page.getByRole('heading', { name: 'Save your card' })).toBeVisible();
  await expect(page.getByText(/^€9\.90 on \d+ \w+ \d{4} at \d\d:\d\d [A-Z]{3,4}$/)).toBeVisible();
  await enterCard(page, 'Save card', CARDS.firstChargeOnly);
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await ready();
  await site.advance('1m');
  await setUp(page, email, await site.mailedPath(email, '/onboarding'), site);
  await open('/user/subscription');
  await expect(page.getByText('Trial running')).toBeVisible();

  await later('49h');
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  await expect(page.getByText(/^The next period begins on .+ Then €9\.90 is charged/)).toBeVisible();
  await expectRows(page, [['€9.90', 'Paid']]);

  await later('31d');
  await expect(page.getByText('Payment due')).toBeVisible();
  await expect(page.getByText(/^The last charge failed\. On .+ we try once more/)).toBeVisible();
  await expectRows(page, [
    ['€9.90', 'Failed'],
    ['€9.90', 'Paid'],
  ]);
  await page.getByRole('button', { name: /^Put the payment right/ }).click();
  await expect(page.getByRole('heading', { name: 'Your payment details' })).toBeVisible();
  await expect(page.getByText('Visa ending in 1018, valid to 12/2034')).toBeVisible();
  await page.getByLabel('Name on the card').fill(name);
  await enterCard(page, 'Save card', CARDS.declined);
  await expect(page).toHaveTitle(/^Error: Your payment details/);
  await expect(page.getByLabel('Card number')).toHaveAccessibleDescription(/The bank declined this card/);
  await enterCard(page, 'Save card', CARDS.good);
  await expect(page.getByText('Your card was saved.')).toBeVisible();
  await page.getByRole('link', { name: 'Back to Quadrille' }).click();
  await expect(page.getByText('Active', { exact: true })).toBeVisible();
  await expectRows(page, [
    ['€9.90', 'Paid'],
    ['€9.90', 'Paid'],
  ]);

  await open('/user/subscription/switch');
  await page.getByRole('button', { name: /€106\.92 per year$/ }).click();
  await expect(page.getByText('The change of plan is noted')).toBeVisible();
  await expect(page.getByText(/From .+ on it is Basic, billed yearly, at €106\.92\./)).toBeVisible();

  await later('31d');
  await expect(page.getByText('Basic, billed yearly', { exact: true })).toBeVisible();
  await expectRows(page, [
    ['€106.92', 'Paid'],
    ['€9.90', 'Paid'],
    ['€9.90', 'Paid'],
  ]);

  await open('/user/subscription/cancel');
  await page.getByRole('button', { name: 'Cancel the subscription' }).click();
  await expect(page.getByText('The subscription is cancelled.')).toBeVisible();
  await expect(page.getByText(/^The subscription ends on .+ Nothing more is charged/)).toBeVisible();

  await later('367d');
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible();
  await expect(page.getByText(/^Access ended on .+ Printed codes go on working/)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your subscription is over' })).toBeVisible();
  await expectRows(page, [
    ['€106.92', 'Paid'],
    ['€9.90', 'Paid'],
    ['€9.90', 'Paid'],
  ]);
  const { charged, invoiced } = await readBooks(page);
  expect(charged).toBe(12_672);
  expect(invoiced).toBe(charged);
});

/** Expects the transactions on the page to have these amounts and statuses, newest first. */
async function expectRows(page: Page, rows: [amount: string, status: string][]): Promise<void> {
  const shown = page.getByRole('region', { name: /charges?/ }).locator('tbody tr');
  await expect(shown).toHaveCount(rows.length);
  for (const [place, texts] of rows.entries()) {
    for (const text of texts) await expect(shown.nth(place)).toContainText(text);
  }
}

/** In cents: the sum of the charges in the table, and the sum of the invoices that it links to. */
async function readBooks(page: Page): Promise<{ charged: number; invoiced: number }> {
  const table = page.getByRole('region', { name: /charges?/ });
  const amounts = await table.locator('tbody tr td.number').allInnerTexts();
  const charged = amounts.reduce((sum, text) => sum + centsIn(text), 0);
  let invoiced = 0;
  for (const link of await table.getByRole('link', { name: /\(PDF\)$/ }).all()) {
    const file = await page.request.get((await link.getAttribute('href')) ?? '');
    const text = await pdfText(await file.body());
    const total = centsIn(text.slice(text.indexOf('Total including VAT')));
    invoiced += text.includes('Credit note') ? -total : total;
  }
  return { charged, invoiced };
}

function centsIn(text: string): number {
  const [, euros = '', cents = ''] = /€(\d+)\.(\d\d)/.exec(text) ?? [];
  return Number(euros + cents);
}
