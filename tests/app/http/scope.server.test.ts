import { expect, test, vi } from 'vitest';
import { asWebsite } from '../../support/internal-key';

vi.stubEnv('SESSION_SECRET', 'a secret of the tests that is long enough');
vi.stubEnv('TRUST_PROXY', 'x-forwarded-for');
const { scopeOf } = await import('~/http/scope.server');

function addressSeen(headers: Record<string, string>): string {
  const request = new Request('http://localhost/', {
    headers: { 'x-socket-address': '192.0.2.1', ...headers },
  });
  return scopeOf({ request, context: {} }).address;
}

test('the gateway is believed about a visitor by its key, and nobody without it', () => {
  const named = { 'x-client-address': '198.51.100.7' };
  expect(addressSeen({ ...named, ...asWebsite })).toBe('198.51.100.7');
  expect(addressSeen(named)).toBe('192.0.2.1');
  expect(addressSeen({ ...named, 'x-internal-key': 'x' })).toBe('192.0.2.1');
  expect(addressSeen({ ...asWebsite, 'x-client-address': 'you' })).toBe('192.0.2.1');
});

test('without a gateway the trusted proxy is believed', () => {
  expect(addressSeen({ 'x-forwarded-for': '1.2.3.4, 198.51.100.7' })).toBe('198.51.100.7');
});

test('an address that a visitor wrote in front of the proxy’s is not believed', () => {
  for (const forged of ['10.0.0.1', '::1', '198.51.100.8, 203.0.113.5']) {
    expect(addressSeen({ 'x-forwarded-for': `${forged}, 198.51.100.7` })).toBe('198.51.100.7');
  }
  expect(addressSeen({ 'x-forwarded-for': '1.2.3.4, nonsense' })).toBe('192.0.2.1');
});

test.each([
  ['a-request_id-1', 'a-request_id-1'],
  ['short', null],
  ['x'.repeat(65), null],
  ['two lines\tof a log', null],
])('the request number %j is taken over as %j', (given, taken) => {
  const request = new Request('http://localhost/', { headers: { 'x-request-id': given } });
  const { requestId } = scopeOf({ request, context: {} });
  expect(requestId).toMatch(taken ?? /^[\da-f]{8}-[\da-f-]{27}$/);
});
