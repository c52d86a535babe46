import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cursorOf } from '#contract/call';
import { Problem } from '#contract/errors';
import { createPublicCode, listPublicCodes } from '#contract/public-codes';
import { codes } from '#host/db/codes.tables';
import { makeApiKey } from '../../support/api-keys';
import { account, call, host, makeAccountWithKey, secret, setUpProgram } from '../../support/program';

setUpProgram();

const link = (content = 'https://a.example/') => ({ type: 'link', content });
const create = (body: unknown, headers = {}, token = secret) => call('POST', '/codes', body, headers, token);
const countCodes = () => host.db.orm.$count(codes, eq(codes.accountId, account.id));

test('a code is made from JSON, with everything that it can have', async () => {
  const presets = await call('GET', '/logo-presets');
  expect(presets.body).toMatchObject({ hasMore: false, nextCursor: null });
  const [name] = presets.body.data;
  const made = await create({
    ...link('a.example'),
    name: ' Table  7 ',
    tags: ['Menu', 'menu', 'Terrace'],
    visibility: 'private',
    logo: { kind: 'preset', name, useWhiteBackground: true },
  });
  expect([made.status, createPublicCode.response.parse(made.body).data]).toMatchObject([
    201,
    {
      type: 'link',
      content: 'https://a.example',
      name: 'Table 7',
      tags: ['Menu', 'Terrace'],
      visibility: 'private',
      logo: { kind: 'preset', name },
      useWhiteBackground: true,
    },
  ]);
  const read = await call('GET', `/codes/${made.body.data.id}`);
  expect(read.body.data).toEqual(made.body.data);
});

test.each([
  [{ type: 'wifi', ssid: 'Café', security: 'nopass' }, 'WIFI:T:nopass;S:Café;;'],
  [{ type: 'email', content: 'a@b.example', subject: 'Hi', body: 'there' }, 'a@b.example'],
])('%j is made from its fields', async (body, content) => {
  const made = await create(body);
  expect([made.status, made.body.data?.content]).toEqual([201, content]);
});

test('every mistake is reported at once, with its place', async () => {
  const { status, headers, body } = await create({
    type: 'wifi',
    ssid: '',
    security: 'WPA3',
    name: 'x'.repeat(81),
    tags: ['ok', 7],
    visibility: 'hidden',
    logo: { kind: 'preset', name: '../../etc/passwd' },
    style: { 'a/b~': 1, version: 99 },
  });
  expect([status, headers.get('content-type')]).toEqual([422, 'application/problem+json']);
  const problem = Problem.parse(body);
  expect(problem).toMatchObject({
    type: 'https://www.quadrille.example/developers/errors#invalid',
    status: 422,
    code: 'invalid',
    requestId: headers.get('x-request-id'),
  });
  const pointers = problem.errors.map(({ pointer }) => pointer);
  for (const pointer of [
    '/ssid',
    '/security',
    '/name',
    '/tags/1',
    '/visibility',
    '/logo/name',
    '/style/version',
  ])
    expect(pointers).toContain(pointer);
  for (const { message } of problem.errors) expect(message).toMatch(/^[A-Z].*\.$/);
  expect(await countCodes()).toBe(0);
});

test.each([
  [link('https://go.quadrille.example/r/abcdefgh'), '/content'],
  [{ ...link(), logo: { kind: 'preset', name: 'nothing.svg' } }, '/logo'],
  [{ ...link(), logo: { kind: 'upload', id: '00000000-0000-4000-8000-000000000000' } }, '/logo'],
  [{ type: 'wifi', ssid: 'a', security: 'nopass', visibility: 'private' }, '/visibility'],
  [{ ...link(), tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }, '/tags'],
  [[], ''],
  ['"text"', ''],
])('what only the host can refuse has its place too: %j', async (body, pointer) => {
  const refused = await create(body);
  expect([refused.status, refused.body.errors.map((one: { pointer: string }) => one.pointer)]).toEqual([
    422,
    expect.arrayContaining([pointer]),
  ]);
});

test.each([
  ['GET', '/nothing', undefined, 404, 'not_found'],
  ['GET', '/codes/nonsense', undefined, 404, 'not_found'],
  ['POST', '/codes', '{"broken', 400, 'malformed'],
  ['POST', '/codes', `"${'x'.repeat(70_000)}"`, 413, 'too_large'],
  ['GET', '/codes?limit=0', undefined, 422, 'invalid'],
  ['GET', '/codes?cursor=zzz', undefined, 422, 'invalid'],
  ['GET', '/codes?show=some', undefined, 422, 'invalid'],
])('%s %s is a problem document', async (method, path, body, status, code) => {
  const refused = await call(method, path, body);
  expect([refused.status, Problem.parse(refused.body)]).toMatchObject([status, { code, status }]);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  expect(refused.headers.get('access-control-allow-origin')).toBeNull();
});

test('without a key, or with a session or a cookie, there is nothing', async () => {
  const cookie = { cookie: `session=${account.token}` };
  const metadata = `resource_metadata="${host.deps.settings.publicUrl}/.well-known/oauth-protected-resource/api/v1"`;
  for (const [token, challenge] of [
    ['', `Bearer ${metadata}`],
    [account.token, `Bearer error="invalid_token", ${metadata}`],
  ]) {
    const refused = await call('GET', '/codes', undefined, cookie, token);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, challenge]);
    expect(Problem.parse(refused.body).title).toBe('A valid API key is needed.');
  }
});

test('a mistake in a parameter is named by the parameter', async () => {
  const { body } = await call('GET', '/codes?limit=101&cursor=x');
  expect(body.errors).toEqual([
    { pointer: '?limit', code: 'limit_invalid', message: 'Send a whole number from 1 to 100.' },
    { pointer: '?cursor', code: 'cursor_invalid', message: 'Send a cursor as it came in nextCursor.' },
  ]);
});

test('a cursor that no list has given is refused, however large', async () => {
  const { id } = await host.code(account.id);
  const tooLarge = {
    '/codes': [2_147_483_648, 999_999_999_999_999],
    [`/imports/${id}/problems`]: [2_147_483_648, 999_999_999_999_999],
    [`/webhooks/${id}/deliveries`]: [Number.MAX_SAFE_INTEGER + 1, 1e17],
  };
  for (const [path, positions] of Object.entries(tooLarge))
    for (const position of [0, ...positions]) {
      const refused = await call('GET', `${path}?cursor=${cursorOf(position)}`);
      expect([path, position, refused.status]).toEqual([path, position, 422]);
      expect(refused.body.errors).toMatchObject([{ pointer: '?cursor', code: 'cursor_invalid' }]);
    }
  const last = await call('GET', `/codes?cursor=${cursorOf(2_147_483_647)}`);
  expect([last.status, last.body.data?.length]).toEqual([200, 1]);
});

async function listAll(query: string, between: (page: number) => Promise<void> = async () => undefined) {
  const found: string[] = [];
  let path = `/codes?${query}`;
  for (let page = 0; page < 50; page += 1) {
    const { headers, body } = await call('GET', path);
    const { data, hasMore, nextCursor } = listPublicCodes.response.parse(body);
    found.push(...data.map(({ id }) => id));
    const [, next] = /^<\?(.+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
    expect([hasMore, next === undefined]).toEqual([nextCursor !== null, nextCursor === null]);
    if (!next) return found;
    path = `/codes?${next}`;
    await between(page);
  }
  throw new Error('the list has no end');
}

test('pages of a list have every code once, while codes are made and deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('limit=1', 'limit=4', 'limit=1&type=link', 'limit=4&type=link'),
      fc.array(fc.constantFrom('make', 'delete newest', 'delete oldest', 'nothing'), { maxLength: 6 }),
      async (query, acts) => {
        await makeAccountWithKey();
        const made: string[] = [];
        for (let one = 0; one < 9; one += 1) made.unshift((await host.code(account.id)).id);
        const deleted = new Set<string>();
        const seen = await listAll(query, async (page) => {
          const act = acts[page];
          if (act === 'make') await host.code(account.id);
          if (!act?.startsWith('delete')) return;
          const id = act === 'delete newest' ? made[page] : made.at(-1 - page);
          if (!id) return;
          deleted.add(id);
          await call('DELETE', `/codes/${id}`);
        });
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((id) => !deleted.has(id))).toEqual(made.filter((id) => !deleted.has(id)));
      },
    ),
    { numRuns: 8 },
  );
});

test('a list has no archived codes unless they are asked for', async () => {
  const [first, second, third] = [
    await host.code(account.id),
    await host.code(account.id),
    await host.code(account.id),
  ].map(({ id }) => id);
  await call('PATCH', `/codes/${second}`, { archived: true });
  expect(await listAll('limit=1')).toEqual([third, first]);
  expect(await listAll('limit=1&show=all')).toEqual([third, second, first]);
  expect(await listAll('show=archived')).toEqual([second]);
});

test('a list can be filtered, and its links keep the filter', async () => {
  const tagged = [];
  for (let one = 0; one < 5; one += 1) {
    tagged.unshift((await host.code(account.id, { tags: ['Menu'] })).id);
    await host.code(account.id, { tags: ['Other'] });
  }
  expect(await listAll('limit=2&tag=menu')).toEqual(tagged);
});

test('the pages of a report follow a cursor as well', async () => {
  const form = new FormData();
  const rows = Array.from({ length: 501 }, () => 'ftp://x').join('\n');
  form.set('file', new File([`url\n${rows}\nhttps://a.example/\n`], 'codes.csv'));
  const sent = await host.request('/api/v1/imports', { method: 'POST', body: form, token: secret });
  const { id } = (await sent.json()).data;
  const first = await call('GET', `/imports/${id}/problems`);
  expect([first.body.data.length, first.body.hasMore]).toEqual([500, true]);
  const second = await call('GET', `/imports/${id}/problems?cursor=${first.body.nextCursor}`);
  expect([second.body.data.length, second.body.hasMore, second.body.nextCursor]).toEqual([1, false, null]);
  for (const list of ['problems', 'duplicates']) {
    const beyond = await call('GET', `/imports/${id}/${list}?cursor=${cursorOf(2_147_483_647)}`);
    expect([beyond.status, beyond.body.data]).toEqual([200, []]);
  }
});

test('a change takes effect only on what was read', async () => {
  const made = await create(link());
  const path = `/codes/${made.body.data.id}`;
  const etag = made.headers.get('etag') ?? '';
  expect((await call('GET', path)).headers.get('etag')).toBe(etag);
  const changed = await call('PATCH', path, { name: 'One' }, { 'If-Match': etag });
  expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
  for (const [method, body] of [
    ['PATCH', { name: 'Two' }],
    ['DELETE', undefined],
  ] as const) {
    const refused = await call(method, path, body, { 'If-Match': etag });
    expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
  }
  expect((await call('GET', path)).body.data.name).toBe('One');
  const now = (await call('GET', path)).headers.get('etag') ?? '';
  expect((await call('PATCH', path, { name: 'Two' }, { 'If-Match': `W/${now}` })).status).toBe(412);
  expect((await call('PATCH', path, { name: 'Two' }, { 'If-Match': `"x", ${now}` })).status).toBe(200);
  expect((await call('PATCH', path, { name: 'Three' }, { 'If-Match': '*' })).status).toBe(200);
  const last = (await call('GET', path)).headers.get('etag') ?? '';
  expect((await call('DELETE', path, undefined, { 'If-Match': last })).status).toBe(200);
  expect((await call('GET', path)).status).toBe(404);
});

test('visits leave the ETag as it is, any change replaces it', async () => {
  const { id, slug } = await host.code(account.id);
  const etagOf = async () => (await call('GET', `/codes/${id}`)).headers.get('etag');
  const before = await etagOf();
  await host.request(`/r/${slug}`);
  expect(await etagOf()).toBe(before);
  const seen = new Set([before]);
  for (const body of [
    { name: 'a' },
    { tags: ['b'] },
    { archived: true },
    { visibility: 'private' },
    { content: 'https://c.example/' },
  ]) {
    await call('PATCH', `/codes/${id}`, body);
    seen.add(await etagOf());
  }
  expect(seen.size).toBe(6);
});

test('of two changes to the same version, one is refused', async () => {
  const made = await create(link());
  const etag = made.headers.get('etag') ?? '';
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      call('PATCH', `/codes/${made.body.data.id}`, { name }, { 'If-Match': etag }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
});

test('each answer says what is left of the limit, on refusals too', async () => {
  const first = await call('GET', '/tags');
  expect(first.headers.get('ratelimit-policy')).toBe('"default";q=300;w=60');
  expect(first.headers.get('ratelimit')).toBe('"default";r=299;t=60');
  host.clock.advance(20_000);
  const second = await call('GET', '/codes/nonsense');
  expect([second.status, second.headers.get('ratelimit')]).toEqual([404, '"default";r=298;t=40']);
  const stranger = await call('GET', '/tags', undefined, {}, 'qdr_x');
  expect([stranger.headers.get('ratelimit-policy'), stranger.headers.get('ratelimit')]).toEqual([
    '"default";q=300;w=60',
    null,
  ]);
});

test('a key has 300 calls a minute, wherever it makes them', async () => {
  for (let made = 0; made < 300; made += 10) {
    const some = await Promise.all(
      Array.from({ length: 10 }, () =>
        host.request(made % 20 ? '/api/tags' : '/api/v1/tags', { token: secret }),
      ),
    );
    expect(some.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  }
  host.clock.advance(15_000);
  const refused = await call('GET', '/tags');
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
    429,
    'rate_limited',
    '45',
  ]);
  expect(refused.headers.get('ratelimit')).toBe('"default";r=0;t=45');
  const { secret: other } = await makeApiKey(host, account);
  expect((await call('GET', '/tags', undefined, {}, other)).status).toBe(200);
  host.clock.advance(45_000);
  expect((await call('GET', '/tags')).status).toBe(200);
});

test('the public calls are in the API description, with the errors of keys', async () => {
  const { paths } = await (await host.request('/openapi.json')).json();
  expect(Object.keys(paths['/api/v1/codes'])).toEqual(expect.arrayContaining(['get', 'post']));
  expect(Object.keys(paths['/api/v1/codes'].post.responses)).toEqual(
    expect.arrayContaining(['201', '401', '402', '403', '409', '422', '429']),
  );
  expect(paths['/api/v1/jobs'].get.responses[200].content['application/json'].schema.required).toEqual([
    'data',
    'hasMore',
    'nextCursor',
  ]);
  const names = Object.values(paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (path) => Object.values(path).map(({ operationId }) => operationId),
  );
  expect(new Set(names).size).toBe(names.length);
});
