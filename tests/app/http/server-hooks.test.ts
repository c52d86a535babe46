import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';

/** Of the largest form: an image of 2 MB, and the texts beside it. */
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
