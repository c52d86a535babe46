import { Writable } from 'node:stream';
import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { codes } from '#host/db/codes.tables';
import { makeApiKey } from '../../support/api-keys';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

const SHOP = 'https://shop.example';
const ALLOWED = 'access-control-allow-origin';

let logged = '';
let host: TestHost;
let account: TestAccount;
let secret: string;

beforeAll(async () => {
  const output = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  host = await createTestHost({ log: pino(output) });
});
beforeEach(async () => {
  account = await host.account();
  const origins = [SHOP, 'http://localhost:5173'];
  ({ secret } = await makeApiKey(host, account, { origins }));
});
afterAll(() => host.close());

const ask = (
  path: string,
  origin: string | null,
  init: { method?: string; body?: string; token?: string } = {},
) => host.request(path, { token: secret, ...init, headers: origin === null ? {} : { origin } });
const corsOf = ({ headers }: Response) => [...headers.keys()].filter((name) => /^access-control/.test(name));
const preflight = (path: string, method = 'GET') =>
  host.request(path, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://anybody.example',
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    },
  });

test('a page of an origin that the key names reads answers and their headers', async () => {
  for (const origin of [SHOP, 'http://localhost:5173']) {
    const answer = await ask('/api/v1/codes', origin);
    expect([answer.status, answer.headers.get(ALLOWED), answer.headers.get('vary')]).toEqual([
      200,
      origin,
      'Origin',
    ]);
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
    // Those that browsers let pages read always, or never, or that say nothing about the answer.
    const others = ['cache-control', 'content-type', 'content-length', 'vary', 'x-content-type-options'];
    const sent = [...answer.headers.keys()].filter(
      (name) => !others.includes(name) && !/^access-/.test(name),
    );
    expect(exposed).toEqual(expect.arrayContaining(sent));
    const { components } = await (await host.request('/api/v1/openapi.json')).json();
    const documented = Object.keys(components.headers)
      .map((name) => name.toLowerCase())
      .filter((name) => name !== ALLOWED);
    expect(exposed).toEqual(expect.arrayContaining(documented));
  }
});

test('refusals can be read there, too', async () => {
  const missing = await ask(`/api/v1/codes/${crypto.randomUUID()}`, SHOP);
  expect([missing.status, missing.headers.get(ALLOWED)]).toEqual([404, SHOP]);
  const reader = await makeApiKey(host, account, { permission: 'read', origins: [SHOP] });
  const forbidden = await ask('/api/v1/codes', SHOP, { method: 'POST', body: '{}', token: reader.secret });
  expect([forbidden.status, forbidden.headers.get(ALLOWED)]).toEqual([403, SHOP]);
  expect(await forbidden.json()).toMatchObject({ code: 'forbidden', detail: 'This key may only read.' });
  expect(forbidden.headers.get('www-authenticate')).toMatch(
    /^Bearer error="insufficient_scope", scope="change"/,
  );
  let answer = forbidden;
  for (let calls = 0; calls <= 300 && answer.status !== 429; calls += 1)
    answer = await ask('/api/v1/key', SHOP, { token: reader.secret });
  expect([answer.status, answer.headers.get(ALLOWED)]).toEqual([429, SHOP]);
  expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
});

test.each([
  'https://evil.example',
  'http://shop.example',
  'https://shop.example:8443',
  'https://www.shop.example',
  'https://shop.example.evil.example',
  `${SHOP}, ${SHOP}`,
  'http://localhost:5174',
  'null',
  '',
])('a page of "%s" is refused before anything happens', async (origin) => {
  const body = JSON.stringify({ type: 'link', content: 'https://a.example/' });
  const answer = await ask('/api/v1/codes', origin, { method: 'POST', body });
  expect([answer.status, (await answer.json()).code, corsOf(answer)]).toEqual([
    403,
    'origin_not_allowed',
    [],
  ]);
  expect(answer.headers.get('vary')).toBe('Origin');
  expect(await host.db.orm.$count(codes, eq(codes.accountId, account.id))).toBe(0);
});

test('a key that names no origin is for programs without one', async () => {
  const plain = await makeApiKey(host, account);
  const refused = await ask('/api/v1/codes', SHOP, { token: plain.secret });
  expect([refused.status, corsOf(refused)]).toEqual([403, []]);
  expect(logged).toContain(`"reason":"origin_not_allowed"`);
  expect(logged).toContain(`"key":"${plain.id}"`);
  const answered = await ask('/api/v1/codes', null, { token: plain.secret });
  expect([answered.status, corsOf(answered)]).toEqual([200, []]);
  const named = await ask('/api/v1/codes', null);
  expect([named.status, corsOf(named)]).toEqual([200, []]);
});

test('sessions, wrong keys and calls of the website never get such headers, and the document is for every page', async () => {
  const answers = [
    await ask('/api/v1/codes', SHOP, { token: account.token }),
    await ask('/api/v1/codes', SHOP, { token: `${secret.slice(0, -1)}_` }),
    await ask('/api/qrcodes', SHOP, { token: account.token }),
    await ask('/api/qrcodes', SHOP),
    await host.request('/api/account/keys', { method: 'OPTIONS', headers: { origin: SHOP } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 200, 403, 404]);
  expect(answers.flatMap(corsOf)).toEqual([]);
  const document = await ask('/api/v1/openapi.json', SHOP);
  expect(document.headers.get('access-control-allow-origin')).toBe('*');
});

test.each([
  ['/api/v1/codes', 'GET, POST'],
  [`/api/v1/codes/${crypto.randomUUID()}`, 'GET, PATCH, DELETE'],
  [`/api/v1/codes/${crypto.randomUUID()}/file.svg`, 'GET'],
  ['/api/v1/key', 'GET'],
])('a preflight for %s names the methods %s, without a key', async (path, methods) => {
  const answer = await preflight(path);
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  const allowed = answer.headers.get('access-control-allow-methods')?.split(', ').sort();
  expect(allowed).toEqual(methods.split(', ').sort());
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    [ALLOWED]: '*',
    'access-control-max-age': '7200',
    'access-control-allow-headers':
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
  });
  expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
});

test.each(['/api/v1/nothing', '/api/v1/codes/', '/api/v1', '/api/qrcodes', '/api/v1/codes/a/b/c/d'])(
  'there is no preflight for %s',
  async (path) => {
    const answer = await preflight(path, 'POST');
    expect([answer.status, corsOf(answer)]).toEqual([404, []]);
  },
);
