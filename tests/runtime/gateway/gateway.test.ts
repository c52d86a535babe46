import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TestAccount, TestHost } from '../../support/host';
import { INTERNAL_KEYS } from '../../support/internal-key';
import { sendExpectContinue, sendRaw } from '../../support/raw-request';
import { ask, echo, serveBehindGateways } from './open-gateways';

let gateways: Awaited<ReturnType<typeof serveBehindGateways>>;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  gateways = await serveBehindGateways();
  ({ host, account } = gateways);
});
afterEach(() => gateways.clean());
afterAll(() => gateways.close());

test('a scan is handled by the host and counted, whatever headers the visitor sends', async () => {
  const { url } = await gateways.open({ website: echo });
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
  let requested = 0;
  const { url } = await gateways.open({
    website: (_, response) => {
      requested += 1;
      response.end();
    },
  });
  for (const path of ['/metrics', '/metrics/', '/METRICS?x=1', '/%6detrics', '//metrics', '/metrics.data']) {
    const answer = await ask(url + path, { host: 'localhost', authorization: 'Bearer whatever-it-is' });
    expect([answer.status, answer.body], path).toEqual([404, '']);
  }
  expect(requested).toBe(0);
  expect((await ask(`${url}/metrics-of-others`)).status).toBe(200);
});

test('a scan and the page shown for it have the same request id', async () => {
  const { url } = await gateways.open({ website: echo });
  const code = await host.code(account.id, { type: 'text', content: 'Hello' });
  const given = await ask(`${url}/r/${code.slug}`, { 'x-request-id': 'a-scan-of-ours' });
  expect(JSON.parse(given.body).headers['x-request-id']).toBe('a-scan-of-ours');
  const link = await ask(`${url}/r/${(await host.code(account.id)).slug}`, { 'x-request-id': 'no id' });
  expect(link.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('a code that needs a page is shown by the website under the requested URL', async () => {
  const { url } = await gateways.open({ website: echo });
  const code = await host.code(account.id, { type: 'text', content: 'Hello' });
  const answer = await ask(`${url}/r/${code.slug}?utm_source=poster`);
  expect(answer.status).toBe(200);
  const shown = JSON.parse(answer.body) as { url: string };
  expect(shown.url).toMatch(new RegExp(`^/r/${code.slug}\\?counted=[\\w.-]+$`));
  await host.recorder.idle();
  expect(await visitsOf(code.id)).toHaveLength(1);
});

test('visits and acts of signed-in users go through the website, which can identify the owner', async () => {
  const { url } = await gateways.open({ website: echo });
  const code = await host.code(account.id);
  const email = await host.code(account.id, { type: 'email', content: 'a@b.example' });
  for (const name of ['session', '__Host-session']) {
    const answer = await ask(`${url}/r/${code.slug}`, { cookie: `lng=de; ${name}=abc` });
    expect(JSON.parse(answer.body)).toMatchObject({ url: `/r/${code.slug}` });
    const act = await ask(`${url}/e/${email.slug}/write`, { cookie: `${name}=abc` });
    expect(JSON.parse(act.body)).toMatchObject({ url: `/e/${email.slug}/write` });
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
  ['POST', '/e/ABCDEFGH/copy', { 'sec-fetch-site': 'same-site' }],
  ['DELETE', '/b/ABCDEFGH', {}],
])('%s %s %o goes to the website', async (method, path, headers) => {
  const { url } = await gateways.open({ website: echo });
  const answer = await ask(url + path, headers, method);
  expect(JSON.parse(answer.body)).toMatchObject({ url: path, method });
});

test('acts and reports go to the host; failed acts are shown by the website', async () => {
  const { url } = await gateways.open({ website: echo });
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
  const { url } = await gateways.open({ website: echo });
  const forged = {
    'x-client-ip': '203.0.113.9',
    'x-client-address': '203.0.113.9',
    'x-internal-key': 'a guess',
    'x-host-unavailable': '1',
    'x-forwarded-for': '198.51.100.7',
  };
  const { headers } = JSON.parse((await ask(`${url}/faq`, forged)).body);
  expect(headers['x-client-ip']).toBe('127.0.0.1');
  expect(headers).not.toHaveProperty('x-client-address');
  expect(headers['x-internal-key']).toBe(INTERNAL_KEYS[0]);
  expect(headers).not.toHaveProperty('x-host-unavailable');

  const behindProxy = await gateways.open({ website: echo, trustProxy: 'x-forwarded-for' });
  const through = JSON.parse((await ask(`${behindProxy.url}/faq`, forged)).body);
  expect(through.headers['x-client-ip']).toBe('198.51.100.7');
  const several = { ...forged, 'x-forwarded-for': '203.0.113.9, 198.51.100.8' };
  const last = JSON.parse((await ask(`${behindProxy.url}/faq`, several)).body);
  expect(last.headers['x-client-ip']).toBe('198.51.100.8');
});

test('the gateway’s own responses have HSTS on https addresses too', async () => {
  const addresses = ['https://quadrille.example'];
  const { gateway } = await gateways.open({ website: echo, websiteUrl: 'http://127.0.0.1:9', addresses });
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
  const { url } = await gateways.open({
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

test('a report whose body never arrives gets its response at once, and its connection is closed', async () => {
  const { url } = await gateways.open({ website: echo });
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
  const { url } = await gateways.open({ website: echo });
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

test('no 100 Continue is sent for a body that the website would refuse, or for one to the host', async () => {
  const { url } = await gateways.open({
    website: (request, response) => request.resume().on('end', () => response.end()),
  });
  const port = Number(new URL(url).port);
  expect(await sendExpectContinue(port, '/login', 100_000)).toBe(413);
  expect(await sendExpectContinue(port, '/create', 9_000_000)).toBe(413);
  expect(await sendExpectContinue(port, '/create', 7_000_000)).toBe(100);
  expect(await sendExpectContinue(port, '/login', 1_000)).toBe(100);
  expect(await sendExpectContinue(port, '/b/AAAAAAAA', 1_000)).toBeGreaterThanOrEqual(200);
});

async function visitsOf(codeId: string): Promise<{ class: string; outcome: string }[]> {
  return host.db.query({
    name: 'test-visits',
    text: 'select class, outcome from visits where code_id = $1',
    values: [codeId],
  });
}
