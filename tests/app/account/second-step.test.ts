import { afterAll, beforeAll, expect, test } from 'vitest';
import { setUpAuthenticator } from '../../support/authenticator';
import { openBrowser, statusAndLocation } from '../../support/browser';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/login': 'account/sign-in/page.tsx',
    '/login/code': 'account/sign-in/code-page.tsx',
  });
});
afterAll(async () => website.close());

/** A browser that has passed the password step and must enter the code. */
async function afterPassword(fields: Record<string, string> = {}) {
  const account = await website.host.account();
  const { recoveryCodes } = await setUpAuthenticator(website.host, account);
  const browser = await openBrowser(website);
  const entered = { email: account.email, password: account.password, ...fields };
  const answer = await browser.post('/login', entered);
  expect(statusAndLocation(answer)).toEqual([303, '/login/code']);
  expect(browser.cookie('session')).toBeUndefined();
  const waiting = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('sign-in=')) ?? '';
  return { browser, code: recoveryCodes[0] ?? '', waiting };
}

test('a password alone does not sign in, and the code of the second step is accepted once', async () => {
  const { browser, code } = await afterPassword();
  expect((await browser.post('/login/code', { code: '000000' })).status).toBe(422);
  expect(browser.cookie('session')).toBeUndefined();
  const answer = await browser.post('/login/code', { code });
  expect(statusAndLocation(answer)).toEqual([303, '/user/dashboard']);
  expect(browser.cookie('session')).toBeDefined();
  expect(browser.cookie('sign-in')).toBeUndefined();
});

test('the second step keeps the target and the choice to stay signed in', async () => {
  const { browser, code } = await afterPassword({ next: '/user/qrcodes?page=2', remember: 'on' });
  const answer = await browser.post('/login/code', { code });
  expect(statusAndLocation(answer)).toEqual([303, '/user/qrcodes?page=2']);
  expect(answer.headers.getSetCookie().join('\n')).toMatch(/^session=[^;]+;.*Expires=/m);
});

test('without a first step, the page redirects to the login', async () => {
  const browser = await openBrowser(website);
  expect(statusAndLocation(await browser.open('/login/code'))).toEqual([303, '/login']);
  expect(statusAndLocation(await browser.post('/login/code', { code: '000000' }))).toEqual([303, '/login']);
});

test('a second step that took too long starts again with the same target', async () => {
  const { browser, code, waiting } = await afterPassword({ next: '/user/qrcodes' });
  // The cookie must outlive the time that the host allows for the code, or the browser drops it first.
  expect(Number(/Max-Age=(\d+)/.exec(waiting)?.[1])).toBeGreaterThan(6 * 60);
  const now = website.host.clock.now();
  website.host.clock.advance(6 * 60_000);
  const answer = await browser.post('/login/code', { code });
  website.host.clock.set(now);
  expect(statusAndLocation(answer)).toEqual([303, '/login?next=%2Fuser%2Fqrcodes']);
  expect(await browser.notices()).toMatchObject([{ type: 'warning', key: 'sign_in_expired' }]);
  expect(browser.cookie('sign-in')).toBeUndefined();
});
