import { expect, test, vi } from 'vitest';
import { asWebsite } from '../../support/internal-key';
import { scopeOf } from '../../support/scope';

vi.stubEnv('SESSION_SECRET', 'a secret of the tests that is long enough');
vi.stubEnv('TRUST_PROXY', 'x-forwarded-for');
vi.stubEnv('TRUSTED_PROXIES', '192.0.2.1');
vi.stubEnv('COUNTRY_HEADER', 'cf-ipcountry');
const { countryOf, readScope } = await import('~/http/scope.server');

async function clientIpSeen(headers: Record<string, string>): Promise<string> {
  const request = new Request('http://localhost/', {
    headers: { 'x-socket-address': '192.0.2.1', ...headers },
  });
  return (await scopeOf(request)).clientIp;
}

test("the visitor's IP address is taken only from a gateway with the key", async () => {
  const named = { 'x-client-ip': '198.51.100.7' };
  expect(await clientIpSeen({ ...named, ...asWebsite })).toBe('198.51.100.7');
  expect(await clientIpSeen(named)).toBe('192.0.2.1');
  expect(await clientIpSeen({ ...named, 'x-internal-key': 'x' })).toBe('192.0.2.1');
  expect(await clientIpSeen({ ...asWebsite, 'x-client-ip': 'you' })).toBe('192.0.2.1');
});

test('without a gateway, the trusted proxy is believed', async () => {
  expect(await clientIpSeen({ 'x-forwarded-for': '1.2.3.4, 198.51.100.7' })).toBe('198.51.100.7');
});

test('a peer that is no proxy names neither address nor country', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.7', 'cf-ipcountry': 'FR', 'x-client-country': 'DE' };
  expect(await clientIpSeen({ ...headers, 'x-socket-address': '192.0.2.2' })).toBe('192.0.2.2');
  const countrySeen = (more: Record<string, string>) =>
    countryOf(new Request('http://localhost/', { headers: { ...headers, ...more } }));
  expect(countrySeen({ 'x-socket-address': '192.0.2.2' })).toBeNull();
  expect(countrySeen({ 'x-socket-address': '192.0.2.1' })).toBe('FR');
  expect(countrySeen({ 'x-socket-address': '192.0.2.2', ...asWebsite })).toBe('DE');
});

test("an address that a visitor put before the proxy's is ignored", async () => {
  for (const forged of ['10.0.0.1', '::1', '198.51.100.8, 203.0.113.5']) {
    expect(await clientIpSeen({ 'x-forwarded-for': `${forged}, 198.51.100.7` })).toBe('198.51.100.7');
  }
  expect(await clientIpSeen({ 'x-forwarded-for': '1.2.3.4, nonsense' })).toBe('192.0.2.1');
});

test.each([
  ['a-request_id-1', 'a-request_id-1'],
  ['short', null],
  ['x'.repeat(65), null],
  ['two lines\tof a log', null],
])('the request id %j becomes %j', async (given, taken) => {
  const request = new Request('http://localhost/', { headers: { 'x-request-id': given } });
  const { requestId } = await scopeOf(request);
  expect(requestId).toMatch(taken ?? /^[\da-f]{8}-[\da-f-]{27}$/);
});

test('all parts of one request share its state, and no other request does', async () => {
  const request = new Request('http://localhost/');
  const context = {};
  const scope = await readScope({ request, context });
  expect(await readScope({ request: new Request('http://localhost/part'), context })).toBe(scope);
  expect((await scopeOf(request)).requestId).not.toBe(scope.requestId);
});

test('the longest request id is kept, and a request whose address is unknown has none', async () => {
  const longest = 'x'.repeat(64);
  const request = new Request('http://localhost/', { headers: { 'x-request-id': longest } });
  expect(await scopeOf(request)).toMatchObject({
    requestId: longest,
    clientIp: '',
    signal: request.signal,
  });
});
