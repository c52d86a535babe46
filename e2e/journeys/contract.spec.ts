import { expect, test } from '../support/fixtures';
import { mailedPath } from '../support/mails';
import { newBuyer, order, setUp } from '../support/orders';
import { HOST_PORT } from '../support/ports';

const HOST = `http://127.0.0.1:${HOST_PORT}`;

test('a paid plan is switched to yearly from the next period, and the switch is undone', async ({
  page,
  open,
  factories,
}) => {
  const buyer = newBuyer();
  await order(page, { ...buyer, path: '/subscribe/basic_monthly?trial=no' });
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await open('/user/subscription');
  await page.getByRole('link', { name: 'Change to yearly billing' }).click();
  await page.getByRole('button', { name: /^Change, with obligation to pay €106\.92 per year$/ }).click();
  await expect(page.getByText('The change of plan is noted')).toBeVisible();
  await expect(page.getByText(/From .+ on it is Basic, billed yearly, at €106\.92\./)).toBeVisible();
  await expect(page.getByText('Basic, billed monthly', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Keep the present plan' }).click();
  await page.getByRole('button', { name: 'Keep the present plan' }).click();
  await expect(page.getByRole('link', { name: 'Change to yearly billing' })).toBeVisible();
  await expect(page.getByText(/on it is Basic, billed yearly/)).toBeHidden();
});

test('the cancellation page says that a planned change of plan is dropped, and offers to keep everything', async ({
  page,
  open,
  factories,
}) => {
  const buyer = newBuyer();
  await order(page, { ...buyer, path: '/subscribe/basic_monthly?trial=no' });
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await open('/user/subscription/switch');
  await expect(page.getByRole('main').getByRole('link', { name: 'Change nothing' })).toBeVisible();
  await page.getByRole('button', { name: /^Change, with obligation to pay/ }).click();
  await expect(page.getByText('The change of plan is noted')).toBeVisible();
  await open('/user/subscription/cancel');
  const main = page.getByRole('main');
  await expect(
    main.getByText(/^The change to “Basic, billed yearly” planned for .+ is cancelled as well/),
  ).toBeVisible();
  await expect(main.getByRole('link', { name: 'Cancel' })).toHaveCount(0);
  await main.getByRole('link', { name: 'Keep my subscription' }).click();
  await expect(page).toHaveURL(/\/user\/subscription$/);
  await expect(page.getByText(/on it is Basic, billed yearly/)).toBeVisible();
});

test('withdrawing during a trial promises no refund', async ({ page, open, factories }) => {
  const buyer = newBuyer();
  await order(page, buyer);
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await open('/user/subscription');
  const main = page.getByRole('main');
  await expect(main.getByText(/There is nothing to refund: nothing has been charged so far/)).toBeVisible();
  await main.getByRole('link', { name: 'Withdraw from contract here' }).click();
  await expect(main.getByText(/nothing has been charged to you so far/)).toBeVisible();
  for (const label of ['First and last name', 'E-mail address', /^Order reference/])
    await expect(page.getByLabel(label)).toHaveValue(/\S/);
  await page.getByRole('button', { name: 'Check the details' }).click();
  await page.getByRole('button', { name: 'Confirm the withdrawal' }).click();
  await expect(page.getByText('There is nothing to refund: nothing was charged')).toBeVisible();
  await expect(main.getByText(/^You are signed in, so the declaration .* has taken effect/)).toBeVisible();
  await expect(main.getByText(/on your card/)).toHaveCount(0);
});

test('a money-back request has its own form and receipt', async ({ page, open, factories }) => {
  const { name, email } = newBuyer();
  await order(page, { name, email, path: '/subscribe/basic_monthly?trial=no' });
  await open('/withdraw');
  await page
    .getByRole('main')
    .getByRole('link', { name: /Ask for your money back/ })
    .click();
  await expect(page.getByRole('heading', { name: 'Ask for your money back' })).toBeVisible();
  await page.getByLabel('First and last name').fill(name);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Check the details' }).click();
  await expect(
    page.getByText('I ask for my first payment back, and my contract ends with it.'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Send the request' }).click();
  await expect(page.getByRole('heading', { name: 'Your request has arrived' })).toBeVisible();
  await expect(page.getByText(/If something was charged and the time is not over/)).toBeVisible();
  await expect(page.getByRole('main').getByText(/withdraw/i)).toHaveCount(0);
  const subjects = async () => (await factories.mailsTo(email)).map(({ subject }) => subject);
  await expect.poll(subjects).toContain('We have received your money-back request');
});

test('a withdrawal is refunded and says when the refund arrives', async ({ page, open, factories }) => {
  const buyer = newBuyer();
  await order(page, { ...buyer, path: '/subscribe/basic_monthly?trial=no' });
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await open('/user/subscription');
  await page.getByRole('main').getByRole('link', { name: 'Withdraw from contract here' }).click();
  await page.getByLabel('First and last name').fill(buyer.name);
  await expect(page.getByLabel('E-mail address')).toHaveValue(buyer.email);
  await page.getByRole('button', { name: 'Check the details' }).click();
  await page.getByRole('button', { name: 'Confirm the withdrawal' }).click();
  await expect(page.getByRole('heading', { name: 'Your withdrawal has arrived' })).toBeVisible();
  const days = /between \d+ \w+ \d{4} and \d+ \w+ \d{4}/;
  await expect(page.getByText(days)).toBeVisible();
  const done = await fetch(`${HOST}/sandbox/clock`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"advance":"1s"}',
  });
  expect(done.ok).toBe(true);
  await open('/user/subscription');
  const row = page.getByRole('row', { name: /first period/ });
  await expect(row).toContainText('Refunded');
  await expect(row).toContainText(/Refund of €9\.90: on your card between \d+ \w+ \d{4} and/);
  await expect(row.getByRole('link', { name: /^Credit note A\d{4}-\d{6} \(PDF\)$/ })).toBeVisible();
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible();
});
