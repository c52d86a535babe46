import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts, identities } from '#host/db/accounts.tables';
import { passkeys } from '#host/db/factors.tables';
import { openBrowser, statusAndLocation } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/settings/google/:id': 'user.settings_.google.$id.tsx',
    '/user/settings/passkeys/:id': 'user.settings_.passkeys.$id.tsx',
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
