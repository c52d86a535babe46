import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accounts } from '#host/db/accounts.tables';
import { codes } from '#host/db/codes.tables';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { send, signInOf } from '../../support/json-calls';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const SECRET = 'words that nobody else may read';
let website: TestWebsite;
let account: TestAccount;
let browser: TestBrowser;

beforeAll(async () => {
  website = await createTestWebsite({
    '/login': 'account/sign-in/page.tsx',
    '/login/code': 'account/sign-in/code-page.tsx',
    '/onboarding': 'account/sign-in/onboarding-page.tsx',
    '/reset-password': 'account/sign-in/reset-password-page.tsx',
    '/user/settings': 'account/settings/page.tsx',
    '/user/time-zone': 'account/settings/time-zone-route.ts',
    '/user/analytics': 'statistics/page.tsx',
    '/user/settings/delete': 'account/settings/delete-page.tsx',
    '/user/settings/two-step': 'account/settings/two-step-page.tsx',
    '/user/settings/keys/new': 'account/settings/new-key-page.tsx',
    '/user/settings/passkeys': 'account/settings/passkeys-page.tsx',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

const EMAIL = 'typed@test.example';
const NAMES = { firstName: 'Grace', lastName: 'Hopper' };
const TWICE = { password: SECRET, confirmPassword: `${SECRET} again` };
const CHANGE = { currentPassword: SECRET, newPassword: `${SECRET} new`, confirmPassword: `${SECRET} again` };
const FORMS: [path: string, fields: Record<string, string>][] = [
  ['/login', { email: EMAIL, password: SECRET }],
  [`/onboarding?token=${'x'.repeat(43)}`, { ...NAMES, ...TWICE }],
  [`/reset-password?token=${'x'.repeat(43)}`, TWICE],
  ['/user/settings', { intent: 'password', ...CHANGE }],
  ['/user/settings', { intent: 'profile', ...NAMES, email: EMAIL, currentPassword: SECRET }],
  ['/user/settings/delete', { password: SECRET }],
  ['/user/settings/two-step', { intent: 'start', currentPassword: SECRET }],
  ['/user/settings/two-step', { intent: 'end', currentPassword: SECRET, code: SECRET }],
  ['/user/settings/passkeys', { intent: 'start', name: 'Phone', currentPassword: SECRET }],
  ['/user/settings/keys/new', { name: 'Phone', permission: 'read', days: 'none', currentPassword: SECRET }],
];
const visitorOf = (path: string) => (path.startsWith('/user/') ? browser : openBrowser(website));

test.each(FORMS)('a refused form of %s does not repeat passwords or codes', async (path, fields) => {
  const answer = await (await visitorOf(path)).post(path, fields);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(await answer.text()).not.toContain(SECRET);
});

test.each(FORMS)('switching the language of %s does not repeat passwords or codes', async (path, fields) => {
  const answer = await (await visitorOf(path)).post(path, { ...fields, lng: 'de' });
  const page = await answer.text();
  expect(page).toContain('lang="de"');
  expect(page).not.toContain(SECRET);
});

test('without scripts, a refused form keeps its errors and its input in another language', async () => {
  const visitor = await openBrowser(website);
  const refused = await (await visitor.post('/login', { email: 'nonsense', password: '' })).text();
  const [, shown = ''] = /name="shownErrors" value="([^"]*)"/.exec(refused) ?? [];
  const shownErrors = shown.replaceAll('&quot;', '"');
  const german = await visitor.post('/login?lng=de', {
    email: 'nonsense',
    password: '',
    shownErrors,
    lng: 'de',
  });
  expect(german.status).toBe(200);
  const page = await german.text();
  expect(page).toContain('Es gibt ein Problem');
  expect(page).toContain('Geben Sie Ihr Passwort ein.');
  expect(page).toContain('value="nonsense"');
  expect(/name="shownErrors" value="([^"]*)"/.exec(page)?.[1]).toBe(shown);
  expect(await (await visitor.open('/login')).text()).not.toContain('shownErrors');
});

test('a form that got no response from the host keeps everything but passwords and codes', async () => {
  await website.hostDown();
  for (const [path, fields] of FORMS) {
    const answer = await (await visitorOf(path)).post(path, fields);
    expect([path, answer.status]).toEqual([path, 503]);
    const page = await answer.text();
    expect(page).not.toContain(SECRET);
    if (fields.firstName) expect(page).toContain('value="Grace"');
  }
});

test('if the session was ended elsewhere, all input but passwords and codes is kept', async () => {
  await send(website.host, 'POST', '/api/account/logout', undefined, account);
  for (const [path, fields] of FORMS.filter(([path]) => path.startsWith('/user/'))) {
    browser = await openBrowser(website, account);
    const answer = await browser.post(path, fields);
    expect(statusAndLocation(answer)).toEqual([303, `/login?next=${encodeURIComponent(path)}`]);
    expect(browser.cookie('session')).toBeUndefined();
    const kept = Buffer.from(decodeURIComponent(browser.cookie('unsent') ?? ''), 'base64').toString();
    expect(kept).not.toContain(SECRET);
    if (fields.firstName) expect(kept).toContain('["firstName","Grace"]');
    if (fields.name) expect(kept).toContain('["name","Phone"]');
  }
});

test('input posted after the session was ended elsewhere is restored after the login', async () => {
  await send(website.host, 'POST', '/api/account/logout', undefined, account);
  await browser.post('/user/settings', { intent: 'profile', ...NAMES, email: account.email });
  const logIn = { email: account.email, password: account.password, next: '/user/settings' };
  expect(statusAndLocation(await browser.post('/login', logIn))).toEqual([303, '/user/settings']);
  const page = await (await browser.open('/user/settings')).text();
  expect(page).toContain('Hopper');
});

test('an account that only signed in with Google gets a password by leaving the current one empty', async () => {
  const { orm } = website.host.db;
  await orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, account.id));
  const html = await (await browser.open('/user/settings')).text();
  const form = html.match(/<form[^>]*id="password"[\s\S]*?<\/form>/)?.[0] ?? '';
  const [current = ''] = form.match(/<input[^>]*name="currentPassword"[^>]*>/) ?? [];
  expect(current).toContain('aria-describedby');
  expect(current).not.toContain('required');
  expect(form).toContain('only ever signed in with Google, leave it empty');
  const changed = await browser.post('/user/settings', {
    intent: 'password',
    currentPassword: '',
    newPassword: SECRET,
    confirmPassword: SECRET,
  });
  expect(statusAndLocation(changed)).toEqual([303, '/user/signed-out']);
});

test('changing the password or deleting the account signs this browser out', async () => {
  const changed = await browser.post('/user/settings', {
    intent: 'password',
    currentPassword: account.password,
    newPassword: SECRET,
    confirmPassword: SECRET,
  });
  expect(statusAndLocation(changed)).toEqual([303, '/user/signed-out']);
  expect(browser.cookie('session')).toBeUndefined();
  expect(await browser.notices()).toMatchObject([{ key: 'password_changed', persistent: true }]);
  const leaving = await website.host.account();
  browser = await openBrowser(website, leaving);
  const erased = await browser.post('/user/settings/delete', { password: leaving.password });
  expect(statusAndLocation(erased)).toEqual([303, '/user/signed-out']);
  expect(browser.cookie('session')).toBeUndefined();
  expect(await browser.notices()).toMatchObject([{ key: 'account_deleted', persistent: true }]);
});

test('links that were visited lead on if the form to delete the account says so', async () => {
  const [code, { host }] = [await website.host.code(account.id), website];
  await host.request(`/r/${code.slug}`);
  await browser.post('/user/settings/delete', { password: account.password, keepsLinks: 'on' });
  const [left] = await host.db.orm.select().from(codes).where(eq(codes.id, code.id));
  expect(left).toMatchObject({ content: code.content, deletedAt: null });
});

test('a pending e-mail address can be cancelled once, after which nothing is pending', async () => {
  const email = `new-${account.email}`;
  const currentPassword = account.password;
  await browser.post('/user/settings', { intent: 'profile', ...NAMES, email, currentPassword });
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'email_change_requested' }]);
  for (const [intent, notice] of [
    ['resend-email', { type: 'success', key: 'email_change_sent' }],
    ['cancel-email', { type: 'success', key: 'email_change_cancelled' }],
    ['cancel-email', { type: 'warning', key: 'email_change_over' }],
    ['resend-email', { type: 'warning', key: 'email_change_over' }],
  ] as const) {
    expect(statusAndLocation(await browser.post('/user/settings', { intent }))).toEqual([
      303,
      '/user/settings',
    ]);
    expect(await browser.notices()).toMatchObject([notice]);
  }
});

test('too many mails to a new address are refused on the page, not reported as an expired change', async () => {
  const email = `new-${account.email}`;
  const currentPassword = account.password;
  await browser.post('/user/settings', { intent: 'profile', ...NAMES, email, currentPassword });
  let answer: Response;
  do answer = await browser.post('/user/settings', { intent: 'resend-email' });
  while (answer.status === 303);
  expect(answer.status).toBe(429);
});

test('changing a profile saves the language of the page, which its mails then use', async () => {
  const email = `new-${account.email}`;
  const fields = { intent: 'profile', ...NAMES, email, currentPassword: account.password };
  await browser.post('/user/settings', fields, { 'accept-language': 'it' });
  const mail = (await website.host.mails()).find(({ to }) => to === email);
  expect(mail?.locale).toBe('it');
});

test('a device can be signed out once, and all others with one button', async () => {
  expect((await signInOf(website.host, account.token)).sessions).toHaveLength(1);
  const logIn = { email: account.email, password: account.password };
  const others = [1, 2, 3].map(
    async () => (await send(website.host, 'POST', '/api/login_check', logIn)).body.token ?? '',
  );
  const [first = '', ...rest] = await Promise.all(others);
  const own = (await signInOf(website.host, first)).sessions.find(({ current }) => current);
  const isIn = async (token: string) =>
    (await website.host.request('/api/account/profile', { token })).status === 200;
  for (const _ of ['once', 'twice']) {
    const answer = await browser.post('/user/settings', { intent: 'end-session', id: own?.id ?? '' });
    expect(statusAndLocation(answer)).toEqual([303, '/user/settings']);
    expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'session_ended' }]);
  }
  expect(await Promise.all([first, ...rest, account.token].map(isIn))).toEqual([false, true, true, true]);
  await browser.post('/user/settings', { intent: 'end-others' });
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'sessions_ended' }]);
  expect(await Promise.all([...rest, account.token].map(isIn))).toEqual([false, false, true]);
});

test('an unknown settings form gets a 400', async () => {
  for (const intent of ['', 'toString', '__proto__']) {
    expect((await browser.post('/user/settings', { intent })).status).toBe(400);
  }
});

test('a chosen time zone applies to every page of every browser that is signed in', async () => {
  const elsewhere = await openBrowser(website, account);
  const zoneOf = async (path: string) => {
    const page = await (await elsewhere.open(path)).text();
    return /<option value="([\w/]+)" selected/.exec(page.slice(page.indexOf('name="timeZone"')))?.[1];
  };
  expect(await zoneOf('/user/analytics')).toBe('Europe/London');
  expect(await (await elsewhere.open('/user/settings')).text()).toContain(
    'No zone is set yet: until you choose one, times are told in Europe/London',
  );
  const saved = await browser.post('/user/settings', { intent: 'time-zone', timeZone: 'America/New_York' });
  expect(statusAndLocation(saved)).toEqual([303, '/user/settings']);
  expect(await zoneOf('/user/analytics')).toBe('America/New_York');
  expect(await zoneOf('/user/settings')).toBe('America/New_York');
});

test('the time zone that a browser guesses is stored once, and never instead of a choice', async () => {
  const guess = async (timeZone: string, headers = {}) =>
    (await browser.post('/user/time-zone', { timeZone }, headers)).status;
  const zone = async () => {
    const { body } = await send(website.host, 'GET', '/api/account/profile', undefined, account);
    return (body.data as { timeZone: string | null }).timeZone;
  };
  for (const invalid of ['', 'Mars/Olympus', 'x'.repeat(5_000)]) expect(await guess(invalid)).toBe(422);
  expect(await guess('Asia/Tokyo', { 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await zone()).toBeNull();
  expect(await guess('Asia/Tokyo')).toBe(204);
  expect(await guess('Asia/Dubai')).toBe(204);
  expect(await zone()).toBe('Asia/Tokyo');
  const stranger = await openBrowser(website);
  expect((await stranger.post('/user/time-zone', { timeZone: 'UTC' })).status).toBe(401);
  expect(statusAndLocation(await browser.open('/user/time-zone'))).toEqual([303, '/user/settings']);
});

test('storing a time zone in an ended session leaves the notices and the session of the browser alone', async () => {
  await send(website.host, 'POST', '/api/account/logout', undefined, account);
  const late = await browser.post('/user/time-zone', { timeZone: 'UTC' });
  expect(late.status).toBe(401);
  expect(late.headers.getSetCookie()).toEqual([]);
});

test('an invalid time zone is reported at its field', async () => {
  for (const timeZone of ['Mars/Olympus', '']) {
    const answer = await browser.post('/user/settings', { intent: 'time-zone', timeZone });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('Choose one of the time zones.');
  }
});
