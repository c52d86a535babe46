import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';

/** Of the largest form that is taken: an image of 2 MB, and the texts beside it. */
const LARGEST_BYTES = 2_200_000;
const SLOW_BYTES_PER_SECOND = 150_000 / 8;

test('a slow line has the time to send the largest form, and nobody else the time to send nothing', async () => {
  vi.stubEnv('LOG_LEVEL', 'silent');
  const { hookServer } = await import('~/http/server-hooks.server');
  hookServer();
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
  ['POST', '/login', undefined, 'POST /login'],
  ['POST', '/b/AAAAAAAA', 'https://shop.example', 'POST /b/AAAAAAAA'],
  ['GET', '/faq', 'https://evil.example', 'GET /faq'],
])('%s %s from %s becomes %s', async (method, path, origin, expected) => {
  const { url, close } = await echo();
  const answer = await fetch(url + path, { method, headers: origin === undefined ? {} : { origin } });
  expect(await answer.text()).toBe(expected);
  close();
});

test('a post of our own site goes where it is sent, behind a proxy as well', async () => {
  const { url, close } = await echo();
  const own = await fetch(`${url}/login`, { method: 'POST', headers: { origin: url } });
  expect(await own.text()).toBe('POST /login');
  const headers = { origin: 'https://www.quadrille.example', 'x-forwarded-host': 'www.quadrille.example' };
  expect(await (await fetch(`${url}/login`, { method: 'POST', headers })).text()).toBe('POST /login');
  close();
});

/** A server behind the hook that says what reaches it. */
async function echo() {
  vi.stubEnv('LOG_LEVEL', 'silent');
  const { hookServer } = await import('~/http/server-hooks.server');
  hookServer();
  const server = createServer(({ method, url }, response) => response.end(`${method} ${url}`));
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
