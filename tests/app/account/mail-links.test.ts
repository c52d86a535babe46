import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { makeApiKey } from '../../support/api-keys';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import { mailedToken, send, subjectsTo } from '../../support/json-calls';
import { buy } from '../../support/ordering';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const PASSWORD = 'three quiet lamps over water';
const NAMES = { firstName: 'Ada', lastName: 'Byron', password: PASSWORD, confirmPassword: PASSWORD };
let website: TestWebsite;
/** Replaces the host's response to the dashboard overview, if set. */
let overview: (() => Response) | undefined;

beforeAll(async () => {
  const routes = {
    '/onboarding': 'account/sign-in/onboarding-page.tsx',
    '/reset-password': 'account/sign-in/reset-password-page.tsx',
    '/confirm-email': 'account/sign-in/confirm-email-page.tsx',
    '/user/subscription/order/:slug': 'billing/order-page.tsx',
  };
  website = await createTestWebsite(routes, async ({ url }, pass) =>
    overview && url.endsWith('/dashboard/overview') ? overview() : pass(),
  );
});
beforeEach(() => {
  overview = undefined;
});
afterAll(async () => website.close());

/** A buyer without a password yet, and the page opened by the mailed link. */
async function buyer(fields: Record<string, unknown> = {}) {
  const { email } = await buy(website.host, fields);
  return { email, page: `/onboarding?token=${await mailedToken(website.host, email)}` };
}

/** An account that has requested a password reset, and the page opened by the mailed link. */
async function requestedReset() {
  const account = await website.host.account();
  await send(website.host, 'POST', '/api/account/forgot-password', { email: account.email });
  return { account, page: `/reset-password?token=${await mailedToken(website.host, account.email)}` };
}

/** An account that has requested a new e-mail address, and the page opened by the link mailed there. */
async function requestedAddress({ access = true } = {}) {
  const account = await website.host.account({ access });
  const email = `new-${account.email}`;
  const profile = { firstName: 'Ada', lastName: 'Tester', email, currentPassword: account.password };
  await send(website.host, 'PUT', '/api/account/profile', profile, { token: account.token });
  return { account, email, page: `/confirm-email?token=${await mailedToken(website.host, email)}` };
}

test('a buyer who sets up the account is signed in until the browser closes and sees the codes', async () => {
  const { page } = await buyer();
  const browser = await openBrowser(website);
  expect((await browser.open(page)).status).toBe(200);
  const answer = await browser.post(page, NAMES);
  expect(statusAndLocation(answer)).toEqual([303, '/user/qrcodes']);
  const session = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('session=')) ?? '';
  expect(session).toMatch(/^session=[^;]{100}/);
  expect(session).not.toMatch(/Expires|Max-Age/);
  expect(browser.cookie('device')).toBeDefined();
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'onboarding_successful' }]);
});

test('a buyer whose saved design cannot become a code is told so on the dashboard', async () => {
  const visitor = 'the key of a browser of the tests';
  const form = new FormData();
  form.set('visitor', visitor);
  form.set('fields', JSON.stringify({ type: 'link', content: 'no link at all' }));
  const kept = await website.host.request('/api/drafts', { method: 'POST', body: form });
  const { data: draft } = (await kept.json()) as { data: { id: string } };
  const { page } = await buyer({ draft: draft.id, visitor });
  expect(statusAndLocation(await (await openBrowser(website)).post(page, NAMES))).toEqual([
    303,
    '/user/dashboard',
  ]);
});

test.each([
  ['fails', () => new Response(null, { status: 500 })],
  ['is rate-limited', () => Response.json({ status: 'error', message: '' }, { status: 429 })],
])('a buyer who set up the account is signed in even if the dashboard call then %s', async (_, answer) => {
  const { page } = await buyer();
  overview = answer;
  const browser = await openBrowser(website);
  expect(statusAndLocation(await browser.post(page, NAMES))).toEqual([303, '/user/dashboard']);
  expect(browser.cookie('session')).toBeDefined();
});

test('a new onboarding link is mailed to the account that the old one names, or to the typed address', async () => {
  const { email, page } = await buyer();
  const before = await subjectsTo(website.host, email);
  const browser = await openBrowser(website);
  expect(statusAndLocation(await browser.post(page, { intent: 'resend' }))).toEqual([
    303,
    '/onboarding?sent=1',
  ]);
  expect(await subjectsTo(website.host, email)).toHaveLength(before.length + 1);
  const entered = await browser.post('/onboarding?token=broken', { intent: 'resend', email });
  expect(statusAndLocation(entered)).toEqual([303, '/onboarding?sent=1']);
  expect(await subjectsTo(website.host, email)).toHaveLength(before.length + 2);
});

test('a new password signs this browser out and replaces the old one', async () => {
  const { account, page } = await requestedReset();
  const browser = await openBrowser(website, account);
  const answer = await browser.post(page, { password: PASSWORD, confirmPassword: PASSWORD });
  expect(statusAndLocation(answer)).toEqual([303, '/login']);
  expect(browser.cookie('session')).toBeUndefined();
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'password_reset' }]);
  const logIn = { email: account.email, password: PASSWORD };
  expect((await send(website.host, 'POST', '/api/login_check', logIn)).status).toBe(200);
});

test.each([
  [{}, '/login?next=/user/settings/keys', 'password_reset_keys'],
  [{ revokesKeys: 'on' }, '/login', 'password_reset'],
])('after a reset with %j the keys that are left are named', async (fields, to, key) => {
  const { account, page } = await requestedReset();
  await makeApiKey(website.host, account);
  const browser = await openBrowser(website);
  const answer = await browser.post(page, { password: PASSWORD, confirmPassword: PASSWORD, ...fields });
  expect(statusAndLocation(answer)).toEqual([303, to]);
  expect(await browser.notices()).toMatchObject([{ type: 'success', key }]);
});

test('differing passwords are an error at the second field, and the link stays valid', async () => {
  const { page } = await requestedReset();
  const browser = await openBrowser(website);
  const refused = await browser.post(page, { password: PASSWORD, confirmPassword: 'another one entirely' });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toMatch(/<input[^>]*name="confirmPassword"[^>]*aria-invalid="true"/);
  const again = await browser.post(page, { password: PASSWORD, confirmPassword: PASSWORD });
  expect(statusAndLocation(again)).toEqual([303, '/login']);
});

test('confirming a new address keeps the session, or leads to the login when signed out', async () => {
  for (const isHere of [true, false]) {
    const { account, email, page } = await requestedAddress();
    const browser = await openBrowser(website, isHere ? account : undefined);
    expect((await browser.open(page)).status).toBe(200);
    expect(statusAndLocation(await browser.post(page, {}))).toEqual([
      303,
      isHere ? '/user/settings' : '/login',
    ]);
    expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'email_confirmed' }]);
    const profile = await website.host.request('/api/account/profile', { token: account.token });
    expect(profile.status).toBe(isHere ? 200 : 401);
    if (isHere) expect(await profile.json()).toMatchObject({ data: { email } });
  }
});

test('the session that a new address was confirmed in shows it from then on', async () => {
  const { account, email, page } = await requestedAddress({ access: false });
  const { token } = (await send(website.host, 'POST', '/api/login_check', { ...account, remember: true }))
    .body;
  const browser = await openBrowser(website, { token: String(token) });
  const order = async () => textOf(await browser.open('/user/subscription/order/basic_monthly'));
  expect(await order()).toContain(account.email);
  await browser.post(page, {});
  const shown = await order();
  expect(shown).toContain(email);
  expect(shown.replaceAll(email, '')).not.toContain(account.email);
});

test('a page states whether its link is missing, unknown, used or expired', async () => {
  const browser = await openBrowser(website);
  const look = async (path: string) => {
    const answer = await browser.open(path);
    return [answer.status, /<h1[^>]*>([^<]*)/.exec(await answer.text())?.[1]];
  };
  expect(await look('/reset-password')).toEqual([200, 'The link is not complete']);
  const unknown = `/reset-password?token=${'x'.repeat(43)}`;
  expect(await look(unknown)).toEqual([404, 'This link does not work']);
  const { account, page } = await requestedReset();
  await browser.post(page, { password: PASSWORD, confirmPassword: PASSWORD });
  expect(await look(page)).toEqual([410, 'This link has been used already']);
  await send(website.host, 'POST', '/api/account/forgot-password', { email: account.email });
  const late = `/reset-password?token=${await mailedToken(website.host, account.email)}`;
  const now = website.host.clock.now();
  website.host.clock.advance(25 * HOUR_MS);
  expect(await look(late)).toEqual([410, 'This link has expired']);
  website.host.clock.set(now);
});

test('a page with a secret in its URL is neither cached nor sent as a referrer', async () => {
  const browser = await openBrowser(website);
  for (const page of [(await requestedReset()).page, (await buyer()).page, (await requestedAddress()).page]) {
    const { headers } = await browser.open(page);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      'strict-origin',
    ]);
  }
});
