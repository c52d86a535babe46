import { consentBanner, expectChoiceSaved } from '../support/consent';
import { expect, test } from '../support/fixtures';
import { mailedPath } from '../support/mails';
import {
  CARDS,
  enterCard,
  fillOrder,
  newBuyer,
  order,
  orderForm,
  orderUnpaid,
  sendCard,
  sendOrder,
  setUp,
} from '../support/orders';

const ORDER = /^Order with obligation to pay/;

test('after a declined card and a card that needs authentication, the order goes through', {
  tag: '@late',
}, async ({ page, open, ready }) => {
  const buyer = newBuyer();
  await open('/subscribe/basic_monthly');
  await fillOrder(page, buyer);
  await page.getByRole('button', { name: ORDER }).click();
  await expect(page.getByRole('heading', { name: 'Save your card' })).toBeVisible();
  await expect(page.getByLabel('Name on the card')).toHaveValue(buyer.name);
  await enterCard(page, 'Save card', CARDS.declined);
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByRole('link', { name: /^The bank declined this card/ })).toBeVisible();
  await enterCard(page, 'Save card', CARDS.asksHolder);
  await expect(page.getByText('the card ending in 3220 at Quadrille')).toBeVisible();
  await page.getByRole('button', { name: 'It is me' }).click();
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await ready();
});

test('without French VAT, an order is placed only after its different price was shown', async ({
  page,
  open,
  ready,
}) => {
  const buyer = newBuyer();
  const button = page.getByRole('button', { name: ORDER });
  await open('/subscribe/basic_monthly');
  await expect(button).toHaveText(/€9\.90 per month$/);
  await fillOrder(page, buyer);
  await page.getByLabel('Country').selectOption('CH');
  await page.getByLabel('Postcode').fill('8001');
  await button.click();
  const news = page.getByRole('region', { name: 'The price has become lower' });
  await expect(news).toBeFocused();
  await expect(news).toContainText('€8.25 is charged, instead of the €9.90 that you saw.');
  await expect(page.getByText('There is a problem')).toHaveCount(0);
  await expect(page).not.toHaveTitle(/^Error/);
  await expect(page.getByText('€8.25 per month; no French VAT is due')).toBeVisible();
  await expect(button).toHaveText(/€8\.25 per month$/);
  await expect(page.getByLabel('Town')).toHaveValue('Paris');
  await button.click();
  await enterCard(page, 'Save card', CARDS.good);
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await expect(page.getByText('€8.25').first()).toBeVisible();
  await ready();
});

test('an order without accepted terms is not placed and keeps its input', async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  await fillOrder(page, newBuyer());
  await page.getByLabel('I accept the terms of sale.').uncheck();
  await page.getByRole('button', { name: ORDER }).click();
  await expect(page.getByRole('link', { name: 'Accept the terms of sale to order.' })).toBeVisible();
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly$/);
  await expect(page.getByLabel('Town')).toHaveValue('Paris');
  await expect(page.getByLabel('I accept the terms of sale.')).not.toBeChecked();
  await expect(page.getByLabel(/^I ask that the service start/)).toBeChecked();
});

test('an order sent twice is placed once', { tag: '@once' }, async ({ page, open }) => {
  await open('/subscribe/basic_monthly');
  const key = await page.locator('main input[name=key]').inputValue();
  const form = { ...orderForm(newBuyer()), key };
  const once = await sendOrder(page, '/subscribe/basic_monthly', form);
  expect(await sendOrder(page, '/subscribe/basic_monthly', form)).toBe(once);
});

test('a pending payment is shown as pending until it arrives', { tag: '@late' }, async ({
  page,
  open,
  mode,
}) => {
  const { path, cardPage, name } = await orderUnpaid(page);
  await open(path);
  await expect(page.getByRole('heading', { name: 'The payment is still being processed' })).toBeVisible();
  await expect(page.getByText('We have sent an e-mail')).toBeHidden();
  await consentBanner(page).getByRole('button', { name: 'Reject all' }).click();
  await expectChoiceSaved(page);
  await expect(page).toHaveURL(/\/payment-success\?payment_intent=/);
  await sendCard(page, cardPage, name);
  // Scripts poll by themselves.
  if (mode !== 'js') await page.getByRole('link', { name: 'Check again' }).click();
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await expect(page.getByText('We have sent an e-mail')).toBeVisible();
});

test('after a trial order, the page states the charges and can resend the mail, also to another address', {
  tag: '@late',
}, async ({ page, open, ready, factories }) => {
  const buyer = newBuyer();
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/bought');
  await page.getByRole('main').getByRole('button', { name: 'Create', exact: false }).last().click();
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly$/);
  await fillOrder(page, buyer);
  await page.getByRole('button', { name: ORDER }).click();
  await enterCard(page, 'Save card', CARDS.good);
  const main = page.getByRole('main');
  await expect(
    main.getByText(/^€0\.00 today, €9\.90 on \d+ \w+ \d{4} at \d\d:\d\d (?:GMT|BST|UTC)$/),
  ).toBeVisible();
  await expect(main.getByRole('img', { name: 'The QR code you designed' })).toBeVisible();
  await page.getByRole('button', { name: 'Send the e-mail again' }).click();
  await expect(page.getByText('The e-mail is on its way again.')).toBeVisible();
  await ready();
  const links = async () => (await factories.mailsTo(buyer.email)).flatMap(({ link }) => link ?? []);
  await expect.poll(async () => new Set(await links()).size).toBe(2);
  await main.getByText('Wrong address?').click();
  const field = main.getByLabel('Right e-mail address');
  await field.fill('nobody');
  await page.getByRole('button', { name: 'Send it there' }).click();
  await expect(field).toHaveAccessibleDescription(/name@example\.com/);
  await expect(field).toHaveValue('nobody');
  const right = newBuyer().email;
  await field.fill(right);
  await page.getByRole('button', { name: 'Send it there' }).click();
  await expect(page.getByText(`a new one is on its way to ${right}`)).toBeVisible();
  await expect(main.getByText(`${right[0]}•••@shop.example`)).toBeVisible();
  await setUp(page, right, await mailedPath(factories, right, '/onboarding'));
  await open('/user/subscription');
  await expect(page.getByText('Trial running')).toBeVisible();
});

test('an order page links to the contact form with its reference filled in', async ({ page, open }) => {
  await open(await order(page, newBuyer()));
  const reference = await page.getByText(/^Q-\w{5}-\w{5}$/).textContent();
  await page.getByRole('main').getByRole('link', { name: 'Write to us' }).click();
  await expect(page.getByLabel('Message')).toHaveValue(new RegExp(`^About order ${reference}:`));
});

test('a failed payment says why, and the order can be placed again', async ({ page, open }) => {
  await open('/subscribe/basic_monthly?trial=no');
  await fillOrder(page, newBuyer());
  await page.getByRole('button', { name: ORDER }).click();
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible();
  await enterCard(page, 'Pay €9.90', CARDS.neverCharged);
  await expect(page.getByRole('heading', { name: 'The payment did not go through' })).toBeVisible();
  await expect(page.getByText('The bank refused the card. Another card may work.')).toBeVisible();
  await expect(page.getByText('We have sent an e-mail')).toBeHidden();
  await page.getByRole('main').getByRole('link', { name: 'Order again' }).click();
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly\?trial=no$/);
});

test('a signed-in user orders for their account, and the saved design becomes a code', async ({
  page,
  open,
  ready,
  signIn,
  factories,
}) => {
  const account = await signIn({ access: false });
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/kept');
  await page.getByRole('main').getByRole('button', { name: 'Create', exact: false }).last().click();
  await expect(page.getByText('Creating and changing codes needs an active subscription.')).toBeVisible();
  await open('/user/subscription/order/basic_monthly');
  await expect(page.getByRole('img', { name: 'The QR code you designed' })).toBeVisible();
  await fillOrder(page, { name: newBuyer().name });
  await page.getByRole('button', { name: ORDER }).click();
  await enterCard(page, 'Save card', CARDS.good);
  await expect(page.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await ready();
  const main = page.getByRole('main');
  await expect(main.getByRole('link', { name: 'Sign in' })).toHaveCount(0);
  await expect(main.getByText('Wrong address?')).toHaveCount(0);
  await expect(main.getByRole('img', { name: 'The QR code you designed' })).toBeVisible();
  await main.getByRole('link', { name: 'See your code' }).click();
  await expect(page.getByRole('heading', { name: 'Your code is ready, Ada.', level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: 'example.com/kept' })).toBeVisible();
  await open('/user/subscription');
  await expect(page.getByText('Trial running')).toBeVisible();
  const codes = await factories.codesOf(account);
  expect(codes.map(({ content }) => content)).toEqual(['https://example.com/kept']);
});
