import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createWebhookWorker } from '#host/webhooks/worker';
import { openBrowser, statusAndLocation } from '../../support/browser';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const PAGE = '/user/settings/webhooks';
const NEW = `${PAGE}/new`;
const FIELDS = {
  url: 'https://hooks.program.com/a',
  description: 'Stock system',
  code_created: 'on',
  intent: 'save',
};

let website: TestWebsite;
let account: TestAccount;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/settings/webhooks': 'account/webhooks/list-page.tsx',
    '/user/settings/webhooks/new': 'account/webhooks/new-page.tsx',
    '/user/settings/webhooks/:id': 'account/webhooks/page.tsx',
    '/user/settings/webhooks/:id/edit': 'account/webhooks/edit-page.tsx',
    '/user/settings/webhooks/:id/secret': 'account/webhooks/rotation-page.tsx',
    '/user/settings/webhooks/:id/delete': 'account/webhooks/delete-page.tsx',
  });
});
beforeEach(async () => {
  account = await website.host.account();
  browser = await openBrowser(website, account);
});
afterAll(async () => website.close());

const pageText = async (path: string) => (await (await browser.open(path)).text()).replaceAll('<!-- -->', '');

/** Adds one as its owner does; returns the path of its page. */
async function add(fields: Record<string, string> = {}): Promise<string> {
  const [status, location] = statusAndLocation(
    await browser.post(NEW, { ...FIELDS, currentPassword: account.password, ...fields }),
  );
  expect(status).toBe(303);
  return location ?? '';
}

test('a webhook is added, shown with its secret, changed, switched off and on, and deleted', async () => {
  expect(await pageText(PAGE)).toContain('No program is told anything yet.');
  const path = await add({ tag: 'Menu' });
  expect(await pageText(path)).toMatch(/value="whsec_[\w+/]{43}="/);
  const list = await pageText(PAGE);
  expect(list).not.toContain('whsec_');
  for (const shown of ['Stock system', 'https://hooks.program.com/a', 'Told: A code was made', 'Menu'])
    expect(list).toContain(shown);
  await browser.post(`${path}/edit`, { ...FIELDS, visits_hourly: 'on', description: '' });
  expect(await pageText(PAGE)).toMatch(/A code was made\u00a0· Each hour/);
  await browser.post(path, { intent: 'off' });
  expect(await pageText(PAGE)).toContain('Switched off');
  await browser.post(path, { intent: 'on' });
  expect(await pageText(PAGE)).not.toContain('Switched off');
  const deleted = await browser.post(`${path}/delete`, {});
  expect(statusAndLocation(deleted)).toEqual([303, PAGE]);
  expect((await browser.open(path)).status).toBe(404);
  expect(statusAndLocation(await browser.post(`${path}/delete`, {}))[0]).toBe(303);
});

test.each([
  [{ url: '' }, 'Enter the address of your program.', 'webhook-url'],
  [{ url: 'https://10.0.0.1/' }, 'This address cannot be reached from the internet.', 'webhook-url'],
  [{ code_created: '' }, 'Choose at least one thing that it is told.', 'webhook-code_created'],
  [{ tag: 'a, b' }, 'Enter a single tag of at most 30 characters.', 'webhook-tag'],
  [{ currentPassword: 'wrong' }, 'This is not your current password.', 'webhook-currentPassword'],
  [{ description: 'x'.repeat(101) }, 'Use at most 100 characters.', 'webhook-description'],
] as [Record<string, string>, string, string][])(
  '%o is refused, and all is kept',
  async (fields, text, id) => {
    const entered = Object.entries({ ...FIELDS, ...fields }).filter(([, value]) => value !== '');
    const refused = await browser.post(NEW, Object.fromEntries(entered));
    const html = await refused.text();
    expect(refused.status).toBe(422);
    expect(html).toContain(text);
    expect(html).toContain(`href="#${id}"`);
    expect(html).toContain(fields.description ?? 'Stock system');
  },
);

test('a form that is sent twice adds one, and the eleventh is refused', async () => {
  const path = await add({ key: 'form' });
  expect(await add({ key: 'form' })).toBe(path);
  for (let count = 1; count < 10; count += 1) await add();
  const full = await browser.post(NEW, { ...FIELDS, currentPassword: account.password });
  expect([full.status, await full.text()]).toEqual([
    409,
    expect.stringContaining('There are 10 webhooks already.'),
  ]);
});

test('another address needs the password, other changes do without', async () => {
  const path = await add();
  const moved = { ...FIELDS, url: 'https://hooks.program.com/b' };
  const refused = await browser.post(`${path}/edit`, moved);
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('Enter your password.'),
  ]);
  const saved = await browser.post(`${path}/edit`, { ...FIELDS, description: 'Shop' });
  expect(statusAndLocation(saved)).toEqual([303, path]);
  const done = await browser.post(`${path}/edit`, { ...moved, currentPassword: account.password });
  expect(statusAndLocation(done)).toEqual([303, path]);
  expect(await pageText(PAGE)).toContain('https://hooks.program.com/b');
});

test('a new secret is made once, with the password, however often its form is sent', async () => {
  const path = await add();
  const proof = { currentPassword: account.password };
  const secretOf = async () => /value="(whsec_[^"]+)"/.exec(await pageText(path))?.[1];
  const before = await secretOf();
  const refused = await browser.post(`${path}/secret`, { currentPassword: 'wrong' });
  expect([refused.status, await refused.text()]).toEqual([
    422,
    expect.stringContaining('This is not your current password.'),
  ]);
  expect(await secretOf()).toBe(before);
  for (const _ of [1, 2])
    expect(statusAndLocation(await browser.post(`${path}/secret`, proof))).toEqual([303, path]);
  const after = await secretOf();
  expect(after).not.toBe(before);
  expect(await pageText(`${path}/secret`)).not.toContain('name="currentPassword"');
  await browser.post(`${path}/secret`, proof);
  expect(await secretOf()).toBe(after);
  expect(await pageText(path)).toContain('also signed with the secret from before until');
});

test('a test and what is sent again are in the log, page by page', async () => {
  const path = await add();
  const { host } = website;
  const answered = host.deps.requestPublic;
  host.deps.requestPublic = async () => ({
    status: 500,
    headers: {},
    body: Buffer.from('<b>out of order</b>'),
  });
  await browser.post(path, { intent: 'test' });
  await createWebhookWorker(host.deps)();
  host.deps.requestPublic = answered;
  const html = await pageText(path);
  for (const shown of [
    'Not accepted',
    'Response 500 after',
    '&lt;b&gt;out of order&lt;/b&gt;',
    'sent by hand',
  ])
    expect(html).toContain(shown);
  const [, delivery = ''] = /name="delivery" value="([^"]+)"/.exec(html) ?? [];
  for (let count = 0; count < 20; count += 1) {
    const sent = statusAndLocation(await browser.post(path, { intent: 'resend', delivery }));
    expect(sent).toEqual([303, `${path}#log`]);
  }
  expect([...(await pageText(path)).matchAll(/name="delivery"/g)]).toHaveLength(20);
  expect([...(await pageText(`${path}?page=2`)).matchAll(/name="delivery"/g)]).toHaveLength(1);
  expect((await browser.post(path, { intent: 'resend', delivery: 'unknown' })).status).toBe(404);
});

test('nobody opens, changes or deletes the webhook of another account', async () => {
  const path = await add();
  const stranger = await openBrowser(website, await website.host.account());
  expect((await stranger.open(path)).status).toBe(404);
  for (const page of ['edit', 'secret', 'delete'])
    expect([page, (await stranger.open(`${path}/${page}`)).status]).toEqual([page, 404]);
  expect((await stranger.post(`${path}/secret`, {})).status).toBe(404);
  expect((await stranger.post(`${path}/edit`, FIELDS)).status).toBe(404);
  for (const intent of ['test', 'off', 'resend'])
    expect([intent, (await stranger.post(path, { intent, delivery: 'x' })).status]).toEqual([intent, 404]);
  expect((await browser.post(path, { intent: 'save' })).status).toBe(400);
  await stranger.post(`${path}/delete`, {});
  expect((await browser.open(path)).status).toBe(200);
});

test('without a running subscription the form says what is missing', async () => {
  const path = await add();
  await website.host.db.orm.execute(
    sql`update subscriptions set access_until = '2026-01-01' where account_id = ${account.id}`,
  );
  const refused = await browser.post(path, { intent: 'off' });
  expect([refused.status, await refused.text()]).toEqual([
    402,
    expect.stringContaining('Webhooks are made and changed while your subscription is running.'),
  ]);
});
