import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProxyCheck } from '#runtime/client-address';
import { internalKeysOf } from '#runtime/internal-key';
import { guardServer } from '#runtime/server-guard';

const [KEY = ''] = internalKeysOf(['a secret of the tests that is long enough']);

/** A guarded server that answers when the test releases a request, or at once below /now. */
async function serve({ isProxy = createProxyCheck() } = {}) {
  const held: { request: IncomingMessage; response: ServerResponse }[] = [];
  const lines: object[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/now')) response.end(request.url);
    else held.push({ request, response });
  });
  guardServer(server, {
    addresses: [],
    internalKeys: [KEY],
    includeSubDomains: false,
    log: { info: (entry) => lines.push(entry) },
    proxies: { isProxy, trustProxy: 'x-forwarded-for' },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;

  async function open(): Promise<{ socket: Socket; said: () => string; statuses: () => string[] }> {
    const socket = connect(port, '127.0.0.1');
    let said = '';
    socket.on('data', (bytes) => {
      said += bytes;
    });
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return { socket, said: () => said, statuses: () => said.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [] };
  }

  /** Sends one request over a connection of its own, as a client behind a proxy. */
  async function ask(path: string, client: string, ...lines: string[]) {
    const connection = await open();
    connection.socket.write(get(path, `X-Forwarded-For: ${client}`, ...lines));
    return connection;
  }

  const heldPaths = () => held.map(({ request }) => request.url);
  return { held, heldPaths, lines, open, ask };
}

/** Polls without the clock, which `expect.poll` would advance. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const get = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
const times = (count: number, path: string) =>
  Array.from({ length: count }, (_, n) => get(`${path}${n}`)).join('');

test('requests sent at once over a connection are handled one at a time and answered in order', async () => {
  const { held, heldPaths, open } = await serve();
  const { socket, said } = await open();
  socket.write(get('/slow') + get('/now/1') + get('/slow/2'));
  await expect.poll(heldPaths).toEqual(['/slow']);
  held[0]?.response.end('/slow/1');
  await expect.poll(heldPaths).toEqual(['/slow', '/slow/2']);
  held[1]?.response.end('/slow/2');
  await expect.poll(() => said().match(/\/(?:slow|now)\/\d/g)).toEqual(['/slow/1', '/now/1', '/slow/2']);
});

test('sixteen requests may wait on a connection; with one more it is closed', async () => {
  const { held, lines, open } = await serve();
  const patient = await open();
  patient.socket.write(get('/first') + times(16, '/now/'));
  await expect.poll(() => held.length).toBe(1);
  held[0]?.response.end();
  await expect.poll(() => patient.statuses().length).toBe(17);
  expect([patient.socket.destroyed, lines]).toEqual([false, []]);

  const greedy = await open();
  greedy.socket.write(get('/first') + times(17, '/held/'));
  await once(greedy.socket, 'close');
  expect([greedy.said(), held.length, lines.length]).toEqual(['', 2, 1]);
});

test('of thousands of requests sent at once, hardly more are parsed than may wait', async () => {
  const { open } = await serve();
  const { socket } = await open();
  let parsed = 0;
  const count = () => {
    parsed += 1;
  };
  subscribe('http.server.request.start', count);
  onTestFinished(() => void unsubscribe('http.server.request.start', count));
  socket.write(times(2_000, '/held/'));
  await expect.poll(() => socket.closed).toBe(true);
  expect(parsed).toBe(18);
});

test('when the client leaves, every response is closed and no waiting request is begun', async () => {
  const { heldPaths, open } = await serve();
  const announced: (string | undefined)[] = [];
  const closed: (string | undefined)[] = [];
  const follow = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    announced.push(request.url);
    response.once('close', () => closed.push(request.url));
  };
  subscribe('http.server.request.start', follow);
  onTestFinished(() => void unsubscribe('http.server.request.start', follow));
  for (const count of [3, 3_000]) {
    const { socket } = await open();
    socket.write(times(count, `/${count}/`));
    await expect.poll(() => heldPaths().includes(`/${count}/0`)).toBe(true);
    socket.destroy();
    await expect.poll(() => closed.length).toBe(announced.length);
  }
  expect(announced.length).toBeGreaterThan(20);
  expect(closed.sort()).toEqual(announced.sort());
  expect(heldPaths()).toEqual(['/3/0', '/3000/0']);
});

test('after a refusal or a last response, the other requests of the connection are dropped', async () => {
  const { held, open } = await serve();
  const refused = await open();
  refused.socket.write(get('/now') + get('/%zz') + get('/held'));
  await once(refused.socket, 'close');
  expect(refused.statuses()).toEqual(['200', '400']);
  const last = await open();
  last.socket.write(get('/now', 'Connection: close') + get('/held'));
  await once(last.socket, 'close');
  expect([last.statuses(), held]).toEqual([['200'], []]);
});

test('a client may have 16 visits and 256 other requests underway; one more waits for one of them', async () => {
  const { held, heldPaths, ask } = await serve();
  await Promise.all(Array.from({ length: 16 }, (_, n) => ask(`/r/${n}`, '198.51.100.7')));
  await Promise.all(Array.from({ length: 256 }, (_, n) => ask(`/page/${n}`, '198.51.100.7')));
  await expect.poll(() => held.length).toBe(272);
  const visit = await ask('/L/waiting', '198.51.100.7');
  const page = await ask('/page/waiting', '198.51.100.7');
  const left = await ask('/r/left', '198.51.100.7');
  // Somebody else's requests, and those of our own programs, are begun meanwhile.
  await ask('/r/other', '198.51.100.8');
  await ask('/r/own', '198.51.100.7', `X-Internal-Key: ${KEY}`);
  await ask('/r/proxy', '127.0.0.1');
  await expect.poll(() => heldPaths().slice(272).sort()).toEqual(['/r/other', '/r/own', '/r/proxy']);
  left.socket.destroy();

  held.find(({ request }) => request.url === '/r/3')?.response.end();
  await expect.poll(heldPaths).toContain('/L/waiting');
  expect(heldPaths()).not.toContain('/page/waiting');
  held.find(({ request }) => request.url === '/page/3')?.response.end();
  await expect.poll(heldPaths).toContain('/page/waiting');
  for (const { response } of held) response.end();
  await expect.poll(() => [...visit.statuses(), ...page.statuses()]).toEqual(['200', '200']);
  expect(heldPaths()).not.toContain('/r/left');
  // All places are free again.
  await Promise.all(Array.from({ length: 16 }, (_, n) => ask(`/r/again/${n}`, '198.51.100.7')));
  await expect.poll(() => heldPaths().filter((path) => path?.startsWith('/r/again')).length).toBe(16);
});

test('clients of one IPv6 network of 56 bits share their places', async () => {
  const { heldPaths, ask } = await serve();
  await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      ask(`/r/${n}`, `2001:db8:0:12${n.toString(16).padStart(2, '0')}::1`),
    ),
  );
  await expect.poll(() => heldPaths().length).toBe(16);
  await ask('/r/inside', '2001:db8:0:12ff::2');
  await ask('/r/outside', '2001:db8:0:1300::2');
  await expect.poll(heldPaths).toContain('/r/outside');
  expect(heldPaths()).not.toContain('/r/inside');
});

test('256 requests of a client may wait, for five seconds; others are refused', async () => {
  const { held, ask } = await serve();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const all = await Promise.all(Array.from({ length: 272 }, (_, n) => ask(`/r/${n}`, '198.51.100.7')));
  const statuses = () => all.flatMap((one) => one.statuses());
  await until(() => held.length === 16);
  const refused = await ask('/r/refused', '198.51.100.7');
  await once(refused.socket, 'close');
  expect(refused.said()).toMatch(/^HTTP\/1\.1 429 [\s\S]*\r\nRetry-After: 1\r\n/);

  await vi.advanceTimersByTimeAsync(4_999);
  held[0]?.response.end();
  await until(() => statuses().length > 0);
  expect([statuses(), held.length]).toEqual([['200'], 17]);
  await vi.advanceTimersByTimeAsync(1);
  await until(() => statuses().length > 255);
  expect(statuses().filter((status) => status === '429')).toHaveLength(255);
  // Those who were begun are not refused.
  for (const { response } of held) response.end();
  await until(() => statuses().length === 272);
  expect(statuses().filter((status) => status === '200')).toHaveLength(17);
});

test('beyond 256 connections of a peer the one that has been idle for longest is closed', async () => {
  const { held, open } = await serve({ isProxy: () => false });
  const connections = [];
  for (let n = 0; n < 256; n += 1) connections.push(await open());
  const [first, second, third] = connections;
  first?.socket.write(get('/held'));
  second?.socket.write(get('/now'));
  await expect.poll(() => [held.length, second?.statuses()]).toEqual([1, ['200']]);
  const newest = await open();
  newest.socket.write(get('/now'));
  await once(third?.socket as Socket, 'close');
  await expect.poll(newest.statuses).toEqual(['200']);
  const open256 = [...connections, newest].filter(({ socket }) => !socket.closed);
  expect(open256).toHaveLength(256);

  // As many are closed as arrive at the same time.
  const crowd = await Promise.all(Array.from({ length: 40 }, open));
  const openNow = () => [...open256, ...crowd].filter(({ socket }) => !socket.closed);
  await expect.poll(() => openNow().length).toBe(256);
  expect(crowd.filter(({ socket }) => socket.closed)).toEqual([]);

  // If all are busy, the newest is closed.
  for (const { socket } of openNow()) if (socket !== first?.socket) socket.write(get('/held'));
  await expect.poll(() => held.length).toBe(256);
  const { socket } = await open();
  await once(socket, 'close');
  first?.socket.destroy();
  await once(first?.socket as Socket, 'close');
  const another = await open();
  another.socket.write(get('/now'));
  await expect.poll(another.statuses).toEqual(['200']);
});

test('beyond 2,000 connections of all peers the one that has been idle for longest is closed', async () => {
  const { open } = await serve({ isProxy: () => true });
  const connections: Awaited<ReturnType<typeof open>>[] = [];
  for (let n = 0; n < 20; n += 1)
    connections.push(...(await Promise.all(Array.from({ length: 100 }, () => open()))));
  const closed = () => connections.filter(({ socket }) => socket.closed);
  const newest = await open();
  await expect.poll(() => closed().length).toBe(1);
  newest.socket.write(get('/now'));
  await expect.poll(newest.statuses).toEqual(['200']);
  expect(closed()).toHaveLength(1);
});

test('connections of proxies and of our own programs are not limited', async () => {
  for (const isProxy of [() => true, () => false]) {
    const { held, open } = await serve({ isProxy });
    const known = await open();
    const request = get('/held', `X-Internal-Key: ${KEY}`);
    known.socket.write(request);
    await expect.poll(() => held.length).toBe(1);
    const connections = [];
    for (let n = 0; n < 300; n += 1) connections.push(await open());
    for (const { socket } of connections) socket.write(request);
    await expect.poll(() => held.length).toBe(301);
  }
});
