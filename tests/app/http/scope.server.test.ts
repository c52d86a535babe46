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
