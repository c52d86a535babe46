import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReadableStreamFromReadable } from '@remix-run/node';
import { expect, test, vi } from 'vitest';
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
  expect(server.headersTimeout).toBe(66_000);
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
  ['www.quadrille.example', 200, 'max-age=63072000; includeSubDomains'],
  ['go.quadrille.example', 200, 'max-age=63072000; includeSubDomains'],
  ['127.0.0.1', 200, 'none'],
  ['evil.example', 421, 'none'],
])('a response for %s is %i, with HSTS %s', async (host, status, hsts) => {
  const { url, close } = await echo();
  const asked = request(url, { headers: { host } }).end();
  const [answer] = await once(asked, 'response');
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
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
      vi.unstubAllEnvs();
    },
  };
}
