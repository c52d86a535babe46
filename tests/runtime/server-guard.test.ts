import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { internalKeysOf } from '#runtime/internal-key';
import { guardServer } from '#runtime/server-guard';
import { sendExpectContinue, sendRaw } from '../support/raw-request';

const KEYS = internalKeysOf(['a secret of the tests that is long enough']);
const lines: object[] = [];
const server = createServer((request, response) => {
  const { method, url, headers } = request;
  response.setHeader('X-Seen', `${method} ${url} ${headers.host}`);
  response.setHeader('X-Forwarded', String(headers['x-forwarded-host']));
  if (url?.startsWith('/read')) request.resume().on('end', () => response.end());
  else response.end();
});
guardServer(server, {
  addresses: ['https://quadrille.example', 'http://go.example:8080', 'http://Bücher.example'],
  shortUrl: 'https://Q.example',
  internalKeys: KEYS,
  includeSubDomains: true,
  log: { info: (entry) => lines.push(entry) },
  maxBytes: (path) => (path === '/read/little' ? 1000 : 16_000_000),
});
let port: number;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  lines.length = 0;
});
afterAll(() => server.close());

const get = (host: string, ...more: string[]) =>
  sendRaw(port, 'GET /a HTTP/1.1', `Host: ${host}`, 'Connection: close', ...more);

test.each([
  'quadrille.example',
  'QUADRILLE.example:443',
  'quadrille.example.',
  'go.example',
  'go.example:1',
  'xn--bcher-kva.example',
  'localhost:3000',
  'x.localhost',
  '127.0.0.1',
  '127.1.2.3:80',
  '[::1]:3000',
])('%s is served', async (host) => {
  expect((await get(host)).status).toBe(200);
  expect(lines).toEqual([]);
});

test.each([
  'evil.example',
  'quadrille.example.evil.example',
  'x.quadrille.example',
  '10.0.0.7:4000',
  '[::2]',
  'localhost.evil',
])('%s is misdirected, which is logged', async (host) => {
  expect((await get(host)).status).toBe(421);
  expect(lines).toEqual([expect.objectContaining({ method: 'GET', path: '/a', status: 421, host })]);
});

test.each(['1.1.1.1.1', 'a b', 'x:99999999', 'x:', 'user@localhost', 'localhost/', '[::1', ''])(
  '“%s” is not a valid Host',
  async (host) => {
    expect((await get(host)).status).toBe(400);
    expect((await get('localhost', `X-Forwarded-Host: ${host}`)).status).toBe(400);
    expect(lines).toHaveLength(2);
  },
);

test('a forwarded host must be one of ours as well', async () => {
  expect((await get('localhost', 'X-Forwarded-Host: evil.example')).status).toBe(421);
  expect((await get('localhost', 'X-Forwarded-Host: quadrille.example, 127.0.0.1:80')).status).toBe(200);
});

test('our own programs may use any Host, and health checks may omit it', async () => {
  expect((await get('10.0.0.7:4000', `X-Internal-Key: ${KEYS[0]}`)).status).toBe(200);
  expect((await get('10.0.0.7:4000', `X-Internal-Key: ${KEYS[0]}x`)).status).toBe(421);
  for (const path of ['/livez', '/readyz?x', '/healthz']) {
    expect((await sendRaw(port, `GET ${path} HTTP/1.1`, 'Host: 10.0.0.7', 'Connection: close')).status).toBe(
      200,
    );
    expect((await sendRaw(port, `GET ${path} HTTP/1.0`)).status).toBe(200);
  }
  expect((await sendRaw(port, 'GET /livez/x HTTP/1.1', 'Host: 10.0.0.7', 'Connection: close')).status).toBe(
    421,
  );
});

test.each(['/?q=%5C%09%0A', '/?a=/../b&c=%zz', '/.well-known/a', '/a..b/.../..c', '/%C3%A4%2E5', '/a%25zz'])(
  '%s is served',
  async (target) => {
    const answer = await sendRaw(port, `GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close');
    expect(answer.status).toBe(200);
  },
);

test('a request may have 200 header lines, and those of our own programs some more', async () => {
  const many = (count: number) => Array<string>(count).fill('A:');
  // Host and Connection are the other two.
  expect((await get('localhost', ...many(198))).status).toBe(200);
  expect((await get('localhost', ...many(199))).status).toBe(431);
  expect((await get('localhost', ...many(199), `X-Internal-Key: ${KEYS[0]}`)).status).toBe(200);
  expect(lines).toEqual([expect.objectContaining({ status: 431 })]);
});

test('what a proxy adds behind thousands of header lines is not lost', async () => {
  const many = Array<string>(2_500).fill('A:');
  const answer = await get(
    ...(['localhost', `X-Internal-Key: ${KEYS[0]}`, ...many, 'X-Forwarded-Host: evil.example'] as const),
  );
  expect(answer.head).toContain('X-Forwarded: evil.example');
});

test.each([
  ['chunked', 200],
  ['Chunked', 200],
  ['gzip, chunked', 400],
  ['chunked\r\nTransfer-Encoding: chunked', 400],
  ['identity, chunked', 400],
])('a body in transfer coding %j gets %i', async (coding, status) => {
  const head = [
    'POST /read HTTP/1.1',
    'Host: localhost',
    'Connection: close',
    `Transfer-Encoding: ${coding}`,
  ];
  expect((await sendRaw(port, ...head, '', '0')).status).toBe(status);
});

test('an expectation other than 100-continue is refused', async () => {
  expect((await get('localhost', 'Expect: a-miracle')).status).toBe(417);
  expect((await get('evil.example', 'Expect: a-miracle')).status).toBe(421);
  expect(lines).toMatchObject([{ status: 417 }, { status: 421 }]);
});

test('a short domain serves codes; everything else is found on the website', async () => {
  const ask = (line: string, ...more: string[]) =>
    sendRaw(port, `${line} HTTP/1.1`, 'Host: q.example', 'Connection: close', ...more);
  for (const path of ['/r/7K3M9QXD', '/R/7K3M9QXD?a=b', '/l/x', '/b/x', '/e/x/copy?n=1', '/livez']) {
    expect((await ask(`GET ${path}`)).status, path).toBe(200);
  }
  expect((await ask('POST /b/x')).status).toBe(200);
  for (const path of ['/', '/login?next=/a', '/r', '/r/', '/r/x/y', '/e/x', '/api/plans', '//evil.example']) {
    const { status, head } = await ask(`GET ${path}`);
    expect([status, /^Location: (.*)\r$/m.exec(head)?.[1]], path).toEqual([
      302,
      `https://quadrille.example${path}`,
    ]);
    expect((await ask(`HEAD ${path}`)).status).toBe(302);
    expect((await ask(`POST ${path}`)).status).toBe(404);
  }
  expect((await ask('GET /login', `X-Internal-Key: ${KEYS[0]}`)).status).toBe(200);
});

test.each([
  [400, 'GET http://name:password@localhost/ HTTP/1.1'],
  [400, 'GET ftp://localhost/ HTTP/1.1'],
  [400, 'OPTIONS * HTTP/1.1'],
  [400, 'GET /\\evil.example HTTP/1.1'],
  [400, 'GET /%5C HTTP/1.1'],
  [400, 'GET /faq/%5cevil.example?q=1 HTTP/1.1'],
  [400, 'GET /%09/ HTTP/1.1'],
  [400, 'GET /%0d%0A/evil.example HTTP/1.1'],
  [400, 'GET /r/../api HTTP/1.1'],
  [400, 'GET /r/%2e%2E/api HTTP/1.1'],
  [400, 'GET /a/.%2e HTTP/1.1'],
  [400, 'GET /a/./b?c HTTP/1.1'],
  [400, 'GET /a%2f..%2Fb HTTP/1.1'],
  [400, 'GET /..?a HTTP/1.1'],
  [400, 'GET http://localhost/a/../b HTTP/1.1'],
  [400, 'GET http://localhost\\a HTTP/1.1'],
  [400, 'GET /%zz HTTP/1.1'],
  [400, 'GET /%ff/a HTTP/1.1'],
  [400, 'GET /a% HTTP/1.1'],
  [400, 'GET http://localhost/%zz HTTP/1.1'],
  [400, 'GET /a#b HTTP/1.1'],
  [405, 'TRACE / HTTP/1.1'],
  [405, 'PROPFIND / HTTP/1.1'],
  [400, 'HELLO'],
])('%i for %s, logged without secrets', async (status, line) => {
  expect((await sendRaw(port, line, 'Host: localhost', 'Connection: close')).status).toBe(status);
  expect(lines).toEqual([expect.objectContaining({ status })]);
  expect(JSON.stringify(lines)).not.toContain('password@');
});

test('a client that does not close its side after malformed HTTP is disconnected', async () => {
  const connections = promisify(server.getConnections.bind(server));
  const socket = connect({ port, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.write('HELLO\r\n\r\n');
  await once(socket.resume(), 'end');
  expect(await connections()).toBe(1);
  await expect.poll(connections).toBe(0);
});

test('a missing Host and two Hosts are refused', async () => {
  expect((await sendRaw(port, 'GET / HTTP/1.0')).status).toBe(400);
  const both = await sendRaw(
    port,
    'GET / HTTP/1.1',
    'Host: localhost',
    'Host: evil.example',
    'Connection: close',
  );
  expect(both.status).toBe(400);
});

test('a target in absolute form is served as a path on its own host', async () => {
  const ask = (target: string) =>
    sendRaw(port, `GET ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close');
  expect((await ask('http://go.example/a?b=c')).head).toContain('X-Seen: GET /a?b=c go.example');
  expect((await ask('http://evil.example/a')).status).toBe(421);
});

test('responses have HSTS exactly if the address uses TLS', async () => {
  const hsts = 'Strict-Transport-Security: max-age=63072000; includeSubDomains';
  expect((await get('quadrille.example')).head).toContain(hsts);
  const refused = await sendRaw(
    port,
    'GET / HTTP/1.1',
    'Host: quadrille.example',
    'X-Forwarded-Host: x:y',
    'Connection: close',
  );
  expect(refused.head).toContain(hsts);
  const trace = await sendRaw(port, 'TRACE / HTTP/1.1', 'Host: quadrille.example', 'Connection: close');
  expect(trace.head).toContain(hsts);
  for (const host of ['go.example', 'localhost', '127.0.0.1']) {
    expect((await get(host)).head).not.toContain('Strict-Transport-Security');
  }
});

test('a client that sends Expect: 100-continue gets 100 once its body is read, or a refusal unread', async () => {
  expect(await sendExpectContinue(port, '/read', 100)).toBe(100);
  expect(await sendExpectContinue(port, '/a', 100)).toBe(200);
  expect(await sendExpectContinue(port, '/read', 5_000_000_000)).toBe(413);
  expect(await sendExpectContinue(port, '/read/little', 1001)).toBe(413);
  expect(await sendExpectContinue(port, '/read/little', 1000)).toBe(100);
  const refused = lines.filter((line) => 'path' in line);
  expect(refused).toMatchObject([
    { path: '/read', status: 413 },
    { path: '/read/little', status: 413 },
  ]);
});

test('a connection whose body was requested but not read is closed after the response', async () => {
  const { status, head } = await sendRaw(
    port,
    'POST /a HTTP/1.1',
    'Host: localhost',
    'Expect: 100-continue',
    'Content-Length: 100',
  );
  expect(status).toBe(200);
  expect(head).toMatch(/\nConnection: close/);
});

test.each([
  [true, ['https://quadrille.example', 'https://go.example']],
  [false, ['https://quadrille.example', 'http://go.example']],
  [false, []],
])('a request that cannot be parsed gets HSTS: %s, at %j', async (hasHsts, addresses) => {
  const other = createServer((_, response) => response.end());
  onTestFinished(() => void other.close());
  const log = { info: () => {} };
  guardServer(other, { addresses, internalKeys: KEYS, includeSubDomains: false, log });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { status, head } = await sendRaw((other.address() as AddressInfo).port, 'HELLO');
  expect([status, head.includes('\r\nStrict-Transport-Security: max-age=63072000')]).toEqual([400, hasHsts]);
});
