import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts, identities } from '#host/db/accounts.tables';
import { passkeys } from '#host/db/factors.tables';
import { setUpAuthenticator } from '../../support/authenticator';
import { openBrowser, statusAndLocation } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/settings': 'account/settings/page.tsx',
    '/user/settings/delete': 'account/settings/delete-page.tsx',
    '/user/settings/google/:id': 'account/settings/google-page.tsx',
    '/user/settings/passkeys': 'account/settings/passkeys-page.tsx',
    '/user/settings/passkeys/:id': 'account/settings/passkey-page.tsx',
  });
});
afterAll(async () => website.close());

async function addGoogle({ id: accountId, email }: TestAccount): Promise<string> {
  const id = randomUUID();
  const [issuer, createdAt] = ['https://accounts.google.com', website.host.clock.now()];
  await website.host.db.orm
    .insert(identities)
    .values({ id, issuer, subject: id, email, accountId, createdAt });
  return id;
}

async function addPasskey({ id: accountId }: TestAccount): Promise<string> {
  const [id, createdAt] = [randomUUID(), website.host.clock.now()];
  const key = { credentialId: id, publicKey: new Uint8Array([1]), counter: 0, transports: ['internal'] };
  await website.host.db.orm
    .insert(passkeys)
    .values({ ...key, id, accountId, name: 'Work laptop', createdAt });
  return id;
}

const WAYS = [
  ['google', addGoogle, '@test.example', '/user/settings', 'google_unlinked'],
  ['passkeys', addPasskey, 'Work laptop', '/user/settings/passkeys', 'passkey_removed'],
] as const;

test.each(WAYS)(
  'a sign-in method (%s) can be removed only with the password',
  async (folder, add, name, back, notice) => {
    const account = await website.host.account();
    const browser = await openBrowser(website, account);
    const page = `/user/settings/${folder}/${await add(account)}`;
    const opened = await browser.open(page);
    const html = await opened.text();
    expect(opened.status).toBe(200);
    expect(html).toContain(name);
    expect(html).toContain(`action="${page}"`);
    expect(html).toContain(`href="${back}"`);
    for (const currentPassword of ['', 'not the password']) {
      const refused = await browser.post(page, { currentPassword });
      expect(refused.status).toBe(422);
      expect(await refused.text()).toMatch(/<input(?=[^>]*name="currentPassword")[^>]*aria-invalid="true"/);
    }
    expect((await browser.open(page)).status).toBe(200);
    expect(statusAndLocation(await browser.post(page, { currentPassword: account.password }))).toEqual([
      303,
      back,
    ]);
    expect(await browser.notices()).toMatchObject([{ type: 'success', key: notice }]);
    expect((await browser.open(page)).status).toBe(404);
  },
);

test.each(WAYS)('the last sign-in method of an account (%s) cannot be removed', async (folder, add) => {
  const account = await website.host.account();
  const browser = await openBrowser(website, account);
  const page = `/user/settings/${folder}/${await add(account)}`;
  const { orm } = website.host.db;
  await orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, account.id));
  const refused = await browser.post(page, { currentPassword: '' });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain('error-summary');
  expect((await browser.open(page)).status).toBe(200);
});

test.each(WAYS)("another account's sign-in method (%s) cannot be seen or removed", async (folder, add) => {
  const [account, other] = [await website.host.account(), await website.host.account()];
  const page = `/user/settings/${folder}/${await add(account)}`;
  const browser = await openBrowser(website, other);
  expect((await browser.open(page)).status).toBe(404);
  expect((await browser.post(page, { currentPassword: other.password })).status).toBe(404);
  expect((await (await openBrowser(website, account)).open(page)).status).toBe(200);
});

const CODE = /<input(?=[^>]*name="code")[^>]*>/g;

test.each(WAYS)(
  'with two-step login a sign-in method (%s) is removed only with a code too',
  async (folder, add, name, back) => {
    const account = await website.host.account();
    const browser = await openBrowser(website, account);
    const page = `/user/settings/${folder}/${await add(account)}`;
    expect((await (await browser.open(page)).text()).match(CODE)).toBeNull();
    const { recoveryCodes } = await setUpAuthenticator(website.host, account);
    const html = await (await browser.open(page)).text();
    expect(html).toContain(name);
    expect(html.match(CODE)).toEqual([expect.stringContaining('required')]);
    const password = { currentPassword: account.password };
    const refused = await browser.post(page, password);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toMatch(/<input(?=[^>]*name="code")[^>]*aria-invalid="true"/);
    const removed = await browser.post(page, { ...password, code: recoveryCodes[0] ?? '' });
    expect(statusAndLocation(removed)).toEqual([303, back]);
  },
);

test('with two-step login the settings and the page that deletes the account ask for a code', async () => {
  const account = await website.host.account();
  const browser = await openBrowser(website, account);
  const codesOn = async (page: string) => (await (await browser.open(page)).text()).match(CODE) ?? [];
  for (const page of ['/user/settings', '/user/settings/delete']) expect(await codesOn(page)).toEqual([]);
  const { recoveryCodes } = await setUpAuthenticator(website.host, account);
  const [email, password] = await codesOn('/user/settings');
  expect([email?.includes('required'), password?.includes('required')]).toEqual([false, true]);
  expect(await codesOn('/user/settings/delete')).toHaveLength(1);

  const profile = { intent: 'profile', firstName: 'Ada', lastName: 'Byron', email: `new-${account.email}` };
  const proof = { currentPassword: account.password, code: '' };
  const refused = await browser.post('/user/settings', { ...profile, ...proof });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toMatch(/<input(?=[^>]*name="code")[^>]*aria-invalid="true"/);
  proof.code = recoveryCodes[0] ?? '';
  expect(statusAndLocation(await browser.post('/user/settings', { ...profile, ...proof }))).toEqual([
    303,
    '/user/settings',
  ]);
  const erased = { password: account.password, code: recoveryCodes[1] ?? '' };
  expect((await browser.post('/user/settings/delete', { ...erased, code: '' })).status).toBe(422);
  expect((await browser.post('/user/settings/delete', erased)).status).toBe(303);
});

test('all passkeys are removed from one page, which names them', async () => {
  const account = await website.host.account();
  const browser = await openBrowser(website, account);
  const page = '/user/settings/passkeys/all';
  expect((await browser.open(page)).status).toBe(404);
  await addPasskey(account);
  await addPasskey(account);
  const html = await (await browser.open(page)).text();
  expect(html).toContain('Work laptop, Work laptop');
  expect(html).toContain('Remove all passkeys?');
  const removed = await browser.post(page, { currentPassword: account.password });
  expect(statusAndLocation(removed)).toEqual([303, '/user/settings/passkeys']);
  expect(await browser.notices()).toMatchObject([{ type: 'success', key: 'passkeys_removed' }]);
  expect((await browser.open(page)).status).toBe(404);
});

test('a passkey that was removed elsewhere is not renamed, and the page says so', async () => {
  const account = await website.host.account();
  const browser = await openBrowser(website, account);
  const id = await addPasskey(account);
  await browser.post(`/user/settings/passkeys/${id}`, { currentPassword: account.password });
  await browser.notices();
  const renamed = await browser.post('/user/settings/passkeys', { intent: 'rename', id, name: 'Desk' });
  expect(statusAndLocation(renamed)).toEqual([303, '/user/settings/passkeys']);
  expect(await browser.notices()).toMatchObject([{ type: 'warning', key: 'passkey_gone' }]);
});
