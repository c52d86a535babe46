import { html } from 'hono/html';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasLuhn } from '#contract/business-numbers';
import { LOCALE_CODES } from '#contract/locales';
import { readCard, TEST_CARDS } from '#host/payment-sandbox/cards';
import { SANDBOX_TEXTS } from '#host/payment-sandbox/sandbox-texts';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { checkout, enterCard, placeOrder, statusOf } from '../../support/ordering';

const escapeHtml = (text: string) => String(html`${text}`);

const NOW = new Date('2026-03-02T10:00:00.000Z');
const GOOD = { name: 'Ada Byron', number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' };

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const errorsOf = (fields: Partial<typeof GOOD>) => {
  const read = readCard({ ...GOOD, ...fields }, NOW);
  return 'errors' in read ? read.errors : {};
};

test('every test number is a valid card number', () => {
  expect(Object.keys(TEST_CARDS).filter((number) => !hasLuhn(number))).toEqual([]);
});

test.each([
  [{ name: ' ' }, 'name'],
  [{ number: '' }, 'number'],
  [{ number: '4242 4242 4242 4241' }, 'number'],
  [{ number: '4242' }, 'number'],
  [{ number: 'four' }, 'number'],
  [{ expiry: '' }, 'expiry'],
  [{ expiry: '13/34' }, 'expiry'],
  [{ expiry: '02/26' }, 'expiry'],
  [{ cvc: '' }, 'cvc'],
  [{ cvc: '12' }, 'cvc'],
  [{ cvc: '1234' }, 'cvc'],
  [{ number: '378282246310005', cvc: '123' }, 'cvc'],
])('a card with %j has an error only at %s', (fields, field) => {
  expect(Object.keys(errorsOf(fields))).toEqual([field]);
});

test.each([
  [{}],
  [{ expiry: '03/26' }],
  [{ expiry: '3 2026' }],
  [{ number: '378282246310005', cvc: '1234' }],
])('a card with %j is accepted', (fields) => expect(errorsOf(fields)).toEqual({}));

test('a card has the same fingerprint however its holder’s name is written, and another for another holder', () => {
  const fingerprint = (name: string) => {
    const read = readCard({ ...GOOD, name }, NOW);
    return 'card' in read ? read.card.fingerprint : '';
  };
  expect(fingerprint('ADA  Byron')).toBe(fingerprint('Adá Byron'));
  expect(fingerprint('Ada Byron')).not.toBe(fingerprint('Ida Byron'));
});

test('the card page shows the amount and time of the charge, has autofill hints, and contains no script', async () => {
  const { redirectUrl } = await placeOrder(host, checkout({ name: 'Ada & "Byron"' }));
  const answered = await host.request(new URL(redirectUrl).pathname);
  const html = await answered.text();
  expect(html).toContain(
    '€9.90 on <time datetime="2026-03-04T10:00:00.000Z">4 March 2026 at 10:00 GMT</time>',
  );
  for (const token of ['cc-name', 'cc-number', 'cc-exp', 'cc-csc'])
    expect(html).toContain(`autocomplete="${token}"`);
  expect(html).toContain('value="Ada &amp; &quot;Byron&quot;"');
  expect(html).not.toMatch(/<script|onclick|javascript:/i);
  const policy = answered.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("form-action 'self' https://www.quadrille.example");
});

test.each([
  ['4000000000000002', 'The bank declined this card'],
  ['4000000000009995', 'not enough money'],
  ['4000000000000069', 'has expired'],
  ['4000000000000127', 'security code is wrong'],
])(
  'card %s is refused on the page, which keeps everything typed except the code, and another can be entered',
  async (number, why) => {
    const body = checkout();
    const { redirectUrl, paymentIntent } = await placeOrder(host, body);
    const refused = await enterCard(host, redirectUrl, number, body.name);
    expect(refused.status).toBe(402);
    const html = await refused.text();
    expect(html).toContain(why);
    expect(html).toMatch(/<title>Error: /);
    expect(html).toContain(`value="${number}"`);
    expect(html).not.toContain('value="123"');
    expect(html).toMatch(/role="alert"[^>]*autofocus/);
    expect(await statusOf(host, paymentIntent)).toMatchObject({ state: 'pending' });
    expect((await enterCard(host, redirectUrl, 'good', body.name)).status).toBe(303);
    expect(await statusOf(host, paymentIntent)).toMatchObject({ state: 'succeeded' });
    expect((await host.request(new URL(redirectUrl).pathname)).status).toBe(303);
  },
);

test('on the challenge of the bank, refusing returns to the card page, and confirming continues', async () => {
  const body = checkout();
  const { redirectUrl, paymentIntent } = await placeOrder(host, body);
  const path = new URL(redirectUrl).pathname;
  expect((await enterCard(host, redirectUrl, 'challenge', body.name)).headers.get('location')).toBe(
    `${path}/challenge`,
  );
  expect(await (await host.request(`${path}/challenge`)).text()).toContain('ending in 3220');
  const answer = (value: string) =>
    host.request(`${path}/challenge`, { method: 'POST', body: new URLSearchParams({ answer: value }) });
  const refused = await answer('refuse');
  expect(refused.status).toBe(402);
  expect(await statusOf(host, paymentIntent)).toMatchObject({ state: 'pending' });
  await enterCard(host, redirectUrl, 'challenge', body.name);
  expect((await answer('confirm')).status).toBe(303);
  expect(await statusOf(host, paymentIntent)).toMatchObject({ state: 'succeeded' });
});

test.each(LOCALE_CODES)(
  'card page, bank and portal are in the language of the order (%s)',
  async (locale) => {
    const texts = SANDBOX_TEXTS[locale];
    const lang = `<html lang="${locale === 'gb' ? 'en' : locale}">`;
    const body = checkout({ locale });
    const { redirectUrl } = await placeOrder(host, body);
    const path = new URL(redirectUrl).pathname;
    const page = await (await host.request(path)).text();
    expect(page).toContain(lang);
    for (const part of [texts.pay.saveTitle, texts.form.number, texts.cards.title, texts.notice])
      expect(page).toContain(escapeHtml(part));
    const refused = await (await enterCard(host, redirectUrl, 'poor', body.name)).text();
    expect(refused).toContain(`<title>${texts.errorPrefix} `);
    expect(refused).toContain(escapeHtml(texts.errors.insufficient_funds));
    await enterCard(host, redirectUrl, 'challenge', body.name);
    expect(await (await host.request(`${path}/challenge`)).text()).toContain(texts.challenge.title);
    const portal = await host.deps.payments.openPortal({
      customerId: await customerOf(redirectUrl),
      locale,
      returnUrl: 'https://www.quadrille.example/user/subscription',
    });
    const shown = await (await host.request(new URL(portal).pathname)).text();
    expect(shown).toContain(lang);
    for (const part of [texts.portal.title, texts.portal.none, texts.portal.noCard])
      expect(shown).toContain(escapeHtml(part));
    expect(page + refused + shown).not.toMatch(/\{\{|undefined/);
  },
);

test('an expired page says so in the language of the browser', async () => {
  const headers = { 'accept-language': 'sv, de-CH;q=0.8, en;q=0.5' };
  const answered = await host.request('/sandbox/pay/seti_nothing', { headers });
  expect(await answered.text()).toContain('Diese Seite ist abgelaufen');
});

async function customerOf(redirectUrl: string): Promise<string> {
  return (await host.deps.payments.getSetup(redirectUrl.split('/').at(-1) ?? '')).customerId;
}

test.each([
  '/sandbox/pay/seti_nothing',
  '/sandbox/pay/%00',
  '/sandbox/pay/%00x',
  '/sandbox/pay/x%00',
  '/sandbox/portal/bps_nothing',
  '/sandbox/pay/x/challenge',
])('%s is an expired page', async (path) => {
  const answered = await host.request(path);
  expect(answered.status).toBe(404);
  expect(await answered.text()).toContain('This page has expired');
});

test('the clock moves only for local callers, only forwards and only by durations', async () => {
  const before = host.clock.now();
  const moved = await send(host, 'POST', '/sandbox/clock', { advance: '1d 2h 30m' });
  expect(moved.body.data).toEqual({ now: new Date(before.getTime() + 26.5 * 3_600_000).toISOString() });
  for (const advance of ['-1h', 'tomorrow', '', 7, null, '1y']) {
    expect((await send(host, 'POST', '/sandbox/clock', { advance })).status).toBe(422);
  }
  expect((await send(host, 'POST', '/sandbox/clock', { advance: '999999d' })).status).toBe(422);
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  expect((await send(host, 'POST', '/sandbox/clock', { advance: '1h' }, { headers })).status).toBe(404);
});
