import { expect, test } from 'vitest';
import { internalKeysOf } from '#contract/internal-key';
import { resolveClientIp } from '#host/http/request-headers';

const VISITOR = '198.51.100.7';
const [SENT = '', BEFORE = ''] = internalKeysOf(['the secret of the programs', 'and the one before it']);

function clientIpSeen(peer: string, headers: Record<string, string>): string {
  const trusted = { internalKeys: [SENT, BEFORE], trustProxy: 'x-forwarded-for' };
  return resolveClientIp(peer, (name) => headers[name], trusted);
}

test.each([SENT, BEFORE])(
  'the client IP sent with one of our keys is trusted, wherever it comes from (%s)',
  (key) => {
    const said = { 'x-client-ip': VISITOR, 'x-internal-key': key };
    for (const peer of ['127.0.0.1', '10.0.0.7', 'fd00::12']) expect(clientIpSeen(peer, said)).toBe(VISITOR);
  },
);

test.each(['127.0.0.1', '::1', '203.0.113.9'])(
  'without a key it is not trusted, not even on loopback (%s)',
  (peer) => {
    expect(clientIpSeen(peer, { 'x-client-ip': VISITOR })).toBe(peer);
    for (const key of ['', 'x', SENT.slice(1), `${SENT.slice(1)}é`, 'the secret of the programs']) {
      expect(clientIpSeen(peer, { 'x-client-ip': VISITOR, 'x-internal-key': key })).toBe(peer);
    }
  },
);

test('the header of a website of the previous release is understood', () => {
  const said = { 'x-client-address': VISITOR, 'x-internal-key': SENT };
  expect(clientIpSeen('127.0.0.1', said)).toBe(VISITOR);
  expect(clientIpSeen('127.0.0.1', { ...said, 'x-client-ip': '203.0.113.9' })).toBe('203.0.113.9');
  expect(clientIpSeen('127.0.0.1', { ...said, 'x-internal-key': 'x' })).toBe('127.0.0.1');
});

test('an invalid address is never trusted', () => {
  expect(clientIpSeen('127.0.0.1', { 'x-client-ip': 'you', 'x-internal-key': SENT })).toBe('127.0.0.1');
});

test('of several forwarded addresses, the one that the proxy added counts', () => {
  expect(clientIpSeen('203.0.113.9', { 'x-forwarded-for': `1.2.3.4, ${VISITOR}` })).toBe(VISITOR);
});
