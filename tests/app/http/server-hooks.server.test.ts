import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createReadableStreamFromReadable } from '@remix-run/node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sendExpectContinue } from '../../support/raw-request';

vi.hoisted(() => {
  process.env.PUBLIC_URL = 'https://www.quadrille.example';
  process.env.SHORT_URL = 'https://go.quadrille.example';
  process.env.SESSION_SECRET = 'a secret of the tests that is long enough';
});

/** Size of the largest accepted form: a 2 MB image and its texts. */
const LARGEST_BYTES = 2_200_000;
const SLOW_BYTES_PER_SECOND = 150_000 / 8;

test('the timeouts let a slow line send the largest form, but idle connections are closed', async () => {
  vi.stubEnv('LOG_LEVEL', 'silent');
  const { installServerHooks } = await import('~/http/server-hooks.server');
  installServerHooks();
  const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('ok');
  expect(server.requestTimeout).toBeGreaterThanOrEqual((LARGEST_BYTES / SLOW_BYTES_PER_SECOND) * 1000);
  expect([server.headersTimeout, server.keepAliveTimeout, server.timeout]).toEqual([20_000, 65_000, 310_000]);
  server.close();
  server.closeAllConnections();
  vi.unstubAllEnvs();
});

test.each([
  ['POST', '/login', 'https://evil.example', 'GET /foreign-post'],
  ['POST', '/login', 'null', 'GET /foreign-post'],
  ['DELETE', '/login?a=b', 'http://127.0.0.1:1', 'GET /foreign-post'],
  ['POST', '/login', 'no other site', 'POST /login'],
  ['POST', '/b/AAAAAAAA', 'https://shop.example', 'POST /b/AAAAAAAA'],
  ['GET', '/faq', 'https://evil.example', 'GET /faq'],
])('%s %s from %s becomes %s', async (method, path, origin, expected) => {
  const { url, close } = await echo();
  const answer = await fetch(url + path, { method, headers: origin === 'no other site' ? {} : { origin } });
  expect(await answer.text()).toBe(expected);
  close();
});

test('a same-origin POST reaches its target, also behind a proxy', async () => {
  const { url, close } = await echo();
  const own = await fetch(`${url}/login`, { method: 'POST', headers: { origin: url } });
  expect(await own.text()).toBe('POST /login');
  const headers = { origin: 'https://www.quadrille.example', 'x-forwarded-host': 'www.quadrille.example' };
  expect(await (await fetch(`${url}/login`, { method: 'POST', headers })).text()).toBe('POST /login');
  close();
});

test('after a body was refused halfway, the connection serves the next request', async () => {
  const { url, close } = await echo(async (incoming, response) => {
    if (incoming.method === 'GET') return response.end('here');
    // Read as the framework does.
    await createReadableStreamFromReadable(incoming).getReader().read();
    response.writeHead(413).end();
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await statusOf(url, { agent, method: 'POST' }, Buffer.alloc(LARGEST_BYTES))).toBe(413);
  expect(await statusOf(url, { agent, method: 'GET' })).toBe(200);
  agent.destroy();
  close();
});

test.each([
  ['www.quadrille.example', '/', 200, 'max-age=63072000; includeSubDomains'],
  ['go.quadrille.example', '/r/7K3M9QXD', 200, 'max-age=63072000; includeSubDomains'],
  ['go.quadrille.example', '/', 302, 'max-age=63072000; includeSubDomains'],
  ['127.0.0.1', '/', 200, 'none'],
  ['evil.example', '/', 421, 'none'],
])('a response for %s%s is %i, with HSTS %s', async (host, path, status, hsts) => {
  const { url, close } = await echo();
  const requested = request(url + path, { headers: { host } }).end();
  const [answer] = await once(requested, 'response');
  answer.resume();
  expect([answer.statusCode, answer.headers['strict-transport-security'] ?? 'none']).toEqual([status, hsts]);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  close();
});

test.each([
  ['/login', 64],
  ['/login.data', 64],
  ['/create?x=/user', 8 * 1024],
  ['/_root.data?index', 8 * 1024],
  ['/user/qrcodes/sheet/download', 256],
])('a body for %s over %i kB is refused before it is sent', async (path, kilobytes) => {
  const { url, close } = await echo(readAll);
  const asking = (bytes: number) => sendExpectContinue(Number(new URL(url).port), path, bytes);
  expect(await asking(kilobytes * 1024 + 1)).toBe(413);
  expect(await asking(kilobytes * 1024)).toBe(100);
  close();
});

test('what the website must know of a request cannot be forged', async () => {
  const { url, close } = await echo(({ headers }, response) => {
    const names = ['x-socket-address', 'x-request-id', 'x-data-request'];
    response.end(names.map((name) => headers[name]).join(' '));
  });
  const headers = {
    'x-socket-address': '10.0.0.1',
    'x-data-request': '1',
    'x-request-id': 'the-id-of-the-gateway',
  };
  const seenAt = async (path: string) => (await fetch(url + path, { headers })).text();
  expect(await seenAt('/faq')).toBe('127.0.0.1 the-id-of-the-gateway ');
  expect(await seenAt('/faq?file=x.data')).toBe('127.0.0.1 the-id-of-the-gateway ');
  for (const path of ['/faq.data', '/faq.data?_routes=root'])
    expect(await seenAt(path), path).toBe('127.0.0.1 the-id-of-the-gateway 1');
  close();
});

test.each(['short', 'x'.repeat(65), 'with spaces in it'])('the request id %j is replaced', async (id) => {
  const { url, close } = await echo(({ headers }, response) => response.end(headers['x-request-id']));
  const seen = await (await fetch(url, { headers: { 'x-request-id': id } })).text();
  expect(seen).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  close();
});

test('a data request in the format of earlier releases is refused', async () => {
  const { url, close } = await echo();
  const statusAt = async (path: string) => (await fetch(url + path)).status;
  expect([await statusAt('/faq?a=1&_data=root'), await statusAt('/_data?a=_data')]).toEqual([400, 200]);
  close();
});

test('each response is logged with its path, but without the query, which may contain a token', async () => {
  const { log } = await import('~/http/log.server');
  const [info, debug] = [vi.spyOn(log, 'info'), vi.spyOn(log, 'debug')];
  const { url, close } = await echo((_, response) => response.writeHead(404).end());
  await fetch(`${url}/reset?token=secret`, { method: 'PUT', headers: { 'x-request-id': 'a-request-1' } });
  await expect
    .poll(() => info.mock.calls)
    .toEqual([
      [
        {
          requestId: 'a-request-1',
          method: 'PUT',
          path: '/reset',
          status: 404,
          ms: expect.toSatisfy((ms: number) => Number.isInteger(ms) && ms >= 0 && ms < 60_000),
        },
        expect.any(String),
      ],
    ]);
  await fetch(`${url}/livez`);
  await expect.poll(() => debug.mock.calls).toMatchObject([[{ path: '/livez' }, expect.any(String)]]);
  close();
});

test('of the requests of one connection, only those that were handled are logged', async () => {
  const { log } = await import('~/http/log.server');
  const info = vi.spyOn(log, 'info');
  const { url, close } = await echo(({ url }, response) => void (url === '/held' || response.end()));
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  socket.write(get('/first') + get('/held') + get('/waiting'));
  await once(socket, 'data');
  socket.destroy();
  await expect
    .poll(() => info.mock.calls.map(([line]) => line))
    .toMatchObject([{ path: '/first' }, { path: '/held' }]);
  close();
});

test('what libraries write to the console becomes a line of the log', async () => {
  vi.stubEnv('PROD', true);
  const { error, warn } = console;
  const installed = globalThis.serverHooked;
  onTestFinished(() => {
    Object.assign(console, { error, warn });
    globalThis.serverHooked = installed;
    vi.unstubAllEnvs();
  });
  const once = vi.spyOn(process, 'once').mockReturnValue(process);
  const { installServerHooks } = await import('~/http/server-hooks.server');
  const { log } = await import('~/http/log.server');
  const written = vi.spyOn(log, 'warn');
  globalThis.serverHooked = undefined;
  installServerHooks();
  once.mockRestore();
  const replaced = { ...console };
  replaced.error('%s of\na path', 'a stack');
  replaced.warn(new Error('broken'));
  const line = 'written to the console';
  expect(written.mock.calls).toEqual([
    [{ text: 'a stack of\na path' }, line],
    [{ text: expect.stringContaining('Error: broken\n    at ') }, line],
  ]);
});

test('after a signal the health check fails, then the last requests are answered and the program exits', async () => {
  const { healthResponse } = await import('~/http/server-hooks.server');
  const { env } = await import('~/http/env.server');
  const { url, server } = await echo();
  onTestFinished(() => {
    globalThis.stopping = undefined;
    vi.useRealTimers();
  });
  const before = healthResponse();
  expect([before.status, await before.text(), before.headers.get('cache-control')]).toEqual([
    200,
    'ok',
    'no-store',
  ]);
  const [kept] = await once(request(url, { agent: new Agent({ keepAlive: true }) }).end(), 'response');
  kept.resume();
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  globalThis.stopping = true;
  const after = healthResponse();
  expect([after.status, await after.text()]).toEqual([503, 'stopping']);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  for (const _ of ['SIGTERM', 'SIGINT']) server.close();
  vi.advanceTimersByTime(env.DRAIN_SECONDS * 1_000 - 1);
  const [late] = await once(request(url).end(), 'response');
  late.resume();
  expect([late.statusCode, late.headers.connection]).toEqual([200, 'close']);
  const closed = once(server, 'close');
  vi.advanceTimersByTime(1);
  expect(exit).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2_500);
  await closed;
  expect(exit.mock.calls).toEqual([[0]]);
});

/** Reads a body as the framework does. */
function readAll(incoming: IncomingMessage, response: ServerResponse): void {
  const reader = createReadableStreamFromReadable(incoming).getReader();
  reader.read().then(
    () => response.end(),
    () => response.destroy(),
  );
}

async function statusOf(url: string, options: { agent: Agent; method: string }, body?: Buffer) {
  const sent = request(url, options).end(body);
  const [answer] = await once(sent, 'response');
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode;
}

/** A server behind the hook that echoes the method and path that reach it. */
async function echo(
  answer: RequestListener = ({ method, url }, response) => response.end(`${method} ${url}`),
) {
  vi.stubEnv('LOG_LEVEL', 'silent');
  const { installServerHooks } = await import('~/http/server-hooks.server');
  installServerHooks();
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
      vi.unstubAllEnvs();
    },
  };
}
