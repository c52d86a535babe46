import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser, statusAndLocation } from '../../support/browser';
import { mailedToken, send, subjectsTo } from '../../support/json-calls';
import { buy } from '../../support/ordering';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const HOUR_MS = 3_600_000;
const PASSWORD = 'three quiet lamps over water';
const NAMES = { firstName: 'Ada', lastName: 'Byron', password: PASSWORD, confirmPassword: PASSWORD };
let website: TestWebsite;
/** What the host answers in place of the overview of the dashboard. */
let overview: (() => Response) | undefined;

beforeAll(async () => {
  const routes = {
    '/onboarding': 'onboarding.tsx',
    '/reset-password': 'reset-password.tsx',
    '/confirm-email': 'confirm-email.tsx',
  };
  website = await createTestWebsite(routes, async ({ url }, pass) =>
    overview && url.endsWith('/dashboard/overview') ? overview() : pass(),
  );
});
beforeEach(() => {
  overview = undefined;
});
afterAll(async () => website.close());

/** A buyer without a password yet, and the page that the mailed link opens. */
async function buyer(fields: Record<string, unknown> = {}) {
  const { email } = await buy(website.host, fields);
  return { email, page: `/onboarding?token=${await mailedToken(website.host, email)}` };
}

/** An account that has asked for another password, and the page that the mailed link opens. */
async function forgetful() {
  const account = await website.host.account();
  await send(website.host, 'POST', '/api/account/forgot-password', { email: account.email });
  return { account, page: `/reset-password?token=${await mailedToken(website.host, account.email)}` };
}

/** An account that has asked for another address, and the page that the link mailed there opens. */
async function moving() {
  const account = await website.host.account();
  const email = `new-${account.email}`;
  const profile = { firstName: 'Ada', lastName: 'Tester', email, currentPassword: account.password };
  await send(website.host, 'PUT', '/api/account/profile', profile, { token: account.token });
  return { account, email, page: `/confirm-email?token=${await mailedToken(website.host, email)}` };
}

test('a buyer who sets up the account is signed in until the browser closes, and sees the codes', async () => {
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

test('a buyer whose kept design cannot become a code is told so on the dashboard', async () => {
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
  ['has a fault', () => new Response(null, { status: 500 })],
  ['asks for patience', () => Response.json({ status: 'error', message: '' }, { status: 429 })],
])('a buyer who set up the account is in it, where the host then %s', async (_, answer) => {
  const { page } = await buyer();
  overview = answer;
  const browser = await openBrowser(website);
  expect(statusAndLocation(await browser.post(page, NAMES))).toEqual([303, '/user/dashboard']);
  expect(browser.cookie('session')).toBeDefined();
});

test('a lost onboarding link is mailed again to the account it names, or to the address typed', async () => {
  const { email, page } = await buyer();
  const before = await subjectsTo(website.host, email);
  const browser = await openBrowser(website);
  expect(statusAndLocation(await browser.post(page, { intent: 'resend' }))).toEqual([
    303,
    '/onboarding?sent=1',
  ]);
  expect(await subjectsTo(website.host, email)).toHaveLength(before.length + 1);
  const typed = await browser.post('/onboarding?token=broken', { intent: 'resend', email });
  expect(statusAndLocation(typed)).toEqual([303, '/onboarding?sent=1']);
  expect(await subjectsTo(website.host, email)).toHaveLength(before.length + 2);
});

test('a new password signs this browser out, and replaces the old one', async () => {
  const { account, page } = await forgetful();
  const browser = await openBrowser(website, account);
  const answer = await browser.post(page, { password: PASSWORD, confirmPassword: PASSWORD });
  expect(statusAndLocation(answer)).toEqual([303, '/login']);
  expect(browser.cookie('session')).toBeUndefined();
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'password_reset' }]);
  const logIn = { email: account.email, password: PASSWORD };
  expect((await send(website.host, 'POST', '/api/login_check', logIn)).status).toBe(200);
});

test('two passwords that differ are told on the second field, and the link stays good', async () => {
  const { page } = await forgetful();
  const browser = await openBrowser(website);
  const refused = await browser.post(page, { password: PASSWORD, confirmPassword: 'another one entirely' });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toMatch(/<input[^>]*name="confirmPassword"[^>]*aria-invalid="true"/);
  const again = await browser.post(page, { password: PASSWORD, confirmPassword: PASSWORD });
  expect(statusAndLocation(again)).toEqual([303, '/login']);
});

test('confirming a new address while signed in keeps the session; signed out it leads to the login', async () => {
  for (const isHere of [true, false]) {
    const { account, email, page } = await moving();
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

test('a page says whether its link is missing, unknown, used or too old', async () => {
  const browser = await openBrowser(website);
  const look = async (path: string) => {
    const answer = await browser.open(path);
    return [answer.status, /<h1[^>]*>([^<]*)/.exec(await answer.text())?.[1]];
  };
  expect(await look('/reset-password')).toEqual([200, 'The link is not complete']);
  const unknown = `/reset-password?token=${'x'.repeat(43)}`;
  expect(await look(unknown)).toEqual([404, 'This link does not work']);
  const { account, page } = await forgetful();
  await browser.post(page, { password: PASSWORD, confirmPassword: PASSWORD });
  expect(await look(page)).toEqual([410, 'This link has been used already']);
  await send(website.host, 'POST', '/api/account/forgot-password', { email: account.email });
  const late = `/reset-password?token=${await mailedToken(website.host, account.email)}`;
  const now = website.host.clock.now();
  website.host.clock.advance(25 * HOUR_MS);
  expect(await look(late)).toEqual([410, 'This link has expired']);
  website.host.clock.set(now);
});

test('a page with a secret in its address is neither cached nor sent as a referrer', async () => {
  const browser = await openBrowser(website);
  for (const page of [(await forgetful()).page, (await buyer()).page, (await moving()).page]) {
    const { headers } = await browser.open(page);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      'strict-origin',
    ]);
  }
});
