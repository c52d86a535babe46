import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { callRefusal } from '#runtime/gateway/unavailable-page';
import { makeApiKey } from '../../support/api-keys';
import type { TestHost } from '../../support/host';
import { ask, echo, serveBehindGateways } from './open-gateways';

let gateways: Awaited<ReturnType<typeof serveBehindGateways>>;
let host: TestHost;
let secret: string;

beforeAll(async () => {
  gateways = await serveBehindGateways();
  ({ host } = gateways);
  ({ secret } = await makeApiKey(host, gateways.account));
});
afterEach(() => gateways.clean());
afterAll(() => gateways.close());

const post = (url: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { authorization: `Bearer ${secret}`, ...headers } });

test('calls of programs reach the host with their key, their body and the address of the client', async () => {
  const { url } = await gateways.open({ website: echo });
  const sent = JSON.stringify({ type: 'text', content: 'Grüße' });
  const made = await post(`${url}/api/v1/codes`, sent, {
    'content-type': 'application/json',
    'x-request-id': 'a-call-of-ours',
    'idempotency-key': 'k-1',
  });
  expect([made.status, made.headers.get('x-request-id')]).toEqual([201, 'a-call-of-ours']);
  const { data } = await made.json();
  expect(data.content).toBe('Grüße');
  const path = `${url}/api/v1/codes/${data.id}`;
  const authorization = `Bearer ${secret}`;
  const changed = await fetch(path, {
    method: 'PATCH',
    body: '{"name":"One"}',
    headers: {
      authorization,
      'content-type': 'application/json',
      'if-match': made.headers.get('etag') ?? '',
    },
  });
  expect([changed.status, (await changed.json()).data.name]).toEqual([200, 'One']);
  const deleted = await fetch(path, { method: 'DELETE', headers: { authorization } });
  expect(deleted.status).toBe(200);
});

test('a file as large as one may be comes through, a larger one does not', async () => {
  const { url } = await gateways.open({ website: echo });
  const form = new FormData();
  const row = `https://a.example/${'x'.repeat(200)}\n`;
  form.set('file', new File([`url\n${row.repeat(5_000)}`], 'codes.csv'));
  expect((await post(`${url}/api/v1/imports`, form)).status).toBe(201);
  form.set('file', new File(['x'.repeat(9 * 1024 * 1024)], 'codes.csv'));
  const refused = await post(`${url}/api/v1/imports`, form);
  expect([refused.status, (await refused.json()).code]).toEqual([413, 'too_large']);
  const text = await post(`${url}/api/v1/codes`, 'x'.repeat(64 * 1024 + 1));
  expect([text.status, (await text.json()).code]).toEqual([413, 'too_large']);
});

test('cookies and sessions are worth nothing there', async () => {
  const { url } = await gateways.open({ website: echo });
  const { token } = gateways.account;
  for (const headers of [{ cookie: `session=${token}` }, { authorization: `Bearer ${token}` }, {}]) {
    const answer = await ask(`${url}/api/v1/codes`, headers as Record<string, string>);
    expect([answer.status, answer.headers['content-type']]).toEqual([401, 'application/problem+json']);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }
});

test('requests for access reach the host, and only browsers send it their cookies', async () => {
  const { url } = await gateways.open({ website: echo });
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp'])
    expect((await ask(url + path)).headers['content-type']).toBe('application/json');
  const token = await post(`${url}/oauth/token`, new URLSearchParams({ grant_type: 'password' }));
  expect(await token.json()).toMatchObject({ error: 'invalid_request' });
  const unknown = await ask(`${url}/oauth/authorize?client_id=nobody`);
  expect([unknown.status, unknown.headers.location]).toEqual([
    303,
    '/user/authorize/refused?error=invalid_client',
  ]);
  const stand = createServer(echo).listen(0, '127.0.0.1');
  await once(stand, 'listening');
  gateways.closeLater(stand);
  const hostUrl = `http://127.0.0.1:${(stand.address() as AddressInfo).port}`;
  const gateway = await gateways.open({ website: echo, hostUrl });
  const cookiesAt = async (path: string) =>
    JSON.parse((await ask(gateway.url + path, { cookie: 'oauth-resume=x' })).body).headers.cookie;
  expect(await cookiesAt('/oauth/authorize/a-request')).toBe('oauth-resume=x');
  expect(await cookiesAt('/oauth/token')).toBeUndefined();
});

test.each([
  '/oauth',
  '/oauth/userinfo',
  '/oauth/authorize/a/b',
  '/.well-known/openid-configuration',
  '/api/qrcodes',
  '/api/account/profile',
  '/api/v1',
  '/api/v2/codes',
  '/API/v1/codes',
  '/api/v1/%63odes',
  '/api//v1/codes',
])('%s goes to the website', async (path) => {
  const { url } = await gateways.open({ website: echo });
  const answer = await ask(url + path, { authorization: `Bearer ${secret}` });
  expect(JSON.parse(answer.body)).toMatchObject({ url: path });
});

test('while the host is down, programs get a problem document, and clients of OAuth an error of theirs', async () => {
  const { url } = await gateways.open({ website: echo, hostUrl: 'http://127.0.0.1:1' });
  const answer = await post(`${url}/api/v1/codes`, '{}');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
  // Also in a web page, whose origin only the host could have compared with the key.
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-expose-headers')).toBe('Retry-After, X-Request-Id');
  expect(await answer.json()).toMatchObject({ code: 'unavailable', status: 503, errors: [] });
  const token = await post(`${url}/oauth/token`, new URLSearchParams({ grant_type: 'refresh_token' }));
  expect([token.status, token.headers.get('content-type'), token.headers.get('cache-control')]).toEqual([
    503,
    'application/json',
    'no-store',
  ]);
  expect(await token.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: 'The service is not available right now.',
  });
  const page = await ask(`${url}/oauth/authorize?client_id=x`);
  expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
});

test.each([false, true])('a request that cannot be passed on is told why (OAuth: %s)', (isOauth) => {
  const refusal = callRefusal('malformed', { publicUrl: 'https://a.example', requestId: 'x', isOauth });
  expect([refusal.status, JSON.parse(refusal.body)]).toMatchObject([
    400,
    { [isOauth ? 'error_description' : 'detail']: expect.stringContaining('Content-Length') },
  ]);
});

const FILE = '/api/v1/codes/5b0f3c1e-7f0a-4c60-9d8e-0a4f3f1c2b11/file.svg';

test.each([FILE, `${FILE.replace('svg', 'pdf')}?size=40`, '/mcp'])(
  '%s goes to the website, which draws, with the key',
  async (path) => {
    const { url } = await gateways.open({ website: echo });
    const answer = await ask(url + path, { authorization: `Bearer ${secret}` });
    expect(JSON.parse(answer.body)).toMatchObject({
      url: path,
      headers: { authorization: `Bearer ${secret}` },
    });
  },
);

test('other files, and other methods, have nothing to answer them', async () => {
  const { url } = await gateways.open({ website: echo });
  const headers = { authorization: `Bearer ${secret}` };
  const answers = [
    await fetch(url + FILE.replace('svg', 'gif'), { headers }),
    // Where the host is called itself, nobody draws.
    await host.request(FILE, { token: secret }),
  ];
  for (const answer of answers)
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'not_found']);
  const deleted = await fetch(url + FILE, { method: 'DELETE', headers });
  expect([deleted.status, deleted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test.each([FILE, '/mcp'])(
  'while the website is down, %s is refused with a problem document',
  async (path) => {
    const { url } = await gateways.open({ website: echo, websiteUrl: 'http://127.0.0.1:1' });
    const answer = await post(url + path, '{}');
    expect(answer.status).toBe(path === FILE ? 405 : 503);
    const read = await fetch(url + path, { method: 'HEAD' });
    expect([read.status, read.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
  },
);
