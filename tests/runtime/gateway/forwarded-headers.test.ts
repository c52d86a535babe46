import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createProxyCheck } from '#runtime/client-address';
import type { GatewaySettings } from '#runtime/gateway/gateway';
import { INTERNAL_KEYS } from '../../support/internal-key';
import { sendRaw } from '../../support/raw-request';
import { ask, echo, serveBehindGateways, urlOf } from './open-gateways';

let gateways: Awaited<ReturnType<typeof serveBehindGateways>>;

beforeAll(async () => {
  gateways = await serveBehindGateways();
});
afterEach(() => gateways.clean());
afterAll(() => gateways.close());

/** A gateway in front of a website and a host that echo what they receive. */
async function open(settings: Partial<GatewaySettings> = {}) {
  const host = createServer(echo);
  await once(host.listen(0, '127.0.0.1'), 'listening');
  gateways.closeLater(host);
  const { gateway } = await gateways.open({ website: echo, hostUrl: urlOf(host), ...settings });
  /** The headers that arrive, at the website unless the path is a visit. */
  return async (lines: string[], path = '/faq'): Promise<Record<string, string>> => {
    const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines];
    const { status, body } = await sendRaw(gateway.port, ...head);
    expect(status).toBe(200);
    return JSON.parse(/\{.*\}/s.exec(body)?.[0] ?? '').headers;
  };
}

const PATHS = ['/faq', '/r/7K3M9QXD', '/b/7K3M9QXD', '/e/7K3M9QXD/copy', '/api/v1/codes'];

test.each(PATHS)('only the gateway says who the client of %s is', async (path) => {
  const seen = await open();
  const forged = [
    'X-Client-Ip: 203.0.113.9',
    'X-Client-Address: 203.0.113.9',
    'X-Client-Country: FR',
    'X-Internal-Key: a guess',
    'X-INTERNAL-KEY: another',
    'X-Forwarded-For: 203.0.113.9',
    'X-Visit-Id: mine',
    'X-Visit-Resent: 1',
    'X-Token-Resource: mcp',
    'X-Call-Counted: 1',
    'X-Host-Unavailable: 1',
    'X-Accept-Internal-Redirect: 1',
    'CF-IPCountry: FR',
  ];
  const headers = await seen(forged, path);
  expect(headers).toMatchObject({ 'x-client-ip': '127.0.0.1', 'x-internal-key': INTERNAL_KEYS[0] });
  const dropped = ['client-address', 'client-country', 'visit-resent', 'host-unavailable', 'token-resource'];
  for (const name of [...dropped, 'call-counted']) expect(headers).not.toHaveProperty(`x-${name}`);
  expect(headers['x-visit-id']).not.toBe('mine');
  expect(headers['x-accept-internal-redirect']).toBe(path.startsWith('/r') ? '1' : undefined);
});

test('not even a request with the internal key says who its client is', async () => {
  const seen = await open();
  const lines = [`X-Internal-Key: ${INTERNAL_KEYS[0]}`, 'X-Client-Ip: 203.0.113.9', 'X-Client-Country: FR'];
  const headers = await seen(lines);
  expect([headers['x-client-ip'], headers['x-client-country']]).toEqual(['127.0.0.1', undefined]);
});

test.each([
  ['x-forwarded-for', ['X-Forwarded-For: 203.0.113.9, 198.51.100.7'], '198.51.100.7'],
  ['x-forwarded-for', ['X-Forwarded-For: 203.0.113.9', 'x-forwarded-for: 198.51.100.7'], '198.51.100.7'],
  ['x-forwarded-for', ['X-Forwarded-For: 198.51.100.7', 'X-Real-IP: 203.0.113.9'], '198.51.100.7'],
  ['x-forwarded-for', ['X-Forwarded-For: 203.0.113.9, not an address'], '127.0.0.1'],
  ['x-forwarded-for', ['X-Forwarded-For: 2001:db8::7'], '2001:db8::7'],
  ['x-forwarded-for', [], '127.0.0.1'],
  ['x-real-ip', ['X-Forwarded-For: 203.0.113.9', 'X-Real-IP: 198.51.100.7'], '198.51.100.7'],
  ['x-real-ip', ['X-Real-IP: 203.0.113.9', 'X-Real-IP: 198.51.100.7'], '198.51.100.7'],
  ['cf-connecting-ip', ['X-Forwarded-For: 203.0.113.9', 'CF-Connecting-IP: 198.51.100.7'], '198.51.100.7'],
  [null, ['X-Forwarded-For: 203.0.113.9', 'X-Real-IP: 203.0.113.9'], '127.0.0.1'],
])('with TRUST_PROXY=%s, %j names the client %s', async (trustProxy, lines, clientIp) => {
  const seen = await open({ trustProxy });
  for (const path of PATHS) expect((await seen(lines, path))['x-client-ip'], path).toBe(clientIp);
});

test('a peer that is no proxy names nobody', async () => {
  const proxies = { trustProxy: 'x-forwarded-for', countryHeader: 'cf-ipcountry' };
  const lines = ['X-Forwarded-For: 203.0.113.9', 'CF-IPCountry: FR'];
  const untrusted = await open({ ...proxies, isProxy: () => false });
  const trusted = await open({ ...proxies, isProxy: createProxyCheck() });
  for (const path of PATHS) {
    const headers = await untrusted(lines, path);
    expect([headers['x-client-ip'], headers['x-client-country'], headers['cf-ipcountry']]).toEqual([
      '127.0.0.1',
      undefined,
      undefined,
    ]);
    expect(await trusted(lines, path)).toMatchObject({
      'x-client-ip': '203.0.113.9',
      'x-client-country': 'FR',
    });
  }
});

test('headers of the connection itself are not forwarded', async () => {
  const seen = await open();
  const headers = await seen([
    'Keep-Alive: timeout=5',
    'TE: trailers',
    'Trailer: X-Sum',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABk',
    'Proxy-Connection: close',
    'Proxy-Authorization: Basic YTpi',
    'Proxy-Authenticate: Basic',
  ]);
  const kept = Object.keys(headers).filter((name) => !name.startsWith('x-'));
  expect(kept.sort()).toEqual(['connection', 'host']);
  expect(headers.connection).toBe('keep-alive');
});

test('Connection cannot remove what a browser or a proxy has added', async () => {
  const seen = await open({ trustProxy: 'x-forwarded-for' });
  const headers = await seen([
    'Connection: host, Origin, sec-fetch-site, x-forwarded-for, x-forwarded-host, via',
    'Origin: https://evil.example',
    'Sec-Fetch-Site: cross-site',
    'Via: 1.1 proxy',
    'X-Forwarded-For: 198.51.100.7',
    'X-Forwarded-Host: localhost',
  ]);
  expect(headers).toMatchObject({
    host: 'localhost',
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
    via: '1.1 proxy',
    'x-client-ip': '198.51.100.7',
    'x-forwarded-host': 'localhost',
  });
});

test.each([
  ['same-origin', '/e/7K3M9QXD/copy', true],
  ['none', '/e/7K3M9QXD/copy', true],
  ['same-site', '/e/7K3M9QXD/copy', false],
  ['cross-site', '/e/7K3M9QXD/copy', false],
])('an action posted from %s goes to %s at the host: %s', async (site, path, isForHost) => {
  const host = createServer((_, response) => response.writeHead(204).end());
  await once(host.listen(0, '127.0.0.1'), 'listening');
  gateways.closeLater(host);
  const { url } = await gateways.open({ website: echo, hostUrl: urlOf(host) });
  // An origin of ours does not help.
  const { status } = await ask(url + path, { 'sec-fetch-site': site, origin: url }, 'POST');
  expect(status).toBe(isForHost ? 204 : 200);
});

test('a report reaches the host without its body and what describes it', async () => {
  const host = createServer(echo);
  await once(host.listen(0, '127.0.0.1'), 'listening');
  gateways.closeLater(host);
  const { url } = await gateways.open({ website: echo, hostUrl: urlOf(host) });
  const { status, body } = await ask(
    `${url}/b/7K3M9QXD`,
    { 'content-type': 'text/plain', 'content-encoding': 'identity', 'accept-language': 'de' },
    ...['POST', 'a report'],
  );
  const { headers } = JSON.parse(body);
  expect([status, headers['accept-language'], headers['content-length'] ?? '0']).toEqual([200, 'de', '0']);
  expect(headers).not.toHaveProperty('content-type');
  expect(headers).not.toHaveProperty('content-encoding');
});

test('neither cookies nor tokens reach the host', async () => {
  const seen = await open();
  const lines = ['Cookie: lng=de', 'Authorization: Bearer x', 'Accept-Language: de', 'User-Agent: a phone'];
  const headers = await seen(lines, '/r/7K3M9QXD');
  expect([headers.cookie, headers.authorization]).toEqual([undefined, undefined]);
  expect(headers).toMatchObject({ 'accept-language': 'de', 'user-agent': 'a phone', accept: '*/*' });
  expect(await seen(lines)).toMatchObject({ cookie: 'lng=de', authorization: 'Bearer x' });
});
