import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Problem } from '#contract/errors';
import { codes } from '#host/db/codes.tables';
import { codeJobs } from '#host/db/jobs.tables';
import { send } from '../../support/json-calls';
import { account, call, host, secret, setUpProgram } from '../../support/program';

setUpProgram();
const mistakesOf = (body: unknown) =>
  Problem.parse(body).errors.map(({ pointer, code }) => [pointer, code].join(' '));
const countJobs = () => host.db.orm.$count(codeJobs, eq(codeJobs.accountId, account.id));
const link = { type: 'link', content: 'https://a.example/' };

test.each([
  [{ act: 'delete', filter: { tgas: 'Menu' } }, '/filter/tgas field_unknown'],
  [{ act: 'archive', filter: { tags: ['Menu'] } }, '/filter/tags field_unknown'],
  [{ act: 'archive', filter: {}, everything: true }, '/everything field_unknown'],
  [{ act: 'delete', filter: {} }, '/filter filter_required'],
  [{ act: 'delete', filter: { search: ' ' } }, '/filter filter_required'],
])('a job that would do more than was meant is refused: %j', async (body, mistake) => {
  await host.code(account.id);
  const refused = await call('POST', '/jobs', body);
  expect([refused.status, mistakesOf(refused.body)]).toEqual([422, expect.arrayContaining([mistake])]);
  expect(await countJobs()).toBe(0);
});

test('a session that names an unknown filter is refused as well', async () => {
  const body = { act: 'delete', filter: { tgas: 'Menu' } };
  const refused = await send(host, 'POST', '/api/jobs', body, { token: account.token });
  expect([refused.status, refused.body.errors]).toMatchObject([422, { tgas: ['field_unknown'] }]);
});

test.each([{ filter: { show: 'all' } }, { filter: {}, expected: 1 }])(
  '%j deletes all codes',
  async (which) => {
    await host.code(account.id);
    const started = await call('POST', '/jobs', { act: 'delete', ...which });
    expect([started.status, started.body.data.total]).toEqual([201, 1]);
  },
);

test('a dry run of a job says how many codes it would change', async () => {
  for (const tags of [['Menu'], ['Menu'], []]) await host.code(account.id, { tags });
  const tried = await call('POST', '/jobs?dry_run=true', { act: 'archive', filter: { tag: 'menu' } });
  expect([tried.status, tried.body]).toEqual([200, { data: null, dryRun: true, total: 2 }]);
  expect(await countJobs()).toBe(0);
});

test.each([
  ['PATCH', '/codes/ID', { archive: true }, ['/archive']],
  ['PATCH', '/codes/ID', { name: 'x', 'a/b': 1, tag: 'y' }, ['/a~1b', '/tag']],
  ['POST', '/codes', { ...link, colour: 'red' }, ['/colour']],
  ['POST', '/codes/batch', { codes: [link, { ...link, label: 'x' }] }, ['/codes/1/label']],
  ['POST', '/codes/ID/copies', { title: 'x' }, ['/title']],
  [
    'POST',
    '/codes/ID/rules',
    { variants: [{ target: 'https://a.example/' }], language: 'fr' },
    ['/language'],
  ],
  ['POST', '/codes/selection', { tgas: 'Menu' }, ['/tgas']],
  ['POST', '/looks', { name: 'Terrace', style: {}, default: true }, ['/default']],
  ['POST', '/statistics', { days: 30 }, ['/days']],
  ['POST', '/webhooks', { url: 'https://a.com/', events: ['code.created'], secret: 'x' }, ['/secret']],
  ['GET', '/codes?tgas=Menu', undefined, ['?tgas']],
  ['GET', '/tags?codes=1', undefined, ['?codes']],
  ['DELETE', '/codes/ID?hard=1', undefined, ['?hard']],
])('%s %s refuses fields that it does not know: %j', async (method, path, body, pointers) => {
  const { id } = await host.code(account.id);
  const refused = await call(method, path.replace('ID', id), body);
  expect([refused.status, refused.body?.code]).toEqual([422, 'invalid']);
  expect(mistakesOf(refused.body)).toEqual(pointers.map((pointer) => `${pointer} field_unknown`));
  const [row] = await host.db.orm.select().from(codes).where(eq(codes.accountId, account.id));
  expect([row?.id, row?.archivedAt, row?.deletedAt]).toEqual([id, null, null]);
});

test('a form refuses fields that it does not know', async () => {
  for (const [path, field] of [
    ['logos', 'logo'],
    ['imports', 'file'],
  ] as const) {
    const form = new FormData();
    form.set(field, new File(['x'], 'a.csv'));
    form.set('colour', 'red');
    const refused = await host.request(`/api/v1/${path}`, { method: 'POST', token: secret, body: form });
    expect([path, refused.status, mistakesOf(await refused.json())]).toEqual([
      path,
      422,
      ['/colour field_unknown'],
    ]);
  }
});

test.each([
  ['PATCH', '/codes/ID', { name: 'Two' }],
  ['DELETE', '/codes/ID', undefined],
  ['PUT', '/codes/ID/rules/1/position', { position: 1 }],
  ['POST', '/jobs/ID/stop', undefined],
  ['POST', '/webhooks/ID/test', undefined],
  ['POST', '/codes/selection', {}],
  ['GET', '/codes', undefined],
])('%s %s refuses a dry run instead of taking effect', async (method, path, body) => {
  const { id } = await host.code(account.id, { name: 'One' });
  for (const value of ['true', 'false', '1']) {
    const refused = await call(method, `${path.replace('ID', id)}?dry_run=${value}`, body);
    expect([refused.status, mistakesOf(refused.body)]).toEqual([422, ['?dry_run dry_run_unsupported']]);
  }
  expect((await call('GET', `/codes/${id}`)).body.data.name).toBe('One');
});

test.each([
  ['/webhooks/ID/deliveries', '0'],
  ['/webhooks/ID/deliveries', '101'],
  ['/jobs/ID/problems', 'many'],
  ['/jobs/ID/problems', '1.5'],
  ['/jobs', '0'],
])('%s refuses limit=%s', async (path, limit) => {
  const id = '00000000-0000-4000-8000-000000000000';
  const refused = await call('GET', `${path.replace('ID', id)}?limit=${limit}`);
  expect([refused.status, mistakesOf(refused.body)]).toEqual([422, ['?limit limit_invalid']]);
});

test('null is the same as nothing where a code that is read has it', async () => {
  const made = await call('POST', '/codes', { ...link, name: null, tags: null, logo: null, style: null });
  expect([made.status, made.body.data]).toMatchObject([201, { name: null, tags: [], logo: null }]);
});

test.each([
  ['POST', '/codes', JSON.stringify(link), 'text/plain'],
  ['POST', '/codes', JSON.stringify(link), 'application/x-www-form-urlencoded'],
  ['POST', '/codes', JSON.stringify(link), 'application/jsonish'],
  ['POST', '/imports', '{"file":"url"}', 'application/json'],
  ['POST', '/logos', '{}', 'application/json'],
  ['POST', '/logos', 'logo=x', 'application/x-www-form-urlencoded'],
])('%s %s: a body of another type is refused (%s, %s)', async (method, path, body, type) => {
  const refused = await call(method, path, body, { 'content-type': type });
  expect([refused.status, refused.body.code]).toEqual([415, 'unsupported_type']);
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/ld+json'])(
  'a body of the type %s is read',
  async (type) => {
    expect((await call('POST', '/codes', link, { 'content-type': type })).status).toBe(201);
  },
);

test('without a body its type does not matter', async () => {
  const { id } = await host.code(account.id);
  const made = await call('POST', `/codes/${id}/copies`, undefined, { 'content-type': 'text/plain' });
  expect(made.status).toBe(201);
});

test.each([
  ['PUT', '/codes', 'GET, HEAD, POST, OPTIONS'],
  ['POST', '/codes/00000000-0000-4000-8000-000000000000', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  ['GET', '/codes/batch', null],
  ['DELETE', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ['PATCH', '/webhooks', 'GET, HEAD, POST, OPTIONS'],
])('%s %s says which methods there are', async (method, path, allowed) => {
  const refused = await call(method, path);
  if (allowed === null) {
    expect(refused.status).toBe(404);
    return;
  }
  expect([refused.status, Problem.parse(refused.body).code]).toEqual([405, 'method_not_allowed']);
  expect(refused.headers.get('allow')?.split(', ').sort()).toEqual(allowed.split(', ').sort());
});

test.each(['/api/v1/nothing', '/api/v2/codes', '/api/nothing', '/api/v1', '/api/'])(
  '%s is a problem document',
  async (path) => {
    const refused = await host.request(path);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(Problem.parse(await refused.json()).code).toBe('not_found');
  },
);
