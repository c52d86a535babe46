import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser, statusAndLocation, type TestBrowser } from '../../support/browser';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const ENTERED = { email: 'ada@test.example', message: 'Half a question' };
const CARD = 'Nothing you typed is lost';

let website: TestWebsite;
let browser: TestBrowser;

beforeAll(async () => {
  website = await createTestWebsite({
    '/contact': 'site/contact-page.tsx',
    '/login': 'account/sign-in/page.tsx',
    '/locale': 'i18n/locale-route.ts',
    '/logout': 'account/sign-in/logout-route.ts',
    '/unsent': 'http/unsent-route.ts',
  });
});
afterAll(async () => website.close());

// Posts after the session was ended elsewhere, then signs in again.
beforeEach(async () => {
  const account = await website.host.account();
  browser = await openBrowser(website, account);
  const text = 'update sessions set revoked_at = now() where account_id = $1';
  await website.host.db.query({ name: 'end-sessions', text, values: [account.id] });
  expect(statusAndLocation(await browser.post('/contact', ENTERED))).toEqual([303, '/login?next=%2Fcontact']);
  await browser.post('/login', { email: account.email, password: account.password });
});

const read = async () => (await browser.open('/contact')).text();

test('the input is offered until it is resent, also after a reload and in another language', async () => {
  for (const _ of ['opened', 'loaded again']) expect(await read()).toContain(CARD);
  await browser.post('/locale', { lng: 'de', back: '/contact' });
  const page = await read();
  expect(page).toContain('Von Ihren Eingaben ist nichts verloren');
  const action = /action="(\/unsent\?to=[^"&]*)"/.exec(page)?.[1] ?? '';
  expect(statusAndLocation(await browser.post(action, ENTERED))).toEqual([307, '/contact']);
  expect(await read()).not.toContain('Half a question');
});

test('the input can be discarded', async () => {
  const page = await read();
  const action = /formAction="(\/unsent[^"]*discard)"/i.exec(page)?.[1]?.replace('&amp;', '&') ?? '';
  expect(statusAndLocation(await browser.post(action, ENTERED))).toEqual([303, '/contact']);
  expect(browser.cookie('unsent')).toBeUndefined();
  expect(await read()).not.toContain(CARD);
});

test('another site can neither resend the input nor be redirected to', async () => {
  const foreign = { 'sec-fetch-site': 'cross-site' };
  expect((await browser.post('/unsent?to=/contact', ENTERED, foreign)).status).toBe(403);
  expect(await read()).toContain(CARD);
  expect(statusAndLocation(await browser.post('/unsent?to=//evil.example', ENTERED))).toEqual([307, '/']);
});

test('signing out deletes the input', async () => {
  await browser.post('/logout', {});
  expect(browser.cookie('unsent')).toBeUndefined();
});
