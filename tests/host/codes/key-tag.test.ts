import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runDueJobs } from '#host/codes/bulk/run';
import { makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

let host: TestHost;
let account: TestAccount;
let secret: string;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
  ({ secret } = await makeApiKey(host, account, { tag: 'Menu' }));
});
afterAll(() => host.close());

const call = (method: string, path: string, body?: unknown, token = secret) =>
  send(host, method, `/api/v1${path}`, body, { token });
const idsOf = async (path: string) =>
  ((await call('GET', path)).body.data as { id: string }[]).map(({ id }) => id);
const tagsOf = async (id: string) => {
  const { body } = await send(host, 'GET', `/api/qrcodes/${id}`, undefined, { token: account.token });
  return (body.data as { code: { tags: string[] } }).code.tags;
};
const create = async (body: object) => {
  const made = await call('POST', '/codes', { type: 'link', content: 'https://a.example/', ...body });
  return { ...made, data: made.body.data as { id: string; tags: string[] } };
};

test('while no code has the tag there is nothing, and the first made code gets it', async () => {
  await host.code(account.id, { tags: ['Other'] });
  expect(await idsOf('/codes?show=all')).toEqual([]);
  expect((await call('GET', '/tags')).body.data).toEqual([]);
  const made = await create({ tags: ['Terrace'] });
  expect([made.status, made.data.tags]).toEqual([201, ['Terrace', 'Menu']]);
  expect(await idsOf('/codes')).toEqual([made.data.id]);
});

test('a key finds a tag that was dropped and made again, in any spelling', async () => {
  const first = await create({});
  await call('DELETE', `/codes/${first.data.id}`);
  expect(await idsOf('/codes')).toEqual([]);
  const { id } = await host.code(account.id, { tags: ['MENÜ', 'ｍｅｎｕ'] });
  expect(await idsOf('/codes')).toEqual([id]);
});

test('lists, selections and searches hold only codes with the tag', async () => {
  const inside = (await host.code(account.id, { tags: ['Menu'], name: 'Same' })).id;
  const outside = (await host.code(account.id, { tags: ['Other'], name: 'Same' })).id;
  expect(await idsOf('/codes?search=same')).toEqual([inside]);
  expect(await idsOf('/codes?tag=other')).toEqual([]);
  for (const body of [{}, { search: 'Same' }, { ids: [outside, inside] }]) {
    const { data, meta } = (await call('POST', '/codes/selection', body)).body as unknown as {
      data: { id: string }[];
      meta: { total: number };
    };
    expect([data.map(({ id }) => id), meta]).toEqual([[inside], { total: 1 }]);
  }
  const csv = await host.request('/api/v1/codes.csv', { token: secret });
  const text = await csv.text();
  expect([text.includes(inside), text.includes(outside)]).toEqual([true, false]);
});

test('the tags of other codes stay unknown', async () => {
  await host.code(account.id, { tags: ['Menu', 'Terrace'] });
  await host.code(account.id, { tags: ['Secret', 'Terrace'] });
  expect((await call('GET', '/tags')).body.data).toEqual([
    { tag: 'Menu', codes: 1, archived: 0 },
    { tag: 'Terrace', codes: 1, archived: 0 },
  ]);
});

test('the tag cannot be taken away by the key, and a code that loses it is gone', async () => {
  const { data } = await create({});
  const changed = await call('PATCH', `/codes/${data.id}`, { tags: ['Terrace'] });
  expect((changed.body.data as { tags: string[] }).tags).toEqual(['Terrace', 'Menu']);
  const ten = Array.from({ length: 10 }, (_, index) => `t${index}`);
  const full = await call('PATCH', `/codes/${data.id}`, { tags: ten });
  expect([full.status, full.body.errors]).toMatchObject([422, [{ pointer: '/tags', code: 'tags_too_many' }]]);
  const untagged = await call('POST', '/jobs', { act: 'untag', tag: 'ménu', ids: [data.id] });
  expect([untagged.status, untagged.body.errors]).toMatchObject([
    422,
    [{ pointer: '/tag', code: 'tag_of_key' }],
  ]);
  expect(await tagsOf(data.id)).toEqual(['Terrace', 'Menu']);
  const owner = { token: account.token };
  await send(host, 'PATCH', `/api/qrcodes/${data.id}`, { tags: ['Terrace'] }, owner);
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect(
      (await call(method, `/codes/${data.id}`, method === 'PATCH' ? { name: 'x' } : undefined)).status,
    ).toBe(404);
  expect(await tagsOf(data.id)).toEqual(['Terrace']);
});

test('a job acts only on codes with the tag, named or found', async () => {
  const inside = (await host.code(account.id, { tags: ['Menu'] })).id;
  const outside = (await host.code(account.id)).id;
  const named = await call('POST', '/jobs', { act: 'archive', ids: [inside, outside] });
  expect(named.body.data).toMatchObject({ total: 2, succeeded: 1, failed: 1 });
  const { id } = named.body.data as { id: string };
  const problems = await call('GET', `/jobs/${id}/problems`);
  expect(problems.body.data).toMatchObject([{ codeId: outside, code: null, reason: 'not_found' }]);
  const found = await call('POST', '/jobs', { act: 'delete', filter: { show: 'all' }, expected: 1 });
  expect(found.body.data).toMatchObject({ total: 1 });
  expect(await idsOf('/jobs')).toHaveLength(2);
});

test('jobs of others stay unknown, and a code that loses the tag before its turn is left alone', async () => {
  const { id } = await host.code(account.id, { tags: ['Menu'] });
  const owner = { token: account.token };
  await send(host, 'POST', '/api/jobs', { act: 'archive', filter: {} }, owner);
  expect(await idsOf('/jobs')).toEqual([]);
  const started = await call('POST', '/jobs', { act: 'delete', filter: { show: 'all' } });
  await send(host, 'PATCH', `/api/qrcodes/${id}`, { tags: [] }, owner);
  await runDueJobs(host.deps, new AbortController().signal);
  const job = (await call('GET', `/jobs/${(started.body.data as { id: string }).id}`)).body.data;
  expect(job).toMatchObject({ status: 'done', succeeded: 0, failed: 1 });
  expect((await send(host, 'GET', `/api/qrcodes/${id}`, undefined, owner)).status).toBe(200);
});

test('an import gives its codes the tag, and does not tell what other codes hold', async () => {
  await host.code(account.id, { content: 'https://known.example/' });
  const form = new FormData();
  form.set(
    'file',
    new File(['url,tags\nhttps://known.example/,\nhttps://new.example/,Terrace\n'], 'codes.csv'),
  );
  const sent = await host.request('/api/v1/imports', { method: 'POST', body: form, token: secret });
  const { data: report } = await sent.json();
  expect(report).toMatchObject({ valid: 2, duplicateCount: 0 });
  const started = await call('POST', `/imports/${report.id}/start`, {});
  await runDueJobs(host.deps, new AbortController().signal);
  const { id } = started.body.data as { id: string };
  const job = (await call('GET', `/jobs/${id}`)).body.data as { codeIds: string[] };
  expect(job.codeIds).toHaveLength(2);
  expect(await Promise.all(job.codeIds.map(tagsOf))).toEqual([['Menu'], ['Terrace', 'Menu']]);
  const file = await host.request(`/api/v1/jobs/${id}/codes.csv`, { token: secret });
  expect((await file.text()).trim().split('\r\n')).toHaveLength(3);
});

test('figures are those of the codes with the tag, also together with another one', async () => {
  const [both, one, none] = [
    await host.code(account.id, { tags: ['Menu', 'Terrace'] }),
    await host.code(account.id, { tags: ['Menu'] }),
    await host.code(account.id, { tags: ['Terrace', 'Secret'] }),
  ];
  for (const code of [both, one, one, none, none, none]) await host.request(`/r/${code.slug}`);
  const figures = async (body: object) => (await call('POST', '/statistics', { period: 7, ...body })).body;
  const visitsOf = async (body: object) =>
    (await figures(body)).data as {
      tag: string | null;
      tags: string[];
      figures: { visits: { value: number }; total_codes: { value: number } };
      mostActive: { codes: { id: string }[] };
    };
  await host.recorder.idle();
  expect((await visitsOf({})).figures.visits.value).toBe(3);
  const all = await visitsOf({});
  expect([all.tag, all.tags, all.figures.total_codes.value]).toEqual(['Menu', ['Menu', 'Terrace'], 2]);
  expect(all.mostActive.codes.map(({ id }) => id).sort()).toEqual([both.id, one.id].sort());
  const terrace = await visitsOf({ tag: 'terrace' });
  expect([terrace.tag, terrace.figures.visits.value, terrace.figures.total_codes.value]).toEqual([
    'Terrace',
    1,
    1,
  ]);
  expect((await visitsOf({ tag: 'secret' })).figures.total_codes.value).toBe(0);
  expect((await visitsOf({ code: both.id })).figures.visits.value).toBe(1);
  expect(await figures({ code: none.id })).toMatchObject({ code: 'not_found' });
  const csv = await host.request('/api/v1/statistics/code-days.csv?period=7', { token: secret });
  const text = await csv.text();
  expect([text.includes(both.id), text.includes(none.id)]).toEqual([true, false]);
});

test('a key with a tag reads the looks of the account, and does not change them', async () => {
  const look = { name: 'Terrace', style: {} };
  const saved = await send(host, 'POST', '/api/styles', look, { token: account.token });
  const { id } = saved.body.data as { id: string };
  expect(await idsOf('/looks')).toEqual([id]);
  for (const [method, path] of [
    ['POST', '/looks'],
    ['PATCH', `/looks/${id}`],
    ['DELETE', `/looks/${id}`],
  ] as const)
    expect((await call(method, path, method === 'DELETE' ? undefined : look)).status).toBe(403);
});
