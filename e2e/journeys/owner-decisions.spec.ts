import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { mailedPath } from '../support/mails';
import { logIn, newBuyer, order, orderForm, sendCard, sendOrder, setUp } from '../support/orders';
import { HOST_PORT, WEB_PORT } from '../support/ports';

/** Submits a declaration as a stranger would who knows only the customer's name and e-mail address. */
async function declare(page: Page, path: string, { name, email }: { name: string; email: string }) {
  const form = { name, email, reference: '', key: crypto.randomUUID(), step: 'confirm' };
  const headers = { Origin: `http://localhost:${WEB_PORT}` };
  const sent = await page.request.post(path, { form, headers, maxRedirects: 0 });
  expect(sent.status()).toBe(303);
  // Declarations are processed in the background; advancing the sandbox clock runs that job.
  const clock = `http://127.0.0.1:${HOST_PORT}/sandbox/clock`;
  const json = { 'Content-Type': 'application/json' };
  const moved = await fetch(clock, { method: 'POST', headers: json, body: '{"advance":"1s"}' });
  expect(moved.ok).toBe(true);
}

test('a withdrawal declared by a stranger is undone by the link in the owner’s mail', async ({
  page,
  open,
  factories,
}) => {
  const buyer = newBuyer();
  await order(page, buyer);
  await declare(page, '/withdraw', buyer);
  const link = await mailedPath(factories, buyer.email, '/declaration');
  await open(link);
  await expect(page.getByRole('heading', { name: 'Did you make this declaration?' })).toBeVisible();
  await expect(page.getByText('I withdraw from my contract.')).toBeVisible();
  await page.getByRole('button', { name: 'It was not me: undo it' }).click();
  await expect(page.getByRole('heading', { name: 'The declaration is undone' })).toBeVisible();
  await open(link);
  await expect(page.getByRole('heading', { name: 'The declaration is undone' })).toBeVisible();
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await open('/user/subscription');
  await expect(page.getByText('Trial running')).toBeVisible();
});

test('a cancellation without signing in takes effect at once when its link is confirmed', async ({
  page,
  open,
  factories,
}) => {
  const buyer = newBuyer();
  await order(page, buyer);
  await declare(page, '/cancel-contract', buyer);
  await open(await mailedPath(factories, buyer.email, '/declaration'));
  await page.getByRole('button', { name: 'It was me: take effect now' }).click();
  await expect(page.getByRole('heading', { name: 'The declaration has taken effect' })).toBeVisible();
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await open('/user/subscription');
  await expect(page.getByText(/^The subscription ends on .+ Nothing more is charged\.$/)).toBeVisible();
});

test('the subscription page shows a declaration that awaits a decision and undoes it', async ({
  page,
  open,
  factories,
}) => {
  const buyer = newBuyer();
  await order(page, buyer);
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await page.context().clearCookies({ name: 'session' });
  await declare(page, '/cancel-contract', buyer);
  await mailedPath(factories, buyer.email, '/declaration');
  await logIn(page, buyer.email);
  await open('/user/subscription');
  const section = page.locator('section', {
    has: page.getByRole('heading', { name: 'A declaration awaits your decision' }),
  });
  await expect(section).toContainText('I cancel my contract at the end of the period that is paid.');
  await section.getByRole('button', { name: 'It was not me: undo it' }).click();
  await expect(page.getByText('The declaration is undone. Your contract goes on unchanged.')).toBeVisible();
  await expect(section).toHaveCount(0);
});

test("an order with a lapsed account's address waits until the account's owner confirms it", async ({
  page,
  open,
  factories,
}) => {
  const account = await factories.account({ access: false });
  const stranger = newBuyer();
  const cardPage = await sendOrder(
    page,
    '/subscribe/basic_monthly?trial=no',
    orderForm({ name: stranger.name, email: account.email }),
  );
  await open(await sendCard(page, cardPage, stranger.name));
  await expect(page.getByText(/the order begins only once it is confirmed by the link/)).toBeVisible();
  await open(await mailedPath(factories, account.email, '/confirm-order'));
  await expect(page.getByRole('heading', { name: 'Did you place this order?' })).toBeVisible();
  await expect(page.getByText(/^If you confirm, €9\.90 is charged at once/)).toBeVisible();
  await page.getByRole('button', { name: 'Confirm the order with obligation to pay' }).click();
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
});
