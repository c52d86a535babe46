import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeOffToken } from '#host/accounts/mail-settings';
import { openBrowser, statusAndLocation } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const PAGE = '/user/settings/mails';

let website: TestWebsite;
let account: TestAccount;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  website = await createTestWebsite({
    [PAGE]: 'account/settings/mails-page.tsx',
    '/mails-off': 'account/sign-in/mails-off-page.tsx',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

/** Names of the boxes that are ticked, and the chosen frequency. */
async function chosen(): Promise<string[]> {
  const html = await (await browser.open(PAGE)).text();
  return [...html.matchAll(/<input[^>]*checked=""[^>]*>/g)].map(([input]) => {
    const [, name = ''] = /name="(\w+)"/.exec(input) ?? [];
    const [, value = ''] = /value="(\w+)"/.exec(input) ?? [];
    return value === 'on' ? name : value;
  });
}

const offPage = (kind: 'figures' | 'unusual') =>
  `/mails-off?token=${makeOffToken({ accountId: account.id, kind }, website.host.deps.settings.jwtSecrets)}`;

test('only a failing destination is told unless the owner chooses more', async () => {
  expect(await chosen()).toEqual(['off', 'destinationFailing']);
  const answer = await browser.post(PAGE, { figures: 'month', firstScan: 'on' });
  expect(statusAndLocation(answer)).toEqual([303, PAGE]);
  expect(await chosen()).toEqual(['month', 'firstScan']);
});

test('an unknown frequency is refused and changes nothing', async () => {
  const answer = await browser.post(PAGE, { figures: 'hour', unusual: 'on' });
  expect(answer.status).toBe(422);
  expect(await chosen()).toEqual(['off', 'destinationFailing']);
});

test('opening the link of a mail changes nothing; its button switches off that kind, signed out and twice', async () => {
  await browser.post(PAGE, { figures: 'week', unusual: 'on' });
  const visitor = await openBrowser(website);
  const opened = await visitor.open(offPage('unusual'));
  expect([opened.status, opened.headers.get('referrer-policy')]).toEqual([200, 'strict-origin']);
  const html = await opened.text();
  expect(html).toContain('An unusual rise or fall of visits');
  expect(html).not.toContain(account.email);
  expect(await chosen()).toEqual(['week', 'unusual']);
  for (let click = 0; click < 2; click += 1) {
    const answer = await visitor.post(offPage('unusual'), {});
    expect([answer.status, (await answer.text()).includes('These mails are off')]).toEqual([200, true]);
  }
  expect(await chosen()).toEqual(['week']);
});

test('a mail program switches off with one post, without a redirect', async () => {
  await browser.post(PAGE, { figures: 'week' });
  const visitor = await openBrowser(website);
  const answer = await visitor.post(offPage('figures'), { 'List-Unsubscribe': 'One-Click' });
  expect(answer.status).toBe(200);
  expect(await chosen()).toEqual(['off']);
});

test('a link that is not ours is not found, opened or posted', async () => {
  const visitor = await openBrowser(website);
  for (const path of ['/mails-off', '/mails-off?token=x', `${offPage('figures')}x`]) {
    expect((await visitor.open(path)).status).toBe(404);
    expect((await visitor.post(path, {})).status).toBe(404);
  }
});
