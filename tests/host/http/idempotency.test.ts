import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { codes } from '#host/db/codes.tables';
import { idempotentRequests } from '#host/db/keys.tables';
import { dropOldAccountData } from '#host/privacy/account-retention';
import { makeApiKey } from '../../support/api-keys';
import { account, call, host, secret, setUpProgram } from '../../support/program';

const DAY = 24 * 3_600_000;

setUpProgram();

const link = (content = 'https://a.example/') => ({ type: 'link', content });
const create = (body: unknown, headers = {}, token = secret) => call('POST', '/codes', body, headers, token);
const countCodes = () => host.db.orm.$count(codes, eq(codes.accountId, account.id));

const once = (key: string) => ({ 'Idempotency-Key': key });

test('a creation with an idempotency key takes effect once', async () => {
  const first = await create({ type: 'link', content: 'https://a.example/' }, once('order-1'));
  const again = await create('{ "content":"https://a.example/", "type":"link" }', once('"order-1"'));
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(await countCodes()).toBe(1);
});

test('the same idempotency key with another body, at another address, of another key', async () => {
  await create(link(), once('order-1'));
  const other = await create(link('https://b.example/'), once('order-1'));
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
  const job = { act: 'archive', filter: {} };
  expect((await call('POST', '/jobs', job, once('order-1'))).status).toBe(201);
  const { secret: second } = await makeApiKey(host, account);
  expect((await create(link('https://b.example/'), once('order-1'), second)).status).toBe(201);
  expect(await countCodes()).toBe(2);
});

test('refusals are not stored, neither those of the body nor later ones', async () => {
  expect((await create(link(''), once('k'))).status).toBe(422);
  const unknown = { ...link(), logo: { kind: 'preset', name: 'nothing.svg' } };
  expect((await create(unknown, once('k'))).status).toBe(422);
  expect(await host.db.orm.$count(idempotentRequests, eq(idempotentRequests.idempotencyKey, 'k'))).toBe(0);
  expect((await create(link(), once('k'))).status).toBe(201);
});

test('of simultaneous requests with one key, one takes effect', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => create(link(), once('at once'))));
  const statuses = all.map(({ status }) => status);
  expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
  expect(await countCodes()).toBe(1);
  const running = all.find(({ status }) => status === 409);
  if (running)
    expect([running.body.code, running.headers.get('retry-after')]).toEqual(['idempotency_running', '1']);
});

test('a request that is still running is told so, and one cut off with its host is done once', async () => {
  await create(link(), once('cut'));
  const isIt = eq(idempotentRequests.idempotencyKey, 'cut');
  await host.db.orm.update(idempotentRequests).set({ status: null, body: null }).where(isIt);
  expect((await create(link(), once('cut'))).body.code).toBe('idempotency_running');
  host.clock.advance(60_000);
  expect((await create(link(), once('cut'))).status).toBe(201);
  expect(await countCodes()).toBe(1);
});

test('a creation that failed after it took effect does so once', async () => {
  const { orm } = host.db;
  await orm.execute(sql`alter table activities add constraint failing check (false) not valid`);
  expect((await create(link(), once('lost'))).status).toBe(500);
  await orm.execute(sql`alter table activities drop constraint failing`);
  expect((await create(link(), once('lost'))).body.code).toBe('idempotency_running');
  host.clock.advance(60_000);
  expect((await create(link(), once('lost'))).status).toBe(201);
  expect(await countCodes()).toBe(1);
});

test('a stored answer does not show the secret in it, and is given again whole', async () => {
  const webhook = { url: 'https://receiver.example/', events: ['code.created'] };
  const made = await call('POST', '/webhooks', webhook, once('hook'));
  const given = made.body.data.secret as string;
  expect(given).toMatch(/^whsec_/);
  expect(JSON.stringify(await host.db.orm.select().from(idempotentRequests))).not.toContain(given);
  expect((await call('POST', '/webhooks', webhook, once('hook'))).text).toBe(made.text);
});

test('answers are kept for a day', async () => {
  await create(link(), once('k'));
  host.clock.advance(DAY);
  expect((await create(link(), once('k'))).headers.get('idempotent-replayed')).toBe('true');
  host.clock.advance(1);
  expect((await create(link(), once('k'))).headers.get('idempotent-replayed')).toBeNull();
  expect(await countCodes()).toBe(2);
  host.clock.advance(DAY + 1);
  await dropOldAccountData(host.deps, host.clock.now());
  expect(await host.db.orm.$count(idempotentRequests)).toBe(0);
});

test.each(['', 'é', 'x'.repeat(256), 'a"b'])('%j is no idempotency key', async (key) => {
  expect((await create(link(), { 'Idempotency-Key': encodeURI(key) === key ? key : '\u00e9' })).status).toBe(
    400,
  );
});

test('an idempotency key may have 255 characters', async () => {
  expect((await create(link(), once('x'.repeat(255)))).status).toBe(201);
});

test('the file of an import counts by its contents', async () => {
  const sendFile = (content: string) => {
    const form = new FormData();
    form.set('file', new File([content], 'codes.csv'));
    return host.request('/api/v1/imports', {
      method: 'POST',
      body: form,
      token: secret,
      headers: once('file'),
    });
  };
  const first = await (await sendFile('url\nhttps://a.example/\n')).json();
  expect(await (await sendFile('url\nhttps://a.example/\n')).json()).toEqual(first);
  expect((await sendFile('url\nhttps://b.example/\n')).status).toBe(422);
});

test.each([
  ['/codes', link()],
  ['/looks', { name: 'Terrace', style: {} }],
  ['/jobs', { act: 'archive', filter: {} }],
])('dry_run checks a creation at %s, and makes nothing', async (path, body) => {
  await host.code(account.id);
  const before = await stateOf();
  const tried = await call('POST', `${path}?dry_run=true`, body, once('dry'));
  expect([tried.status, tried.body]).toMatchObject([200, { data: null, dryRun: true }]);
  expect(await stateOf()).toEqual(before);
  expect((await call('POST', `${path}?dry_run=true`, {})).status).toBe(422);
  expect((await call('POST', `${path}?dry_run=perhaps`, body)).body.errors).toMatchObject([
    { pointer: '?dry_run' },
  ]);
  expect((await call('POST', `${path}?dry_run=false`, body)).status).toBe(201);
});

test('dry_run checks files, imports and limits, and makes nothing', async () => {
  const send = (path: string, name: string, file: File) => {
    const form = new FormData();
    form.set(name, file);
    return host.request(`/api/v1${path}`, { method: 'POST', body: form, token: secret });
  };
  const csv = new File(['url\nhttps://a.example/\n'], 'codes.csv');
  const svg = new File(
    ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'],
    'a.svg',
  );
  const { id } = (await (await send('/imports', 'file', csv)).json()).data;
  const before = await stateOf();
  for (const tried of [
    await send('/imports?dry_run=true', 'file', csv),
    await send('/logos?dry_run=true', 'logo', svg),
    await host.request(`/api/v1/imports/${id}/start?dry_run=true`, {
      method: 'POST',
      token: secret,
      body: '{}',
    }),
  ])
    expect([tried.status, await tried.json()]).toMatchObject([200, { data: null, dryRun: true }]);
  expect(await stateOf()).toEqual(before);
  const many = Array.from({ length: 10 }, (_, index) => `t${index}`);
  for (let page = 0; page < 20; page += 1)
    await host.code(account.id, { tags: many.map((tag) => `${page}${tag}`) });
  const full = await call('POST', '/codes?dry_run=true', { ...link(), tags: ['one more'] });
  expect(full.body.errors).toMatchObject([{ pointer: '/tags', code: 'account_tags_too_many' }]);
});

async function stateOf() {
  const [listed, looks, jobs, tags] = await Promise.all(
    ['/codes', '/looks', '/jobs', '/tags'].map((path) => call('GET', path)),
  );
  return [listed, looks, jobs, tags].map((one) => one?.body);
}
