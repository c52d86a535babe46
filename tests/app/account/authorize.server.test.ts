import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser, statusAndLocation, textOf } from '../../support/browser';
import { API, type Connector, createConnector } from '../../support/connector';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const OVER = '/user/authorize/refused?error=over';

let website: TestWebsite;
let account: TestAccount;
let connector: Connector;
let request: string;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/authorize/refused': 'account/authorize/refused-page.tsx',
    '/user/authorize/:request/consent': 'account/authorize/page.tsx',
    '/user/settings/keys': 'account/settings/keys-page.tsx',
    '/user/settings/keys/:id/renew': 'account/settings/key-renewal-page.tsx',
    '/user/settings/keys/:id/revoke': 'account/settings/key-revocation-page.tsx',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  connector = createConnector(website.host);
  const { client_id } = (await connector.register({ client_name: 'Writing <assistant>' })).clientMetadata();
  ({ request } = await connector.begin(await connector.discover(client_id)));
});
afterAll(async () => website.close());

const page = () => `/user/authorize/${request}/consent`;
/** The browser that the program sent here, with the signature of its cookie. */
const cookie = (browser: string | undefined) =>
  `session=${browser}; __Secure-oauth-request.sig=${connector.proofOf(request)}`;
const open = async (as = account) => {
  const browser = await openBrowser(website, as);
  const headers = { cookie: cookie(browser.cookie('session')) };
  return {
    show: () => website.browse(page(), { headers }),
    answer: (fields: Record<string, string>) =>
      website.browse(page(), { method: 'POST', body: new URLSearchParams(fields), headers }),
  };
};

test('the page says who asks, as far as that is known, and works as a form', async () => {
  const { show, answer } = await open();
  const html = await (await show()).text();
  expect(html).toContain('Writing &lt;assistant&gt;');
  expect(html).not.toContain('http-equiv="refresh"');
  const text = (await textOf(await show())).replaceAll('<!-- -->', '');
  for (const shown of [
    'Nobody has checked this name.',
    'The access goes to assistant.example.',
    account.email,
  ])
    expect(text).toContain(shown);
  const wanted = { answer: 'allow', permission: 'read', tag: 'Menu' };
  const refused = await answer({ ...wanted, currentPassword: 'a wrong password' });
  expect(refused.status).toBe(422);
  const again = await refused.text();
  expect(again).toContain('This is not your current password.');
  expect(again).toMatch(/name="tag"[^>]* value="Menu"/);
  expect(again).not.toContain('a wrong password');
  const allowed = await answer({ ...wanted, currentPassword: account.password });
  expect(statusAndLocation(allowed)).toEqual([303, page()]);
  const done = await (await show()).text();
  expect(done).toMatch(/<meta http-equiv="refresh" content="0; url=\/oauth\/authorize\/[\w-]+"\/>/);
});

test('without a session, it is asked for first', async () => {
  expect(statusAndLocation(await website.browse(page()))).toEqual([
    303,
    `/login?next=${encodeURIComponent(page())}`,
  ]);
});

test('another browser is told that the request is over, whether it asks or answers', async () => {
  const stranger = await openBrowser(website, account);
  expect(statusAndLocation(await stranger.open(page()))).toEqual([303, OVER]);
  expect(statusAndLocation(await stranger.post(page(), { answer: 'allow' }))).toEqual([303, OVER]);
  request = 'no-request';
  expect(statusAndLocation(await stranger.open(page()))).toEqual([303, OVER]);
});

test.each([
  [{ answer: 'allow' }, 422],
  [{ answer: 'allow', tag: 'one, two' }, 422],
  [{ answer: 'maybe' }, 422],
  [{}, 422],
])('%j is refused', async (fields, status) => {
  const { answer, show } = await open();
  expect((await answer(fields as Record<string, string>)).status).toBe(status);
  expect(await (await show()).text()).not.toContain('http-equiv="refresh"');
});

test('without a subscription, it can only be refused', async () => {
  const { show, answer } = await open(await website.host.account({ access: false }));
  const html = await (await show()).text();
  expect(html).toContain('Programs need a running subscription.');
  expect(html).not.toContain('value="allow"');
  expect((await answer({ answer: 'allow' })).status).toBe(402);
  expect((await answer({ answer: 'refuse' })).status).toBe(303);
});

test('a post from another site is refused', async () => {
  const browser = await openBrowser(website, account);
  const headers = { cookie: cookie(browser.cookie('session')), origin: 'https://evil.example' };
  const body = new URLSearchParams({ answer: 'allow' });
  const refused = await website.browse(page(), { method: 'POST', body, headers });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  const { show } = await open();
  expect(await (await show()).text()).not.toContain('http-equiv="refresh"');
});

test.each([
  ['over', 400, 'was begun in another browser'],
  ['session_not_found', 400, 'was begun in another browser'],
  ['invalid_redirect_uri', 400, 'not one of its own'],
  ['rate_limited', 429, 'too many requests'],
  ['https://evil.example', 400, 'not possible here'],
])('the reason %s is told', async (error, status, text) => {
  const refused = await website.browse(`/user/authorize/refused?error=${encodeURIComponent(error)}`);
  expect(refused.status).toBe(status);
  expect(await refused.text()).toContain(text);
});

test('a connected program is listed, is not renewed, and can be ended', async () => {
  await connector.connect(account, { tag: 'Menu' }, { resource: API });
  const browser = await openBrowser(website, account);
  const list = await (await browser.open('/user/settings/keys')).text();
  const [, id = ''] = /\/user\/settings\/keys\/([\w-]{36})\/revoke/.exec(list) ?? [];
  expect(list).toContain('Connected programs');
  expect(list).not.toContain(`${id}/renew`);
  expect((await browser.open(`/user/settings/keys/${id}/renew`)).status).toBe(404);
  const ending = `/user/settings/keys/${id}/revoke`;
  expect(await (await browser.open(ending)).text()).toContain('End this connection?');
  expect(statusAndLocation(await browser.post(ending, {}))).toEqual([303, '/user/settings/keys']);
  expect(await browser.notices()).toMatchObject([{ key: 'grant_ended' }]);
  expect(await (await browser.open('/user/settings/keys')).text()).toContain('No program is connected.');
});
