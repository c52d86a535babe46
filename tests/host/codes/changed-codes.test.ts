import { randomUUID } from 'node:crypto';
import { eq, inArray, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Code } from '#contract/codes';
import { DAY_MS } from '#contract/time';
import { changeCode } from '#host/codes/code/change';
import { emptyDeletedCodes } from '#host/codes/code/deletion';
import { runDueRouting } from '#host/codes/routing/due-work';
import { codeChanges, codes, logos } from '#host/db/codes.tables';
import { readRows } from '#host/db/orm';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { activitiesOf, listCodes, postCode } from './posted-codes';
import { routingCalls } from './routing-calls';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
});
afterAll(() => host.close());

const create = (fields: Record<string, string | Blob>, token = account.token) =>
  postCode(host, token, fields);

test('the logo of a code is a private picture, and a code without one has none', async () => {
  const [plain, drawn] = [await host.code(account.id), await host.code(account.id)];
  const logoId = randomUUID();
  const png = new Uint8Array([1, 2]);
  await host.db.orm.insert(logos).values({ id: logoId, name: 'a.png', png, createdAt: host.clock.now() });
  await host.db.orm.update(codes).set({ logoId }).where(eq(codes.id, drawn.id));
  const read = (id: string) => host.request(`/api/qrcodes/${id}/logo`, { token: account.token });
  expect((await read(plain.id)).status).toBe(404);
  const picture = await read(drawn.id);
  expect(new Uint8Array(await picture.arrayBuffer())).toEqual(png);
  expect(picture.headers.get('content-type')).toBe('image/png');
  expect(picture.headers.get('cache-control')).toBe('private, max-age=3600');
});

test('the same change or deletion is recorded once, even when sent concurrently', async () => {
  const other = await host.account();
  const { id } = await host.code(other.id);
  const at = (method: string, body?: string) =>
    host.request(`/api/qrcodes/${id}`, { method, token: other.token, ...(body && { body }) });
  const change = () => at('PATCH', '{"content":"https://second.example/","visibility":"private"}');
  expect((await Promise.all([change(), change(), change()])).map(({ status }) => status)).toEqual([
    200, 200, 200,
  ]);
  const history = await host.db.orm.select().from(codeChanges).where(eq(codeChanges.codeId, id));
  expect(history.map(({ field }) => field).sort()).toEqual(['content', 'visibility']);
  expect(await activitiesOf(host, other.id)).toEqual(['qrcode_update']);
  const removed = await Promise.all([at('DELETE'), at('DELETE')]);
  expect(removed.map(({ status }) => status)).toEqual([200, 200]);
  expect(await activitiesOf(host, other.id)).toEqual(['qrcode_delete', 'qrcode_update']);
});

test('a change comes after a scheduled target whose moment has come, though nobody has looked yet', async () => {
  const owner = await host.account();
  const { id } = await host.code(owner.id);
  const calls = routingCalls(host, owner.token);
  const at = new Date(host.clock.now().getTime() + 60_000).toISOString();
  const target = 'https://next.example/';
  await calls.update(id, { schedule: { at, target } });
  host.clock.advance(61_000);
  const content = 'https://newer.example/';
  expect((await calls.send('PATCH', id, { content })).status).toBe(200);
  await runDueRouting(host.deps, host.clock.now());
  const { code, routing } = await calls.read(id);
  expect([code.content, routing.schedule]).toEqual([content, null]);
  const changes = await calls.changes(id);
  expect(changes.filter(({ field }) => field === 'content')).toEqual([
    { at: host.clock.now().toISOString(), field: 'content', before: target, after: content },
    { at, field: 'content', before: 'https://destination.example/', after: target },
  ]);
});

test('concurrent changes of different fields of an e-mail code are all kept', async () => {
  const other = await host.account();
  const { id } = await host.code(other.id, { type: 'email', content: 'ada@shop.example' });
  const wanted = { content: 'bob@shop.example', subject: 'Order', body: 'Hello', name: 'Shop' };
  const own = { accountId: other.id, id };
  let sent: Promise<Response[]> | undefined;
  await host.db.orm.transaction(async (transaction) => {
    await changeCode(transaction, own, { visibility: 'private' }, host.clock.now());
    const changes = Object.entries(wanted).map(([field, value]) => JSON.stringify({ [field]: value }));
    sent = Promise.all(
      changes.map((body) =>
        host.request(`/api/qrcodes/${id}`, { method: 'PATCH', token: other.token, body }),
      ),
    );
    const waiting = sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await readRows(host.db.orm, waiting)).length).toBe(changes.length);
  });
  expect((await sent)?.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const [row] = await host.db.orm.select().from(codes).where(eq(codes.id, id));
  expect(row).toMatchObject({ ...wanted, visibility: 'private' });
});

test('two different concurrent changes are both in the history, each with the value it replaced', async () => {
  const other = await host.account();
  const { id, content } = await host.code(other.id);
  const change = (address: string) =>
    host.request(`/api/qrcodes/${id}`, {
      method: 'PATCH',
      token: other.token,
      body: JSON.stringify({ content: address }),
    });
  const addresses = ['https://second.example/', 'https://third.example/'];
  await Promise.all(addresses.map(change));
  const history = await host.db.orm.select().from(codeChanges).where(eq(codeChanges.codeId, id));
  const last = (await listCodes(host, other.token)).data[0]?.content ?? '';
  const first = addresses.find((address) => address !== last);
  expect(new Set(history.map(({ before, after }) => [before, after].join(' → ')))).toEqual(
    new Set([`${content} → ${first}`, `${first} → ${last}`]),
  );
});

test('changes are recorded in the history, and invalid ones are refused', async () => {
  const { id } = await host.code(account.id);
  const change = (body: object) =>
    host.request(`/api/qrcodes/${id}`, { method: 'PATCH', token: account.token, body: JSON.stringify(body) });
  host.clock.advance(1000);
  expect((await change({ content: 'https://next.example/' })).status).toBe(200);
  expect((await change({ content: 'https://next.example/' })).status).toBe(200);
  expect((await change({ content: 'javascript:x' })).status).toBe(422);
  expect((await change({ visibility: 'secret' })).status).toBe(422);
  const response = await host.request(`/api/qrcodes/${id}`, { token: account.token });
  const { data } = (await response.json()) as { data: { code: Code; changes: unknown[] } };
  expect(data.code.content).toBe('https://next.example/');
  expect(data.changes).toMatchObject([
    { field: 'content', before: 'https://destination.example/', after: 'https://next.example/' },
  ]);
  const wifi = await host.code(account.id, { type: 'wifi', content: 'WIFI:T:nopass;S:x;;' });
  const fixed = await host.request(`/api/qrcodes/${wifi.id}`, {
    method: 'PATCH',
    token: account.token,
    body: '{"content":"y"}',
  });
  expect(await fixed.json()).toMatchObject({ errors: { content: ['wifi_fixed'] } });
});

test('a code keeps the newest 500 changes, fewer if they are long, and no logo that only older ones show', async () => {
  const { orm } = host.db;
  const { id } = await host.code(account.id);
  const at = host.clock.now();
  const [old, recent] = [randomUUID(), randomUUID()];
  const own = { accountId: account.id, png: new Uint8Array([1]), createdAt: at };
  await orm.insert(logos).values([old, recent].map((logo) => ({ ...own, id: logo, name: 'a.png' })));
  const insert = (count: number, change: Partial<typeof codeChanges.$inferInsert>) =>
    orm.insert(codeChanges).values(
      Array.from({ length: count }, (_, age) => {
        const row = { id: randomUUID(), codeId: id, field: 'name' as const, before: '', after: '' };
        return { ...row, at: new Date(at.getTime() - 1000 * (age + 1)), ...change };
      }),
    );
  const logoOf = (logo: string) => JSON.stringify({ id: logo, kind: 'upload', name: 'a.png' });
  await insert(600, {});
  for (const [logo, seconds] of [
    [old, 550],
    [recent, 5],
  ] as const) {
    const shown = {
      field: 'logo' as const,
      before: logoOf(logo),
      at: new Date(at.getTime() - 1000 * seconds),
    };
    await insert(1, shown);
  }
  const rename = (name: string) =>
    host.request(`/api/qrcodes/${id}`, {
      method: 'PATCH',
      token: account.token,
      body: JSON.stringify({ name }),
    });
  const ownChanges = eq(codeChanges.codeId, id);
  await rename('one');
  expect(await orm.$count(codeChanges, ownChanges)).toBe(500);
  const kept = await orm
    .select({ id: logos.id })
    .from(logos)
    .where(inArray(logos.id, [old, recent]));
  expect(kept).toEqual([{ id: recent }]);

  host.clock.advance(1000);
  await insert(3, { after: 'x'.repeat(400_000), at: host.clock.now() });
  host.clock.advance(1000);
  await rename('two');
  expect(await orm.$count(codeChanges, ownChanges)).toBe(3);
});

test('a change leaves fields alone that it does not name', async () => {
  const { id } = await host.code(account.id, {
    type: 'email',
    content: 'a@b.example',
    subject: 'Hi',
    body: 'Ho',
  });
  const request = { method: 'PATCH', token: account.token, body: '{"content":"c@d.example"}' };
  const changed = await (await host.request(`/api/qrcodes/${id}`, request)).json();
  expect(changed.data).toMatchObject({ content: 'c@d.example', subject: 'Hi', body: 'Ho' });
});

test('the slug of a deleted code is never reused', async () => {
  const { id, slug } = await host.code(account.id);
  await host.request(`/api/qrcodes/${id}`, { method: 'DELETE', token: account.token });
  await expect(host.code(account.id, { slug })).rejects.toThrow();
});

test('30 days after its deletion a code keeps only its slug: no content, no history, no logo', async () => {
  const { orm } = host.db;
  const [dot, kept] = ['one.gif', 'two.gif'].map(
    (name) => new File([Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=', 'base64')], name),
  ) as [File, File];
  const parameters = '{"subject":"A secret matter","body":"Dear Ada"}';
  const { body } = await create({ type: 'email', data: 'ada@shop.example', parameters, logo: dot });
  const other = await create({ logo: kept });
  const { id, link } = body.data;
  const path = `/api/qrcodes/${id}`;
  const change = JSON.stringify({ content: 'bea@shop.example', body: 'Dear Bea' });
  await host.request(path, { method: 'PATCH', token: account.token, body: change });
  const history = () => orm.select().from(codeChanges).where(eq(codeChanges.codeId, id));
  expect(await history()).toHaveLength(2);
  await host.request(path, { method: 'DELETE', token: account.token });
  const later = new Date(host.clock.now().getTime() + 30 * DAY_MS);
  await emptyDeletedCodes(orm, later, new AbortController().signal);
  expect(await orm.select().from(codes).where(eq(codes.id, id))).toMatchObject([
    {
      content: '',
      subject: '',
      body: '',
      logoId: null,
      logoPreset: null,
      eraseAt: null,
      slug: link.slice(-8),
    },
  ]);
  expect(await history()).toEqual([]);
  const names = (await orm.select({ name: logos.name }).from(logos)).map(({ name }) => name);
  expect(names).toContain('two.gif');
  expect(names).not.toContain('one.gif');
  expect((await host.request(`/api/qrcodes/${other.body.data.id}`, { token: account.token })).status).toBe(
    200,
  );
  const exported = await host.request('/api/account/export', { token: account.token });
  expect(await exported.text()).not.toMatch(/secret matter|Dear (?:Ada|Bea)|bea@shop/);
});

test('only its owner learns that a code was deleted and when, and deleting it again changes nothing', async () => {
  const [owner, stranger] = [await host.account(), await host.account()];
  const { id } = await host.code(owner.id);
  const path = `/api/qrcodes/${id}`;
  const ask = (method: string, token: string, rest = '') =>
    host.request(path + rest, {
      method,
      token,
      ...(method === 'PATCH' && { body: '{"visibility":"private"}' }),
    });
  expect((await ask('GET', owner.token, '/deletion')).status).toBe(404);
  expect((await ask('DELETE', stranger.token)).status).toBe(404);
  expect((await ask('DELETE', owner.token)).status).toBe(200);
  expect((await ask('DELETE', owner.token)).status).toBe(200);
  for (const [method, rest] of [
    ['GET', ''],
    ['PATCH', ''],
    ['GET', '/logo'],
  ] as const) {
    expect(await (await ask(method, owner.token, rest)).json()).toMatchObject({ code: 'code_deleted' });
    expect(await (await ask(method, stranger.token, rest)).json()).toMatchObject({ code: 'not_found' });
  }
  const deletion = await (await ask('GET', owner.token, '/deletion')).json();
  const restorableUntil = new Date(host.clock.now().getTime() + 30 * DAY_MS).toISOString();
  expect(deletion).toEqual({ data: { deletedAt: host.clock.now().toISOString(), restorableUntil } });
  expect((await ask('GET', stranger.token, '/deletion')).status).toBe(404);
  expect((await ask('DELETE', stranger.token)).status).toBe(404);
});
