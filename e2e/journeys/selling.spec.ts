import { expect, test } from '../support/fixtures';
import { mailedPath } from '../support/mails';
import { newBuyer, order, setUp } from '../support/orders';

const ORDER = /^Order with obligation to pay: €9\.90 per month$/;

test('the order page states the amount, the time of the first charge and how to cancel', async ({
  page,
  open,
}) => {
  await open('/subscribe/basic_monthly');
  const summary = page.getByRole('region', { name: 'Your order' });
  await expect(summary).toContainText('€9.90 per month, VAT included');
  await expect(summary).toContainText(/To pay today\s*€0\.00/);
  await expect(summary).toContainText(/€9\.90 on \d+ \w+ \d{4} at \d\d:\d\d (?:GMT|BST|UTC)/);
  await expect(summary).toContainText('At any time, on one page, without a reason');
  await expect(page.getByRole('button', { name: ORDER })).toBeVisible();
  await page.getByRole('button', { name: 'Pay yearly instead: €106.92 per year' }).click();
  await expect(page.getByRole('button', { name: /€106\.92 per year$/ })).toBeVisible();
  await expect(summary).toContainText('if you cancel during the trial, you pay nothing');
  await open('/subscribe/basic_monthly?trial=no');
  await expect(summary).toContainText('At any time, on one page, without a reason');
  await expect(summary).not.toContainText(/trial/i);
  expect(await open('/subscribe/basic_weekly')).toBe(404);
});

test('a refused order keeps its input and shows the error at each field', async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  await page.getByLabel('First and last name').fill('Ada Lovelace');
  await page.getByLabel('E-mail address').fill('nobody');
  await page.getByLabel('Country').selectOption({ label: 'France' });
  await page.getByLabel('I accept the terms of sale.').check();
  await page.getByRole('button', { name: ORDER }).click();
  await expect(page.getByRole('heading', { name: 'There is a problem' })).toBeVisible();
  await expect(page).toHaveTitle(/^Error: Order/);
  await expect(page.getByLabel('First and last name')).toHaveValue('Ada Lovelace');
  await expect(page.getByLabel('E-mail address')).toHaveValue('nobody');
  await expect(page.getByLabel('Country')).toHaveValue('FR');
  await expect(page.getByLabel('I accept the terms of sale.')).toBeChecked();
  await expect(page.getByLabel('Postcode')).toHaveAccessibleDescription(/Enter the postcode/);
  await expect(page.getByLabel(/^I ask that the service start/)).toHaveAccessibleDescription(
    /ask for the service to start at once/,
  );
  await page.getByRole('link', { name: 'Enter the street and number.' }).click();
  await expect(page.getByLabel('Street and number')).toBeFocused();
});

test('only a business is asked for its numbers', async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  const company = page.getByLabel('Company name');
  await expect(company).toBeHidden();
  await page.getByLabel('I order for a business').check();
  await expect(company).toBeVisible();
  await page.getByLabel('E-mail address').fill('ada@shop.example');
  await page.getByLabel('SIRET number').fill('123');
  await page.getByLabel('Country').selectOption('FR');
  await page.getByRole('button', { name: ORDER }).click();
  await expect(company).toHaveAccessibleDescription(/Enter the company name/);
  await expect(page.getByLabel('SIRET number')).toHaveAccessibleDescription(/it has 14 digits/);
});

test('the saved design is shown beside the order', async ({ page, open }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/kept');
  await page.getByRole('main').getByRole('button', { name: 'Create', exact: false }).last().click();
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly$/);
  await expect(page.getByRole('img', { name: 'The QR code you designed' })).toBeVisible();
});

test('an order starts the trial, which can be cancelled, resumed and switched', async ({
  page,
  open,
  factories,
}) => {
  const buyer = newBuyer();
  await open(await order(page, buyer));
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await expect(page.getByText(/^Q-\w{5}-\w{5}$/)).toBeVisible();
  await expect(page.getByText(`${buyer.email[0]}•••@shop.example`)).toBeVisible();
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await open('/user/subscription');
  await expect(page.getByText('Trial running')).toBeVisible();
  await expect(page.getByText(/The trial ends on .+ Then €9\.90 is charged/)).toBeVisible();
  await expect(page.getByText('Nothing has been charged so far.')).toBeVisible();

  await page.getByRole('link', { name: 'Cancel the subscription' }).click();
  await expect(page).toHaveURL(/\/user\/subscription\/cancel$/);
  await page.getByRole('button', { name: 'Cancel the subscription' }).click();
  await expect(page.getByText('The subscription is cancelled.')).toBeVisible();
  await expect(page.getByText(/The subscription ends on .+ Nothing more is charged/)).toBeVisible();
  await page.getByRole('link', { name: 'Undo the cancellation' }).click();
  await page.getByRole('button', { name: /^Continue, with obligation to pay €9\.90$/ }).click();
  await expect(page.getByText('The cancellation is undone.')).toBeVisible();
  await page.getByRole('link', { name: 'Change to yearly billing' }).click();
  await page.getByRole('button', { name: /€106\.92 per year$/ }).click();
  await expect(page.getByText('Basic, billed yearly', { exact: true })).toBeVisible();
  const subjects = async () => (await factories.mailsTo(buyer.email)).map(({ subject }) => subject);
  await expect.poll(subjects).toContainEqual(expect.stringMatching(/^Your subscription ends on/));
});

test('without a trial, the charge is listed with its invoice', async ({ page, open, factories }) => {
  const buyer = newBuyer();
  await open(await order(page, { ...buyer, path: '/subscribe/basic_monthly?trial=no' }));
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await setUp(page, buyer.email, await mailedPath(factories, buyer.email, '/onboarding'));
  await open('/user/subscription');
  const row = page.getByRole('row', { name: /first period/ });
  await expect(row).toContainText('€9.90');
  await expect(row).toContainText('Paid');
  await expect(row).toContainText('Visa ending in 4242');
  const link = row.getByRole('link', { name: /^Invoice F\d{4}-\d{6} \(PDF\)$/ });
  const file = await page.request.get((await link.getAttribute('href')) ?? '');
  expect(file.headers()['content-type']).toBe('application/pdf');
  expect((await file.body()).subarray(0, 5).toString()).toBe('%PDF-');
  expect((await page.request.get('/user/subscription/invoices/F2026-999999.pdf')).status()).toBe(404);
  await open('/subscribe/basic_monthly');
  await expect(page).toHaveURL(/\/user\/subscription$/);
});

test('an account without a subscription can order with its own e-mail address only', async ({
  page,
  open,
  signIn,
}) => {
  const { email } = await signIn({ access: false });
  await open('/subscribe/basic_monthly');
  await expect(page).toHaveURL(/\/user\/dashboard$/);
  await open('/user/subscription');
  await expect(page.getByRole('heading', { name: 'No subscription yet' })).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Order Basic' }).click();
  await expect(page).toHaveURL(/\/user\/subscription\/order\/basic_monthly$/);
  await expect(page.getByText(`The order belongs to your account, ${email}.`)).toBeVisible();
  await expect(page.getByLabel('First and last name')).toHaveValue('Ada Tester');
});

test('an unknown payment is not found; a known one has no canonical URL and no referrer path', async ({
  page,
  open,
}) => {
  expect(await open('/payment-success?payment_intent=pi_no')).toBe(404);
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex, nofollow');
  const response = await page.goto(await order(page, newBuyer()), { waitUntil: 'domcontentloaded' });
  // The URL identifies the payment, so other sites may see only the origin.
  expect(response?.headers()['referrer-policy']).toBe('strict-origin');
  expect(response?.headers()['x-robots-tag']).toBeUndefined();
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'index, follow');
  await expect(page.locator('link[rel=canonical], link[rel=alternate]')).toHaveCount(0);
});

test('the address of a payment without its payment leads to the login page, which says why', async ({
  page,
  open,
}) => {
  await open('/payment-success');
  await expect(page).toHaveURL(/\/login\?next=%2Fuser%2Fsubscription$/);
  await expect(page.getByText('The address did not say which order to show.')).toBeVisible();
});

for (const [path, confirm, received] of [
  ['/cancel-contract', 'Notify the cancellation', 'Your cancellation has arrived'],
  ['/withdraw', 'Confirm the withdrawal', 'Your withdrawal has arrived'],
] as const) {
  test(`without signing in, ${path} takes two steps and leaves a dated receipt`, async ({
    page,
    open,
    factories,
  }) => {
    const { name, email } = newBuyer();
    await order(page, { name, email });
    await open(path);
    await page.getByLabel('First and last name').fill(name);
    await page.getByLabel('E-mail address').fill('wrong');
    await page.getByRole('button', { name: 'Check the details' }).click();
    await expect(page.getByLabel('E-mail address')).toHaveAccessibleDescription(/name@example\.com/);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Check the details' }).click();
    await expect(page.getByText('Nothing has been sent yet.')).toBeVisible();
    await page.getByRole('button', { name: 'Change the details' }).click();
    await expect(page.getByLabel('E-mail address')).toHaveValue(email);
    const mailsSent = async () => (await factories.mailsTo(email)).length;
    const before = await mailsSent();
    await page.getByRole('button', { name: 'Check the details' }).click();
    await page.getByRole('button', { name: confirm }).click();
    await expect(page.getByRole('heading', { name: received })).toBeVisible();
    await expect(page).toHaveURL(/\?received=1$/);
    await expect(page.getByText(/^\d+ \w+ \d{4} at \d\d:\d\d (?:GMT|BST|UTC)$/)).toBeVisible();
    await expect.poll(mailsSent).toBeGreaterThan(before);
  });
}
