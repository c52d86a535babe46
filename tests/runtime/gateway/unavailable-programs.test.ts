import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { serve } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/free-port';
import type { TestAccount, TestHost } from '../../support/host';
import { ask, echo, hanging, held, serveBehindGateways, urlOf } from './open-gateways';

let gateways: Awaited<ReturnType<typeof serveBehindGateways>>;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  gateways = await serveBehindGateways();
  ({ host, account } = gateways);
});
afterEach(() => gateways.clean());
afterAll(() => gateways.close());

test('without the website a 503 page is in the visitor’s language, and scans still work', async () => {
  const { url } = await gateways.open({ website: echo, websiteUrl: `http://127.0.0.1:${await freePort()}` });
  const page = await ask(`${url}/faq`, { 'accept-language': 'de-AT,en;q=0.5' }, 'POST', 'a=b');
  expect([page.status, page.headers['retry-after']]).toEqual([503, '10']);
  expect(page.headers['x-content-type-options']).toBe('nosniff');
  expect(page.body).toContain('<html lang="de">');
  const other = await ask(`${url}/faq`, { 'accept-language': 'sv, fr;q=0.8' }, 'POST', 'a=b');
  expect(other.body).toContain('<html lang="fr">');
  const chosen = await ask(`${url}/faq`, { cookie: 'lng=fr; __Host-lng=it' }, 'POST', 'a=b');
  expect(chosen.body).toContain('<html lang="it">');
  const code = await host.code(account.id);
  expect((await ask(`${url}/r/${code.slug}`)).status).toBe(302);
});

test('a hanging website does not delay scans', async () => {
  const { url } = await gateways.open({ website: hanging });
  const code = await host.code(account.id);
  const leaving = request(`${url}/faq`).on('error', () => undefined);
  leaving.end();
  await once(leaving, 'finish');
  expect((await ask(`${url}/r/${code.slug}`)).status).toBe(302);
  leaving.destroy();
});

test('scans queued for a hanging host wait no longer than the ones before them', async () => {
  let end = () => {};
  const silent = createServer((incoming, response) => {
    if (incoming.url !== '/r/BBBBBBBB') return;
    response.write('has begun, ');
    end = () => response.end('and ends');
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  gateways.closeLater(silent);
  const { url } = await gateways.open({ website: echo, hostUrl: urlOf(silent) });
  const long = ask(`${url}/r/BBBBBBBB`);
  const began = performance.now();
  const scans = await Promise.all(Array.from({ length: 600 }, () => ask(`${url}/r/AAAAAAAA`)));
  expect(performance.now() - began).toBeLessThan(9_000);
  expect(scans.map(({ body }) => JSON.parse(body).headers['x-host-unavailable'])).toEqual(
    Array(600).fill('1'),
  );
  // A response that has begun is not cut off.
  end();
  expect((await long).body).toBe('has begun, and ends');
});

test('a client behind a proxy has 16 scans underway, and others are not delayed by its further ones', async () => {
  const clients: unknown[] = [];
  const held: (() => void)[] = [];
  const silent = createServer((incoming, response) => {
    clients.push(incoming.headers['x-client-ip']);
    held.push(() => response.end());
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  gateways.closeLater(silent);
  const { url } = await gateways.open({
    website: echo,
    hostUrl: urlOf(silent),
    trustProxy: 'x-forwarded-for',
  });
  const scan = (client: string) => ask(`${url}/r/AAAAAAAA`, { 'x-forwarded-for': client });
  const scans = Array.from({ length: 17 }, () => scan('198.51.100.7'));
  await expect.poll(() => clients.length).toBe(16);
  scans.push(scan('198.51.100.8'));
  await expect.poll(() => clients.at(-1)).toBe('198.51.100.8');
  held[0]?.();
  await expect.poll(() => clients.length).toBe(18);
  for (const end of held) end();
  for (const { status } of await Promise.all(scans)) expect(status).toBe(200);
});

test('without the host a report gets a response that its page may read', async () => {
  const { url } = await gateways.open({ website: echo, hostUrl: `http://127.0.0.1:${await freePort()}` });
  const { status, headers, body } = await ask(`${url}/b/7K3M9QXD`, {}, 'POST', 'a report');
  expect([status, headers['access-control-allow-origin'], headers['retry-after'], body]).toEqual([
    503,
    '*',
    '30',
    '',
  ]);
});

test('a scan waits for a host that restarts', async () => {
  const code = await host.code(account.id);
  const port = await freePort();
  const { url } = await gateways.open({ website: echo, hostUrl: `http://127.0.0.1:${port}` });
  const waiting = ask(`${url}/r/${code.slug}`);
  const again = serve({ fetch: host.app.fetch, port, hostname: '127.0.0.1' }) as Server;
  gateways.closeLater(again);
  expect((await waiting).status).toBe(302);
});

test('a retried visit keeps its id and is marked as resent, whatever headers the visitor sends', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const dying = createServer((request, response) => {
    seen.push(request.headers);
    if (seen.length < 2) request.socket.destroy();
    else response.writeHead(302, { location: 'https://there.example/' }).end();
  }).listen(0, '127.0.0.1');
  await once(dying, 'listening');
  gateways.closeLater(dying);
  const { url } = await gateways.open({ website: echo, hostUrl: urlOf(dying) });
  const claimed = { 'x-visit-id': 'of-the-visitor', 'x-visit-resent': '1' };
  expect((await ask(`${url}/r/7K3M9QXD`, claimed)).status).toBe(302);
  expect((await ask(`${url}/r/7K3M9QXD`)).status).toBe(302);
  const [first, second, another] = seen;
  expect(first?.['x-visit-id']).toMatch(/^[\w-]{8}[0-9a-z]+$/);
  expect(seen.map((headers) => headers['x-visit-resent'])).toEqual([undefined, '1', undefined]);
  expect(second?.['x-visit-id']).toBe(first?.['x-visit-id']);
  expect(another?.['x-visit-id']).not.toBe(first?.['x-visit-id']);
});

test.each(['/r/7K3M9QXD', '/L/7K3M9QXD/'])(
  'a visit of a signed-in user to %s keeps its id when it is sent to the website again',
  async (path) => {
    const seen: IncomingMessage['headers'][] = [];
    const { url } = await gateways.open({
      website: (request, response) => {
        seen.push(request.headers);
        if (seen.length < 2) request.socket.destroy();
        else response.end();
      },
    });
    const cookie = 'session=of-the-user';
    expect((await ask(`${url}${path}`, { cookie, 'x-visit-id': 'of-the-visitor' })).status).toBe(200);
    await ask(`${url}${path}`, { cookie });
    await ask(`${url}/faq`, { cookie });
    const [first, second, another, page] = seen.map((headers) => headers['x-visit-id']);
    expect(first).toMatch(/^[\w-]{8}[0-9a-z]+$/);
    expect(second).toBe(first);
    expect(another).not.toBe(first);
    expect(page).toBeUndefined();
  },
);

test('a stopping gateway fails its health checks first, and then completes pending requests', async () => {
  const { url, gateway, release } = await gateways.open({ website: held });
  const underWay = ask(`${url}/faq`);
  await release.isHeld;
  const closed = gateway.close(300);
  const drained = await ask(`${url}/readyz`);
  expect([drained.status, drained.headers.connection]).toEqual([503, 'close']);
  release.now();
  expect((await underWay).status).toBe(200);
  await closed;
  await expect(ask(`${url}/faq`)).rejects.toThrow('ECONNREFUSED');
});
