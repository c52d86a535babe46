import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeApiKey } from '../../support/api-keys';
import { openBrowser, statusAndLocation } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const PAGE = '/user/settings/keys';
const NEW = `${PAGE}/new`;

let website: TestWebsite;
let account: TestAccount;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/settings': 'account/settings/page.tsx',
    '/user/settings/keys': 'account/settings/keys-page.tsx',
    '/user/settings/keys/new': 'account/settings/new-key-page.tsx',
    '/user/settings/keys/:id/renew': 'account/settings/key-renewal-page.tsx',
    '/user/settings/keys/:id/revoke': 'account/settings/key-revocation-page.tsx',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

const secretIn = (html: string) => /value="(qdr_\w{36})"/.exec(html)?.[1] ?? '';
const works = async (secret: string) =>
  (await website.host.request('/api/v1/tags', { token: secret })).status === 200;
const pageText = async (path: string) => (await browser.open(path)).text();

test('a key is made, shown in that response only, and listed with what it may do', async () => {
  expect(await pageText(PAGE)).toContain('No program has a key yet.');
  const made = await browser.post(NEW, {
    name: 'Web shop',
    permission: 'change',
    tag: 'Menu',
    origins: ' https://shop.example/\r\n\r\nhttps://menu.example',
    days: 'd30',
    currentPassword: account.password,
  });
  expect([made.status, made.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  const html = await made.text();
  const secret = secretIn(html);
  expect(html).toContain('It is shown this one time only.');
  expect(await works(secret)).toBe(true);
  const list = await pageText(PAGE);
  expect(list).not.toContain(secret);
  for (const shown of [
    'Web shop',
    `…${secret.slice(-4)}`,
    'May read and change',
    'Menu',
    'https://shop.example, https://menu.example',
  ])
    expect(list.replaceAll('<!-- -->', '')).toContain(shown);
});

test.each([
  [{ name: '' }, 'Enter a name for the key.'],
  [{ permission: 'all' }, 'Choose what the key may do.'],
  [{ tag: 'a, b' }, 'Enter a single tag of at most 30 characters.'],
  [{ origins: 'https://a.example, *' }, 'Name each origin in full'],
  [{ days: 'soon' }, 'Choose when the key ends.'],
  [{ currentPassword: 'not the password' }, 'This is not your current password.'],
] as [Record<string, string>, string][])(
  '%j is refused in words, and keeps what was typed',
  async (change, message) => {
    const fields = {
      name: 'Web shop',
      permission: 'read',
      tag: 'Menu',
      days: 'none',
      currentPassword: account.password,
    };
    const refused = await browser.post(NEW, { ...fields, ...change });
    const html = await refused.text();
    expect([refused.status, html.includes(message)]).toEqual([422, true]);
    expect(html).toContain(`value="${change.tag ?? 'Menu'}"`);
    expect(html).not.toContain('qdr_');
    expect(html).not.toContain(account.password);
  },
);

test('the twenty-first key is refused', async () => {
  for (let made = 0; made < 20; made += 1) await makeApiKey(website.host, account);
  const refused = await browser.post(NEW, {
    name: 'One more',
    permission: 'read',
    days: 'd365',
    currentPassword: account.password,
  });
  expect([refused.status, (await refused.text()).includes('There are 20 keys already.')]).toEqual([
    409,
    true,
  ]);
});

test('a key is renewed while its present secret goes on working', async () => {
  const { id, secret } = await makeApiKey(website.host, account, { name: 'Web shop' });
  const page = `${PAGE}/${id}/renew`;
  expect(await pageText(page)).toContain('Web shop');
  const fields = { overlap: 'hour', currentPassword: account.password };
  expect((await browser.post(page, { ...fields, overlap: 'forever' })).status).toBe(422);
  expect((await browser.post(page, { ...fields, currentPassword: '' })).status).toBe(422);
  const renewed = secretIn(await (await browser.post(page, fields)).text());
  expect(renewed).not.toBe(secret);
  expect([await works(renewed), await works(secret)]).toEqual([true, true]);
  expect(await pageText(PAGE)).toContain(
    `The secret from before the renewal, which ends in ${secret.slice(-4)}`,
  );
});

test('a key is revoked after a question, once more without an error', async () => {
  const { id, secret } = await makeApiKey(website.host, account, { name: 'Web shop' });
  const page = `${PAGE}/${id}/revoke`;
  expect(await pageText(page)).toContain('Revoke this key?');
  expect(await works(secret)).toBe(true);
  for (let times = 0; times < 2; times += 1)
    expect(statusAndLocation(await browser.post(page, {}))).toEqual([303, PAGE]);
  expect(await works(secret)).toBe(false);
});

test('pages about a key of somebody else do not exist, and nothing happens to it', async () => {
  const { id, secret } = await makeApiKey(website.host, await website.host.account());
  for (const act of ['renew', 'revoke'])
    expect((await browser.open(`${PAGE}/${id}/${act}`)).status).toBe(404);
  await browser.post(`${PAGE}/${id}/revoke`, {});
  await browser.post(`${PAGE}/${id}/renew`, { overlap: 'none', currentPassword: account.password });
  expect(await works(secret)).toBe(true);
});

test('a new password revokes the keys if the box is ticked', async () => {
  const { secret } = await makeApiKey(website.host, account);
  const newPassword = 'another horse battery';
  const changed = await browser.post('/user/settings', {
    intent: 'password',
    currentPassword: account.password,
    newPassword,
    confirmPassword: newPassword,
    revokesKeys: 'on',
  });
  expect(changed.status).toBe(303);
  expect(await works(secret)).toBe(false);
});
