import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/logout': 'account/sign-in/logout-route.ts' });
});
afterAll(async () => website.close());

const FROM_HERE = { 'sec-fetch-site': 'same-origin' };

async function logOut(as: { token: string }) {
  const answer = await website.browse('/logout', { method: 'POST', headers: FROM_HERE, as });
  const cookies = answer.headers.getSetCookie();
  return {
    status: answer.status,
    to: answer.headers.get('location'),
    clears: answer.headers.get('clear-site-data'),
    isOut: cookies.some((cookie) => /^session=;.*Expires=Thu, 01 Jan 1970/.test(cookie)),
    notice: Buffer.from(/^notice=([^.%;]+)/.exec(cookies.join('\n'))?.[1] ?? '', 'base64').toString(),
  };
}

test('logging out ends the session at the host, too', async () => {
  const account = await website.host.account();
  expect(await logOut(account)).toMatchObject({ status: 303, to: '/', clears: '"cache"', isOut: true });
  const { status } = await website.host.request('/api/account/profile', { token: account.token });
  expect(status).toBe(401);
});

test('logging out works while the host is down', async () => {
  const account = await website.host.account();
  await website.hostDown();
  const { notice, ...answer } = await logOut(account);
  expect(answer).toEqual({ status: 303, to: '/', clears: '"cache"', isOut: true });
  expect(notice).toContain('logout_successful');
});

test('logging out works after the session was ended elsewhere', async () => {
  const account = await website.host.account();
  await website.host.request('/api/account/logout', { method: 'POST', token: account.token });
  const { notice, ...answer } = await logOut(account);
  expect(answer).toEqual({ status: 303, to: '/', clears: '"cache"', isOut: true });
  expect(notice).toContain('logout_successful');
});

test('of what a browser keeps, logging out clears the session and what was typed, and no more', async () => {
  const account = await website.host.account();
  const answer = await website.browse('/logout', { method: 'POST', headers: FROM_HERE, as: account });
  const cookies = answer.headers.getSetCookie();
  const cleared = cookies.filter((cookie) =>
    /^[\w-]+=;.*(?:Max-Age=0|Expires=Thu, 01 Jan 1970)/.test(cookie),
  );
  expect(cleared.map((cookie) => cookie.split('=')[0]).sort()).toEqual(['order', 'session', 'unsent']);
  expect(cookies).toHaveLength(cleared.length + 1);
});
