import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Call } from '#contract/call';
import { insertLogo } from '#host/codes/logos/store';
import { publishedCall } from '#host/http/published';
import { callsOfPrograms, makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const published = Object.values(modules)
  .flatMap((exported) => Object.values(exported).filter(isCall))
  .flatMap((call) => publishedCall(call) ?? []);
/** The website finds the code of a file by this one. */
const READ_CODE = 'GET /api/v1/codes/{id}';

let host: TestHost;
let owner: TestAccount;
let secret: string;
let stranger: string;
const call = callsOfPrograms(() => ({ host, secret }));
const things: Record<string, string> = {};

beforeAll(async () => {
  host = await createTestHost();
  owner = await host.account();
  secret = (await makeApiKey(host, owner)).secret;
  stranger = (await makeApiKey(host, await host.account())).secret;
  const logo = { id: randomUUID(), accountId: owner.id, name: 'mark.png', png: Buffer.from('a picture') };
  await insertLogo(host.db.orm, { ...logo, createdAt: host.clock.now() });
  things.logos = logo.id;
  const idOf = async (path: string, body: unknown) => (await call('POST', path, body)).body.data.id as string;
  const target = { type: 'link', content: 'https://a.example/' };
  things.codes = await idOf('/codes', { ...target, logo: { kind: 'upload', id: logo.id } });
  things.looks = await idOf('/looks', { name: 'Terrace', style: {} });
  things.webhooks = await idOf('/webhooks', { url: 'https://hooks.program.com/', events: ['code.created'] });
  things.jobs = await idOf('/jobs', { act: 'archive', filter: { search: 'nothing like it' } });
  const form = new FormData();
  form.set('file', new File(['url\nhttps://a.example/\n'], 'codes.csv'));
  const sent = await host.request('/api/v1/imports', { method: 'POST', body: form, token: secret });
  things.imports = (await sent.json()).data.id;
});
afterAll(() => host.close());

const withId = published.filter(({ path, answeredBy }) => path.includes('{') && answeredBy !== 'website');
const named = withId
  .filter(({ path }) => !path.endsWith('{file}'))
  .map((one) => [`${one.method} ${one.path}`, one] as const);

test('every kind of object is among those of the test', () => {
  expect(named.length).toBeGreaterThan(25);
  expect(named.map(([name]) => name)).toContain(READ_CODE);
  expect(new Set(named.map(([, { path }]) => kindOf(path)))).toEqual(new Set(Object.keys(things)));
});

test.each(named)('%s finds nothing of another account (API1)', async (_, { method, path }) => {
  const at = path.replace('/api/v1', '').replace(/\{\w+\}/g, (part) => {
    if (part === '{rule}') return '1';
    return (part === '{id}' && things[kindOf(path)]) || randomUUID();
  });
  const answer = await call(method, at, method === 'GET' ? undefined : bodyOf(path), {}, stranger);
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
});

test('nor do ids in a body or in a query', async () => {
  const ask = (method: string, path: string, body?: unknown) => call(method, path, body, {}, stranger);
  const { codes = '', logos = '' } = things;
  const visits = await ask('POST', '/statistics', { period: 30, code: codes });
  const file = await ask('GET', `/statistics/daily.csv?code=${codes}`);
  const selection = await ask('POST', '/codes/selection', { ids: [codes] });
  const logo = { kind: 'upload', id: logos };
  const made = await ask('POST', '/codes', { type: 'link', content: 'https://b.example/', logo });
  expect([visits.status, file.status, made.status]).toEqual([404, 404, 422]);
  expect(made.body.errors).toMatchObject([{ code: 'logo_unknown' }]);
  expect(JSON.stringify(selection.body)).not.toContain(codes);
  await ask('POST', '/jobs', { act: 'archive', ids: [codes] });
  expect((await call('GET', `/codes/${codes}`)).body.data.archivedAt).toBeNull();
});

test('fields that nobody may set are refused (API3)', async () => {
  const id = randomUUID();
  const forbidden = {
    id,
    accountId: id,
    account_id: id,
    slug: 'AAAAAAAA',
    number: 7,
    createdAt: '2020-01-01T00:00:00.000Z',
    visits: { total: 1_000, lastAt: null },
    blocked: null,
    archivedAt: '2020-01-01T00:00:00.000Z',
    link: 'https://evil.example/',
    isSubscribed: true,
    isTrial: true,
    once: 'x',
  };
  const pointersOf = ({ body }: { body: { errors: { pointer: string }[] } }) =>
    body.errors.map(({ pointer }) => pointer).sort();
  const names = Object.keys(forbidden).map((name) => `/${name}`);
  const refused = await call('POST', '/codes', { type: 'text', content: 'hello', ...forbidden });
  expect([refused.status, pointersOf(refused)]).toEqual([422, names.sort()]);
  const made = await call('POST', '/codes', { type: 'text', content: 'hello' });
  const unchanged = await call('PATCH', `/codes/${made.body.data.id}`, { name: 'One', ...forbidden });
  expect([unchanged.status, pointersOf(unchanged)]).toEqual([422, names]);
  expect((await call('GET', `/codes/${made.body.data.id}`)).body.data.name).toBeNull();
});

const READ = ['/tags', '/looks', '/logo-presets', '/jobs', '/webhooks', '/key', '/codes'];
const described = (name: string) => published.find(({ method, path }) => `${method} ${path}` === name);

test.each([...READ, ...['codes', 'jobs', 'imports', 'webhooks'].map((kind) => `/${kind}/{id}`)])(
  '%s answers with documented fields only (API3)',
  async (path) => {
    const { body } = await call('GET', path.replace('{id}', things[path.split('/')[1] ?? ''] ?? ''));
    const read = described(`GET /api/v1${path}`)?.response?.parse(body);
    expect(read).toEqual(body);
    const text = JSON.stringify(body);
    for (const internal of ['accountId', 'account_id', 'hash', 'sealed', 'formKey', owner.email])
      expect(text).not.toContain(internal);
    if (!path.endsWith('{id}') && path !== '/key') expect(body.data).toBeInstanceOf(Array);
  },
);

test('a page has at most 100 entries, a body 64 kB (API4)', async () => {
  expect((await call('GET', '/codes?limit=100')).status).toBe(200);
  const tooMany = await call('GET', '/codes?limit=101');
  expect([tooMany.status, tooMany.body.errors[0].code]).toEqual([422, 'limit_invalid']);
  const padded = (bytes: number) => '{"type":"text","content":"hello"}'.padEnd(bytes, ' ');
  expect((await call('POST', '/codes', padded(64 * 1024))).status).toBe(201);
  expect((await call('POST', '/codes', padded(64 * 1024 + 1))).status).toBe(413);
});

function kindOf(path: string): string {
  return path.split('/')[3] ?? '';
}

function bodyOf(path: string): unknown {
  if (path.endsWith('/rules') || path.endsWith('/{rule}'))
    return { languages: ['fr'], variants: [{ target: 'https://c.example/' }] };
  if (path.endsWith('/position')) return { position: 1 };
  if (path.endsWith('/winner')) return { route: 2 };
  return {};
}

function isCall(value: unknown): value is Call {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}
