import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { host } from '../support/host';
import { LOCALE_CODES } from '../support/pages';

const LEGAL = ['/cookie-policy', '/privacy-policy', '/legal-notices', '/terms-of-sales'];

test('the price follows the choice between monthly and yearly, which is part of the URL', async ({
  page,
  open,
}) => {
  await open('/pricings');
  const billing = page.getByRole('navigation', { name: 'Billing period' });
  const choose = page.getByRole('link', { name: 'Choose this plan' });
  await expect(page.getByRole('heading', { name: '€9.90 per month' })).toBeVisible();
  await expect(choose).toHaveAttribute('href', '/subscribe/basic_monthly');
  await billing.getByRole('link', { name: 'Yearly' }).click();
  await expect(page).toHaveURL(/\/pricings\?billing=yearly$/);
  await expect(page.getByRole('heading', { name: '€106.92 per year' })).toBeVisible();
  await expect(page.getByText('that is €8.91 a month')).toBeVisible();
  await expect(page.getByText('€11.88 less than twelve monthly payments')).toBeVisible();
  await expect(choose).toHaveAttribute('href', '/subscribe/basic_yearly');
  await expect(billing.getByRole('link', { name: 'Yearly' })).toHaveAttribute('aria-current', 'true');
  await open('/pricings?billing=yearly');
  await expect(page.getByRole('heading', { name: '€106.92 per year' })).toBeVisible();
});

test('the pricing page states what follows the trial, with the amounts', async ({ page, open }) => {
  await open('/pricings?billing=yearly');
  const steps = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) });
  await expect(steps).toHaveText([
    /When you order\s*€0\.00/,
    /After 48 hours\s*€106\.92/,
    /Each year after that\s*€106\.92/,
  ]);
  await expect(page.getByText('within 14 days of your first payment')).toBeVisible();
  await expect(page.getByText('3 to 10 business days')).toBeVisible();
});

test('the questions are found by words and by category', async ({ page, open, ready }) => {
  await open('/faq');
  await page.getByLabel('Search the questions').fill('forgot password');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(page).toHaveURL(/\/faq\?q=forgot\+password$/);
  await ready();
  await expect(page.getByText('1 answer found').first()).toBeVisible();
  await expect(page.getByText('a link that works once and for a short time')).toBeVisible();
  await expect(page.getByLabel('Search the questions')).toHaveValue('forgot password');
  await page.getByRole('link', { name: 'General', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Nothing found for “forgot password”' })).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'All questions' }).last().click();
  await expect(page).toHaveURL(/\/faq$/);
  await expect(
    page.getByRole('heading', { level: 2 }).filter({ hasText: /^(QR codes|Support|General)$/ }),
  ).toHaveCount(3);
  await expect(page.getByLabel('Search the questions')).toHaveValue('');
});

test('a link to an answer opens it', async ({ page, open }) => {
  const answer = page.getByText('The printed image stays the same');
  await open('/faq#how-to-modify');
  await expect(answer).toBeVisible();
  await expect(page.getByText('The preview shows you the result')).toBeHidden();
  await open('/');
  await page.getByRole('contentinfo').getByRole('link', { name: 'How to change a code' }).click();
  await expect(page).toHaveURL(/\/faq#how-to-modify$/);
  await expect(answer).toBeInViewport();
});

test('a question in everyday words finds its answer', async ({ page, open, ready }) => {
  await open('/faq');
  await page.getByLabel('Search the questions').fill('How do I get a refund?');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(page).toHaveURL(/\?q=How\+do\+I\+get\+a\+refund/);
  await ready();
  await expect(page.getByText('refund the card you used')).toBeVisible();
});

test('a link to a section of another page scrolls to the start of the section', async ({
  page,
  open,
  ready,
}) => {
  await open('/terms-of-sales');
  await page.getByRole('contentinfo').getByRole('link', { name: 'How it works' }).click();
  await expect(page).toHaveURL(/\/#how$/);
  await ready();
  const section = page.locator('#how');
  await expect(section.getByRole('heading', { level: 2 })).toBeInViewport();
  // `scroll-padding` is one square of the background grid, 24 px.
  await expect
    .poll(() => section.evaluate((element) => element.getBoundingClientRect().top))
    .toBeCloseTo(24, 0);
  // Tab continues from there.
  await page.keyboard.press('Tab');
  await expect(page.getByRole('main').getByRole('link', { name: 'See the prices' })).toBeFocused();
});

test('a message reaches support once, and the page says what happens next', async ({ page, open }) => {
  const email = `${crypto.randomUUID()}@test.example`;
  await open('/contact');
  await fillMessage(page, { email });
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page).toHaveURL(/\/contact\?sent=1$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Your message has been sent' })).toBeVisible();
  await expect(page).toHaveTitle(/^Your message has been sent/);
  await expect(page.getByText('You will receive a confirmation by e-mail')).toBeVisible();
  expect(await mailsAbout(email)).toEqual([
    { to: 'contact@quadrille.example', replyTo: email },
    { to: email, replyTo: null },
  ]);
});

test('a refused message says what is missing and keeps what was typed', async ({ page, open }) => {
  await open('/contact');
  await page.getByLabel('E-mail address').fill('ada@nowhere');
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Message', { exact: true }).fill('Help');
  await page.getByRole('button', { name: 'Send the message' }).click();
  const problem = page.getByRole('region', { name: 'There is a problem' });
  await expect(problem.getByRole('listitem')).toHaveText([
    'Enter an e-mail address such as name@example.com.',
    'Enter your last name.',
    'Choose a subject.',
    'Write a little more: the message needs at least 10 characters.',
  ]);
  await expect(problem).toBeFocused();
  await expect(page).toHaveTitle(/^Error: /);
  await expect(page.getByLabel('E-mail address')).toHaveValue('ada@nowhere');
  await expect(page.getByLabel('First name')).toHaveValue('Ada');
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Help');
  await expect(page.getByLabel('Subject')).toHaveAccessibleDescription(/Choose a subject\./);
  await problem.getByRole('link', { name: 'Choose a subject.' }).click();
  await expect(page.getByLabel('Subject')).toBeFocused();
});

test('too many messages are refused, keeping everything typed', async ({ page, open, ready }) => {
  const email = `${crypto.randomUUID()}@test.example`;
  for (let sent = 0; sent < 5; sent++) {
    const response = await postTicket(email);
    expect(response.status).toBe(201);
  }
  await open('/contact');
  await fillMessage(page, { email });
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page.getByText('That was a lot of messages in a short time.').first()).toBeVisible();
  await ready();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Where do I find my invoices?');
  await expect(page.getByLabel('Subject')).toHaveValue('billing');
});

test('the contact form is prefilled with the name and e-mail address of a signed-in user', async ({
  page,
  open,
  signIn,
}) => {
  const account = await signIn({ firstName: 'Grace' });
  await open('/contact');
  await expect(page.getByLabel('E-mail address')).toHaveValue(account.email);
  await expect(page.getByLabel('First name')).toHaveValue('Grace');
  await expect(page.getByLabel('Last name')).toHaveValue('Tester');
});

test('a message with the hidden field filled is sent once its sender says to be a person', async ({
  page,
  open,
  ready,
}) => {
  const email = `${crypto.randomUUID()}@test.example`;
  await open('/contact');
  await expect(page.getByLabel('Leave this field empty')).not.toBeInViewport({ ratio: 1 });
  await fillMessage(page, { email });
  await page.locator('input[name=comment]').fill('https://spam.example', { force: true });
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page.getByText('Your message has not been sent yet').first()).toBeVisible();
  await ready();
  expect(await mailsAbout(email)).toEqual([]);
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Where do I find my invoices?');
  await page.getByLabel('I am a person: send my message').check();
  await page.getByRole('button', { name: 'Send the message' }).click();
  await expect(page).toHaveURL(/\/contact\?sent=1$/);
  expect(await mailsAbout(email)).not.toEqual([]);
});

test('the legal pages link to their sections, and their tables can be focused', async ({ page, open }) => {
  await open('/terms-of-sales');
  await expect(page.getByText(/^Last updated: \d+ \w+ \d{4}/)).toBeVisible();
  await page
    .getByRole('navigation', { name: 'On this page' })
    .getByRole('link', { name: 'Legal guarantees' })
    .click();
  await expect(page).toHaveURL(/#guarantees$/);
  await expect(page.getByRole('heading', { name: 'Legal guarantees (consumers)' })).toBeInViewport();
  const plans = page.getByRole('region', { name: 'Subscription plans' });
  await expect(plans).toHaveAttribute('tabindex', '0');
  await expect(plans.getByRole('cell', { name: '€106.92 per year' })).toBeVisible();
  await expect(page.getByRole('link', { name: /\/withdraw$/ }).first()).toHaveAttribute('href', '/withdraw');
  await page.getByRole('link', { name: 'The French version of this text prevails.' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
});

for (const locale of LOCALE_CODES) {
  test(`the public pages are complete: ${locale}`, async ({ page, open }) => {
    const titles = new Set<string>();
    for (const path of ['/pricings', '/faq', '/contact', ...LEGAL]) {
      expect(await open(`${path}?lng=${locale}`), path).toBe(200);
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      const text = (await page.locator('main').textContent()) ?? '';
      expect(text, path).not.toMatch(/\{\{|\}\}|undefined|\[object|NaN/);
      expect(text, path).not.toMatch(/\b(?:pricing|faq|contact|legal|common)[:.]\w+\.\w+/);
      const description = await page.locator('meta[name=description]').getAttribute('content');
      expect(description?.length ?? 0, path).toBeGreaterThan(50);
      titles.add(await page.title());
    }
    expect(titles.size).toBe(7);
  });
}

async function fillMessage(page: Page, { email }: { email: string }): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Lovelace');
  await page.getByLabel('Subject').selectOption('Payment and invoices');
  await page.getByLabel('Message', { exact: true }).fill('Where do I find my invoices?');
}

/** Mails in the host's mailbox to this address or with it as reply-to address, the latter first. */
async function mailsAbout(email: string) {
  const response = await host.request('/mailbox.json');
  const { data } = (await response.json()) as { data: { to: string; replyTo: string | null }[] };
  return data
    .filter(({ to, replyTo }) => to === email || replyTo === email)
    .map(({ to, replyTo }) => ({ to, replyTo }))
    .sort((a) => (a.to === email ? 1 : -1));
}

async function postTicket(email: string): Promise<Response> {
  return host.request('/api/tickets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      email,
      firstname: 'Ada',
      lastname: 'Lovelace',
      subject: 'other',
      message: 'One of many messages',
    }),
  });
}
