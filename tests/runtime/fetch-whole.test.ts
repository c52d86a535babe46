import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchWhole } from '#runtime/fetch-whole';

let url: string;
let respond: (response: ServerResponse) => void;
let closed: Promise<unknown>;
const server = createServer((_, response) => {
  closed = once(response, 'close');
  respond(response);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('a body that stalls ends with the signal, even after a garbage collection, and its connection too', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  respond = (response) => response.write('half');
  const requested = fetchWhole(url, { signal: AbortSignal.timeout(600) });
  const collecting = setInterval(collect, 20);
  await expect(requested).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }));
  clearInterval(collecting);
  await closed;
});

test('a request that is aborted before its body is read has no body', async () => {
  respond = (response) => response.write('half');
  const leaving = new AbortController();
  const requested = fetchWhole(url, { signal: leaving.signal });
  await once(server, 'request');
  leaving.abort();
  await expect(requested).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
});

test('status, headers and body arrive unchanged, also where there is no body', async () => {
  const { signal } = new AbortController();
  const text = 'é'.repeat(100_000);
  respond = (response) => response.writeHead(418, { 'X-Kind': 'tea' }).end(text);
  const full = await fetchWhole(url, { signal });
  expect([full.status, full.headers.get('x-kind'), await full.text()]).toEqual([418, 'tea', text]);
  respond = (response) => response.writeHead(204).end();
  const empty = await fetchWhole(url, { signal });
  expect([empty.status, empty.body]).toEqual([204, null]);
});
