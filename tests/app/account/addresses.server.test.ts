import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { billingAddresses } from '#host/db/accounts.tables';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const HOME = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };
let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/settings': 'account/settings/page.tsx',
    '/user/settings/addresses/new': 'account/addresses/new-page.tsx',
  });
});
afterAll(async () => website.close());

function post(path: string, fields: Record<string, string>, as: { token: string }) {
  return website.browse(path, { method: 'POST', body: new URLSearchParams(fields), as });
}

test('a form posted twice adds one address', async () => {
  const as = await website.host.account();
  const html = await (await website.browse('/user/settings/addresses/new', { as })).text();
  const key = /name="key" value="([\w-]+)"/.exec(html)?.[1] ?? '';
  for (const _ of ['click', 'click']) {
    expect((await post('/user/settings/addresses/new', { ...HOME, key }, as)).status).toBe(303);
  }
  const kept = website.host.db.orm
    .select()
    .from(billingAddresses)
    .where(eq(billingAddresses.accountId, as.id));
  expect(await kept).toHaveLength(1);
});

test('an address that no longer passes validation redirects to its page instead of becoming the default', async () => {
  const as = await website.host.account();
  for (const street of ['1 rue du Papier', '2 rue du Papier']) {
    await post('/user/settings/addresses/new', { ...HOME, street }, as);
  }
  const { orm } = website.host.db;
  await orm.update(billingAddresses).set({ postalCode: 'old' }).where(eq(billingAddresses.accountId, as.id));
  const rows = await orm.select().from(billingAddresses).where(eq(billingAddresses.accountId, as.id));
  const id = rows.find(({ isDefault }) => !isDefault)?.id ?? '';
  const answer = await post('/user/settings', { intent: 'default-address', id }, as);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `/user/settings/addresses/${id}`]);
});

test('making another address the default changes nothing else about either', async () => {
  const as = await website.host.account();
  for (const street of ['1 rue du Papier', '2 rue du Papier']) {
    await post('/user/settings/addresses/new', { ...HOME, street }, as);
  }
  const listed = async () => {
    const answer = await website.host.request('/api/account/billing-addresses', { token: as.token });
    return ((await answer.json()) as { data: { id: string; street: string; is_default: boolean }[] }).data;
  };
  const [first, second] = await listed();
  expect([first?.street, first?.is_default]).toEqual(['1 rue du Papier', true]);
  const answer = await post('/user/settings', { intent: 'default-address', id: second?.id ?? '' }, as);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/user/settings']);
  expect(await listed()).toEqual([
    { ...second, is_default: true },
    { ...first, is_default: false },
  ]);
});

test("another account's address cannot be seen, changed or made the default", async () => {
  const [as, other] = [await website.host.account(), await website.host.account()];
  await post('/user/settings/addresses/new', HOME, other);
  const rows = await website.host.db.orm
    .select()
    .from(billingAddresses)
    .where(eq(billingAddresses.accountId, other.id));
  const answer = await post('/user/settings', { intent: 'default-address', id: rows[0]?.id ?? '' }, as);
  expect(answer.status).toBe(404);
});
