import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Code, ListedCode } from '#contract/codes';
import { createFromDraft } from '#host/codes/code/create';
import { NO_ROUTING } from '#host/codes/routing/routing';
import { codeChanges, codes, drafts } from '#host/db/codes.tables';
import { blockedTargets } from '#host/db/operator.tables';
import { eraseAccount } from '#host/privacy/erasure';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { logoFile } from './drawn-logo';
import { importCalls } from './import-calls';
import { jobCalls } from './job-calls';

let host: TestHost;
let account: TestAccount;
const { call, start, problems, runAll } = jobCalls(() => ({ host, account }));
const imports = importCalls(() => ({ host, account }));

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  account = await host.account();
});
afterAll(() => host.close());

const uncounted = (fields = {}) => host.code(account.id, { isCounted: false, ...fields });
const list = async (query = '') =>
  (await call<{ data: ListedCode[] }>('GET', `/api/qrcodes${query}`)).body.data;
const idsOf = async (query: string) => (await list(query)).map(({ id }) => id);

async function create(fields: Record<string, string | File>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const made = await host.request('/api/qrcodes', { method: 'POST', token: account.token, body: form });
  return { status: made.status, data: ((await made.json()) as { data: Code }).data };
}

test('a code is counted unless its creation says otherwise; one that holds its content never is not', async () => {
  const link = { type: 'link', data: 'https://destination.example/' };
  expect((await create(link)).data.counted).toBe(true);
  expect((await create({ ...link, counted: 'false' })).data.counted).toBe(false);
  const wifi = { type: 'wifi', data: 'WIFI:T:WPA;S:Guests;P:welcome-2026;;', counted: 'false' };
  expect((await create(wifi)).data.counted).toBe(true);
  expect((await create({ ...link, counted: 'perhaps' })).status).toBe(422);
});

test('the list finds uncounted codes, which are not among those never visited', async () => {
  const [counted, quiet] = [await host.code(account.id), await uncounted()];
  const archived = await uncounted();
  await call('PATCH', `/api/qrcodes/${archived.id}`, { archived: true });
  expect(await idsOf('?show=uncounted')).toEqual([quiet.id]);
  expect(await idsOf('?show=never_visited')).toEqual([counted.id]);
  const [row] = await list('?show=uncounted');
  expect(row).toMatchObject({ counted: false, recentVisits: [], visits30: 0 });
  await call('PATCH', `/api/qrcodes/${quiet.id}`, { counted: true });
  expect(await idsOf('?show=uncounted')).toEqual([]);
});

test('all with a tag are switched off and on, and each history shows it', async () => {
  const made = [];
  for (const name of ['a', 'b']) made.push(await host.code(account.id, { name, tags: ['wine'] }));
  const other = await host.code(account.id);
  const wifi = { type: 'wifi' as const, content: 'WIFI:T:WPA;S:Guests;P:welcome-2026;;', tags: ['wine'] };
  await host.code(account.id, wifi);
  const counted = async () =>
    (await list())
      .filter(({ counted }) => !counted)
      .map(({ name }) => name)
      .sort();
  const off = await start({ act: 'uncount', filter: { tag: 'wine' } });
  await runAll();
  expect(await counted()).toEqual(['a', 'b']);
  expect((await problems(off.body.data.id)).data).toMatchObject([{ reason: 'counted_in_image' }]);
  host.clock.advance(1_000);
  await start({ act: 'count', filter: { tag: 'wine' } });
  await runAll();
  expect(await counted()).toEqual([]);
  const marks = async (id = '') =>
    (await host.db.orm.select().from(codeChanges).where(eq(codeChanges.codeId, id))).length;
  expect([await marks(made[0]?.id), await marks(other.id)]).toEqual([2, 0]);
});

describe('a code ends after a number of visits only if they are counted', () => {
  const patch = async (id: string, body: object) => {
    const answer = await call<{ errors?: object }>('PATCH', `/api/qrcodes/${id}`, body);
    return answer.body.errors ?? answer.status;
  };
  const refusedEnd = { 'routing/end/visits': ['end_uncounted'] };
  const refusedCounting = { counted: ['counted_for_end'] };
  const end = { at: '2026-05-01T00:00:00Z', visits: 9 };

  test('so one that is not counted cannot have such an end, and one that has it stays counted', async () => {
    const { id } = await uncounted();
    expect(await patch(id, { routing: { end } })).toEqual(refusedEnd);
    expect(await patch(id, { counted: true, routing: { end } })).toBe(200);
    expect(await patch(id, { counted: false })).toEqual(refusedCounting);
    expect(await patch(id, { counted: false, routing: { end: { ...end, visits: 10 } } })).toEqual(refusedEnd);
    expect(await patch(id, { counted: false, routing: { end: { ...end, visits: null } } })).toBe(200);
    const read = await call<{ data: { changes: { field: string; before: string }[] } }>(
      'GET',
      `/api/qrcodes/${id}`,
    );
    const change = read.body.data.changes.find(({ field, before }) => field === 'end' && before !== '');
    expect(await patch(id, { routing: { end: JSON.parse(change?.before ?? '') } })).toEqual(refusedEnd);
  });

  test('nor by an act on many codes', async () => {
    const [limited, other] = [await host.code(account.id), await host.code(account.id)];
    await patch(limited.id, { routing: { end } });
    const ids = [limited.id, other.id];
    const off = await start({ act: 'uncount', ids });
    expect(off.body.data).toMatchObject({ succeeded: 1, failed: 1 });
    expect((await problems(off.body.data.id)).data).toMatchObject([
      { codeId: limited.id, reason: 'counted_for_end' },
    ]);
    expect(await idsOf('?show=uncounted')).toEqual([other.id]);
  });

  test('one from before this was refused can be changed otherwise, and is copied without the number', async () => {
    const stored = {
      message: '',
      target: null,
      route: 0,
      reachedAt: null,
      noticedAt: null,
      setAt: START.toISOString(),
    };
    const { id } = await uncounted({ routing: { ...NO_ROUTING, end: { ...stored, ...end } } });
    expect(await patch(id, { name: 'Cellar', routing: { end: { ...end, message: 'over' } } })).toBe(200);
    const copyOf = async () =>
      (await call<{ data: Code }>('POST', `/api/qrcodes/${id}/copies`, {})).body.data;
    expect((await copyOf()).routing?.end).toEqual({ at: end.at.replace('Z', '.000Z'), visits: null });
    expect(await patch(id, { routing: { end: { visits: 9 } } })).toBe(200);
    expect((await copyOf()).routing).toBeNull();
  });
});

test('a file to import may have a column for it', async () => {
  const { data } = await imports.upload(
    'content,counted\nhttps://a.example/,no\nhttps://b.example/,ja\nhttps://c.example/,\nhttps://d.example/,perhaps\n',
  );
  expect(data.problems).toMatchObject([{ row: 5, field: 'counted', reason: 'counted_invalid' }]);
  await imports.start(data.id);
  await imports.run();
  expect((await imports.own()).map(({ content, isCounted }) => [content, isCounted])).toEqual([
    ['https://a.example/', false],
    ['https://b.example/', true],
    ['https://c.example/', true],
  ]);
});

test('exports say it, and statistics say how many codes are in no figure', async () => {
  const [code] = [await uncounted({ tags: ['wine'] }), await host.code(account.id)];
  const csv = await (await host.request('/api/qrcodes/codes.csv', { token: account.token })).text();
  expect(csv.split('\r\n')[0]).toMatch(/,counted,/);
  expect(csv).toMatch(/,false,,,,,,,[^,]*\r\n/);
  const exported = await (await host.request('/api/account/export', { token: account.token })).text();
  expect(exported).toContain('"counted":false');
  const stats = async (body: object) =>
    (await call<{ data: { uncounted: number } }>('POST', '/api/qrcodes/stats', body)).body.data.uncounted;
  expect(await stats({})).toBe(1);
  expect(await stats({ tag: 'wine' })).toBe(1);
  expect(await stats({ code: code.id })).toBe(1);
  const visits = await call<{ data: object }>('GET', `/api/qrcodes/${code.id}/visits`);
  expect(visits.body.data).toMatchObject({ health: 'uncounted', total: 0, recentVisits: [] });
});

test('a design saved before there was an account keeps it', async () => {
  const visitor = 'a key of one browser, long enough';
  const form = new FormData();
  const fields = { type: 'link', content: 'https://destination.example/', uncounted: true };
  form.set('visitor', visitor);
  form.set('fields', JSON.stringify(fields));
  const saved = (await (await host.request('/api/drafts', { method: 'POST', body: form })).json()) as {
    data: { id: string; fields: object };
  };
  expect(saved.data.fields).toMatchObject({ uncounted: true });
  const id = await host.db.orm.transaction((orm) =>
    createFromDraft(orm, host.deps, account.id, saved.data.id, host.clock.now()),
  );
  const [made] = await host.db.orm
    .select()
    .from(codes)
    .where(eq(codes.id, id ?? ''));
  expect(made?.isCounted).toBe(false);
  expect(await host.db.orm.$count(drafts, eq(drafts.id, saved.data.id))).toBe(0);
});

test('printed codes never die: after an erasure uncounted link codes lead on, as if they had been visited', async () => {
  const [unknown, hidden, unvisited] = [
    await uncounted(),
    await uncounted({ visibility: 'private' }),
    await host.code(account.id),
  ];
  await eraseAccount(host.deps, account.id, { now: host.clock.now(), keepsLinks: true });
  const leads = async ({ slug }: { slug: string }) =>
    (await host.request(`/r/${slug}`)).headers.get('location') === 'https://destination.example/';
  await expect.poll(async () => leads(unvisited)).toBe(false);
  expect([await leads(unknown), await leads(hidden)]).toEqual([true, false]);
});

test('another code like one has everything but its address, its history and its visits', async () => {
  const { data: original } = await create({
    type: 'email',
    data: 'cellar@shop.example',
    parameters: JSON.stringify({ subject: 'Label', body: 'Hello', style: { moduleShape: 'dots' } }),
    logo: logoFile('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h7v7z"/></svg>'),
    isPublic: 'false',
    counted: 'false',
    name: 'Cellar',
    tags: 'wine, 2026',
  });
  const copy = (body: object) =>
    call<{ data: Code }>('POST', `/api/qrcodes/${original.id}/copies`, body).then(({ body }) => body.data);
  const key = randomUUID();
  const made = await copy({ key });
  const { id, link, scanLink, ...others } = original;
  expect(made).toMatchObject(others);
  expect([made.id, made.link, made.scanLink]).not.toEqual([id, link, scanLink]);
  expect(await copy({ key })).toEqual(made);
  const named = await copy({ name: 'Cellar (copy)' });
  expect([named.id === made.id, named.name]).toEqual([false, 'Cellar (copy)']);
  expect(await list()).toHaveLength(3);
  const tags = await call<{ data: object[] }>('GET', '/api/tags');
  expect(tags.body.data).toMatchObject([
    { tag: '2026', codes: 3 },
    { tag: 'wine', codes: 3 },
  ]);
});

test('what may no longer be created, or belongs to others, is not copied', async () => {
  const own = await host.code(account.id, { content: 'https://www.quadrille.example/l/ABCDEFGH' });
  const copy = (id: string, token?: string) => call('POST', `/api/qrcodes/${id}/copies`, {}, token);
  expect((await copy(own.id)).status).toBe(422);
  expect((await copy(own.id, (await host.account()).token)).status).toBe(404);
  await call('DELETE', `/api/qrcodes/${own.id}`);
  expect(await copy(own.id)).toMatchObject({ status: 404, body: { code: 'code_deleted' } });
});

test.each([
  ['rules', { rules: [{ variants: [{ target: 'https://shop.later-blocked.example/', percent: 100 }] }] }],
  ['schedule', { schedule: { at: '2027-01-01T00:00:00Z', target: 'https://later-blocked.example/' } }],
  ['end', { end: { visits: 9, target: 'https://later-blocked.example/' } }],
])('nor is a code whose %s leads to a host that was blocked since', async (_, routing) => {
  const { id } = await host.code(account.id);
  expect((await call('PATCH', `/api/qrcodes/${id}`, { routing })).status).toBe(200);
  await host.db.orm.insert(blockedTargets).values({ host: 'later-blocked.example', at: host.clock.now() });
  expect(await call('POST', `/api/qrcodes/${id}/copies`, {})).toMatchObject({
    status: 422,
    body: { errors: { routing: ['link_blocked'] } },
  });
  await host.db.orm.delete(blockedTargets);
  expect((await call('POST', `/api/qrcodes/${id}/copies`, {})).status).toBe(201);
});
