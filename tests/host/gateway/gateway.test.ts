import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { serve } from '@hono/node-server';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Gateway, type GatewaySettings, startGateway } from '#host/gateway/gateway';
import { freePort } from '../../support/free-port';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { INTERNAL_KEYS } from '../../support/internal-key';
import { sendExpectContinue, sendRaw } from '../../support/raw-request';

let host: TestHost;
let account: TestAccount;
let hostServer: Server;
let hostUrl: string;
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
  hostServer = serve({ fetch: host.app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await once(hostServer, 'listening');
  hostUrl = urlOf(hostServer);
});

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

afterAll(async () => {
  hostServer.closeAllConnections();
  hostServer.close();
  await host.close();
});

test('a scan is handled by the host and counted, whatever headers the visitor sends', async () => {
  const { url } = await open({ website: echo });
  const code = await host.code(account.id);
  const answer = await ask(`${url}/R/${code.slug}`, {
    'user-agent':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Version/17.4 Mobile/15E148 Safari/604.1',
    'x-client-ip': '203.0.113.9',
    authorization: `Bearer ${account.token}`,
  });
  expect(answer.status).toBe(302);
  expect(answer.headers.location).toBe(code.content);
  await host.recorder.idle();
  // Neither the claimed IP address nor somebody's token is believed.
  expect(await visitsOf(code.id)).toEqual([{ class: 'human', outcome: 'served' }]);
});

test('the gateway does not expose the programs’ health and metrics', async () => {
  let asked = 0;
  const { url } = await open({
    website: (_, response) => {
      asked += 1;
      response.end();
    },
  });
  for (const path of ['/metrics', '/metrics/', '/METRICS?x=1', '/%6detrics', '//metrics', '/metrics.data']) {
    const answer = await ask(url + path, { host: 'localhost', authorization: 'Bearer whatever-it-is' });
    expect([answer.status, answer.body], path).toEqual([404, '']);
  }
  expect(asked).toBe(0);
  expect((await ask(`${url}/metrics-of-others`)).status).toBe(200);
});

test('a scan and the page shown for it have the same request id', async () => {
  const { url } = await open({ website: echo });
  const code = await host.code(account.id, { type: 'text', content: 'Hello' });
  const given = await ask(`${url}/r/${code.slug}`, { 'x-request-id': 'a-scan-of-ours' });
  expect(JSON.parse(given.body).headers['x-request-id']).toBe('a-scan-of-ours');
  const link = await ask(`${url}/r/${(await host.code(account.id)).slug}`, { 'x-request-id': 'no id' });
  expect(link.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('a code that needs a page is shown by the website under the requested URL', async () => {
  const { url } = await open({ website: echo });
  const code = await host.code(account.id, { type: 'text', content: 'Hello' });
  const answer = await ask(`${url}/r/${code.slug}?utm_source=poster`);
  expect(answer.status).toBe(200);
  const shown = JSON.parse(answer.body) as { url: string };
  expect(shown.url).toMatch(new RegExp(`^/r/${code.slug}\\?counted=[\\w.-]+$`));
  await host.recorder.idle();
  expect(await visitsOf(code.id)).toHaveLength(1);
});

test('visits of signed-in users go through the website, which can identify the owner', async () => {
  const { url } = await open({ website: echo });
  const code = await host.code(account.id);
  for (const name of ['session', '__Host-session']) {
    const answer = await ask(`${url}/r/${code.slug}`, { cookie: `lng=de; ${name}=abc` });
    expect(JSON.parse(answer.body)).toMatchObject({ url: `/r/${code.slug}` });
  }
});

test.each([
  ['GET', '/', {}],
  ['GET', '/r/', {}],
  ['GET', '/r/%41BCDEFGH', {}],
  ['GET', '/r/ABCDEFGH/more', {}],
  ['GET', '/r/ABCDEFGH?counted=1.x', {}],
  ['POST', '/r/ABCDEFGH', {}],
  ['POST', '/e/ABCDEFGH/copy', { origin: 'https://evil.example' }],
  ['POST', '/e/ABCDEFGH/copy', { 'sec-fetch-site': 'cross-site' }],
  ['DELETE', '/b/ABCDEFGH', {}],
])('%s %s %o goes to the website', async (method, path, headers) => {
  const { url } = await open({ website: echo });
  const answer = await ask(url + path, headers, method);
  expect(JSON.parse(answer.body)).toMatchObject({ url: path, method });
});

test('acts and reports go to the host; failed acts are shown by the website', async () => {
  const { url } = await open({ website: echo });
  const code = await host.code(account.id, { type: 'email', content: 'a@b.example' });
  const act = await ask(`${url}/e/${code.slug}/write`);
  expect([act.status, act.headers.location]).toEqual([302, 'mailto:a@b.example']);
  const copied = await ask(`${url}/e/${code.slug}/copy`, { origin: url }, 'POST');
  expect(copied.status).toBe(204);
  const unknown = await ask(`${url}/e/AAAAAAAA/write`);
  expect(JSON.parse(unknown.body)).toMatchObject({ url: '/e/AAAAAAAA/write' });
  const link = await host.code(account.id);
  const report = await ask(`${url}/b/${link.slug}`, { origin: 'https://shop.example', cookie: 'session=x' });
  expect([report.status, report.headers['access-control-allow-origin']]).toEqual([200, '*']);
});

test('the website gets the visitor’s IP address, and forged headers are dropped', async () => {
  const { url } = await open({ website: echo });
  const forged = {
    ...{ 'x-client-ip': '203.0.113.9', 'x-client-address': '203.0.113.9' },
    'x-internal-key': 'a guess',
    'x-host-unavailable': '1',
    'x-forwarded-for': '198.51.100.7',
  };
  const { headers } = JSON.parse((await ask(`${url}/faq`, forged)).body);
  expect(headers['x-client-ip']).toBe('127.0.0.1');
  expect(headers).not.toHaveProperty('x-client-address');
  expect(headers['x-internal-key']).toBe(INTERNAL_KEYS[0]);
  expect(headers).not.toHaveProperty('x-host-unavailable');

  const behindProxy = await open({ website: echo, trustProxy: 'x-forwarded-for' });
  const through = JSON.parse((await ask(`${behindProxy.url}/faq`, forged)).body);
  expect(through.headers['x-client-ip']).toBe('198.51.100.7');
});

test('the gateway’s own responses have HSTS on https addresses too', async () => {
  const addresses = ['https://quadrille.example'];
  const { gateway } = await open({ website: echo, websiteUrl: 'http://127.0.0.1:9', addresses });
  const ask = (path: string, host: string) =>
    sendRaw(
      gateway.port,
      `POST ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Content-Length: 2',
      'Connection: close',
      '',
    );
  for (const path of ['/faq', '/b/AAAAAAAA', '/\\']) {
    expect((await ask(path, 'quadrille.example')).head).toContain(
      'Strict-Transport-Security: max-age=63072000',
    );
  }
  expect((await ask('/faq', 'localhost')).head).not.toContain('Strict-Transport-Security');
  expect((await ask('/faq', 'evil.example')).status).toBe(421);
});

test('bodies and several cookies are forwarded unchanged in both directions', async () => {
  const { url } = await open({
    website: (incoming, response) => {
      response.writeHead(201, { 'Set-Cookie': ['a=1', 'b=2'] });
      incoming.pipe(response);
    },
  });
  const sent = 'x'.repeat(3_000_000);
  const answer = await ask(`${url}/contact`, { 'content-type': 'text/plain' }, 'POST', sent);
  expect(answer.status).toBe(201);
  expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  expect(answer.body).toBe(sent);
});

test('without the website a 503 page is in the visitor’s language, and scans still work', async () => {
  const { url } = await open({ website: echo, websiteUrl: `http://127.0.0.1:${await freePort()}` });
  const page = await ask(`${url}/faq`, { 'accept-language': 'de-AT,en;q=0.5' }, 'POST', 'a=b');
  expect([page.status, page.headers['retry-after']]).toEqual([503, '10']);
  expect(page.headers['x-content-type-options']).toBe('nosniff');
  expect(page.body).toContain('<html lang="de">');
  const code = await host.code(account.id);
  expect((await ask(`${url}/r/${code.slug}`)).status).toBe(302);
});

test('a hanging website does not delay scans', async () => {
  const { url } = await open({ website: hanging });
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
  cleanups.push(async () => {
    silent.closeAllConnections();
    silent.close();
  });
  const { url } = await open({ website: echo, hostUrl: urlOf(silent) });
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

test('a scan waits for a host that restarts', async () => {
  const code = await host.code(account.id);
  const port = await freePort();
  const { url } = await open({ website: echo, hostUrl: `http://127.0.0.1:${port}` });
  const waiting = ask(`${url}/r/${code.slug}`);
  const again = serve({ fetch: host.app.fetch, port, hostname: '127.0.0.1' }) as Server;
  cleanups.push(async () => {
    again.closeAllConnections();
    again.close();
  });
  expect((await waiting).status).toBe(302);
});

test('a retried visit keeps its id and is marked as resent, whatever headers the visitor sends', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const dying = createServer((request, response) => {
    seen.push(request.headers);
    if (seen.length < 3) request.socket.destroy();
    else response.writeHead(302, { location: 'https://there.example/' }).end();
  }).listen(0, '127.0.0.1');
  await once(dying, 'listening');
  cleanups.push(async () => {
    dying.closeAllConnections();
    dying.close();
  });
  const { url } = await open({ website: echo, hostUrl: urlOf(dying) });
  const claimed = { 'x-visit-id': 'of-the-visitor', 'x-visit-resent': '1' };
  expect((await ask(`${url}/r/7K3M9QXD`, claimed)).status).toBe(302);
  expect((await ask(`${url}/r/7K3M9QXD`)).status).toBe(302);
  const [first, second, third, another] = seen;
  expect(first?.['x-visit-id']).toMatch(/^[\w-]{8}[0-9a-z]+$/);
  expect(seen.map((headers) => headers['x-visit-resent'])).toEqual([undefined, '1', '1', undefined]);
  expect([second, third].map((headers) => headers?.['x-visit-id'])).toEqual(
    Array(2).fill(first?.['x-visit-id']),
  );
  expect(another?.['x-visit-id']).not.toBe(first?.['x-visit-id']);
});

test('a report whose body never arrives gets its response at once, and its connection is closed', async () => {
  const { url } = await open({ website: echo });
  const link = await host.code(account.id);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let said = '';
  socket.on('data', (bytes) => {
    said += bytes;
  });
  socket.write(`POST /b/${link.slug} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n[`);
  await once(socket, 'close');
  expect(said).toMatch(/^HTTP\/1\.1 204 /);
});

test('malformed HTTP is refused without affecting other connections', async () => {
  const { url } = await open({ website: echo });
  const { port } = new URL(url);
  const absolute = await new Promise<number>((resolve, reject) => {
    const sent = request({ port, path: '*', method: 'OPTIONS' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
  expect(absolute).toBe(400);
  expect((await ask(`${url}/faq`)).status).toBe(200);
});

test('a stopping gateway fails its health checks first, and then completes pending requests', async () => {
  const { url, gateway, release } = await open({ website: held });
  const underWay = ask(`${url}/faq`);
  await release.isHeld;
  const closed = gateway.close(300);
  const drained = await ask(`${url}/readyz`);
  expect([drained.status, drained.headers.connection]).toEqual([503, 'close']);
  release.now();
  expect((await underWay).status).toBe(200);
  await closed;
  await expect(ask(`${url}/faq`)).rejects.toThrow('ECONNREFUSED');
  cleanups.pop();
});

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

const SETTINGS = {
  port: 0,
  address: '127.0.0.1',
  trustProxy: null,
  countryHeader: null,
  appName: 'Quadrille',
  addresses: [],
  internalKeys: INTERNAL_KEYS,
  hstsSubdomains: true,
  log: pino({ level: 'silent' }),
};

/** A gateway in front of the real host and a website with the handler `website`. */
async function open({ website, ...settings }: { website: Handler | typeof held } & Partial<GatewaySettings>) {
  const release = createRelease();
  const handler = website === held ? release.handler : (website as Handler);
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const gateway: Gateway = await startGateway({
    ...SETTINGS,
    websiteUrl: urlOf(server),
    hostUrl,
    ...settings,
  });
  cleanups.push(() => gateway.close(0));
  return { url: `http://127.0.0.1:${gateway.port}`, gateway, release };
}

const held = Symbol('answers when it is told to');

function createRelease() {
  let now = () => {};
  let onHeld = () => {};
  const released = new Promise<void>((resolve) => {
    now = resolve;
  });
  const isHeld = new Promise<void>((resolve) => {
    onHeld = resolve;
  });
  const handler: Handler = (_, response) => {
    onHeld();
    released.then(() => response.end('ok'));
  };
  return { handler, isHeld, now: () => now() };
}

const hanging: Handler = () => undefined;

const echo: Handler = ({ method, url, headers }, response) => {
  response.end(JSON.stringify({ method, url, headers }));
};

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

function ask(url: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        body: Buffer.concat(chunks).toString(),
      });
    });
    sent.on('error', reject).end(body);
  });
}

async function visitsOf(codeId: string): Promise<{ class: string; outcome: string }[]> {
  return host.db.query({
    name: 'test-visits',
    text: 'select class, outcome from visits where code_id = $1',
    values: [codeId],
  });
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('no 100 Continue is sent for a body that the website would refuse, or for one to the host', async () => {
  const { url } = await open({
    website: (request, response) => request.resume().on('end', () => response.end()),
  });
  const port = Number(new URL(url).port);
  expect(await sendExpectContinue(port, '/login', 100_000)).toBe(413);
  expect(await sendExpectContinue(port, '/create', 9_000_000)).toBe(413);
  expect(await sendExpectContinue(port, '/create', 7_000_000)).toBe(100);
  expect(await sendExpectContinue(port, '/login', 1_000)).toBe(100);
  expect(await sendExpectContinue(port, '/b/AAAAAAAA', 1_000)).toBeGreaterThanOrEqual(200);
});
