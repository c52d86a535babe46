import { expect, test } from 'vitest';
import { internalKeysOf } from '#contract/internal-key';
import { resolveClientIp } from '#host/http/client-ip';

const VISITOR = '198.51.100.7';
const [SENT = '', BEFORE = ''] = internalKeysOf(['the secret of the programs', 'and the one before it']);

function addressSeen(peer: string, headers: Record<string, string>): string {
  const trusted = { internalKeys: [SENT, BEFORE], trustProxy: 'x-forwarded-for' };
  return resolveClientIp(peer, (name) => headers[name], trusted);
}

test.each([SENT, BEFORE])('who brings a key of ours is believed, wherever it stands (%s)', (key) => {
  const said = { 'x-client-address': VISITOR, 'x-internal-key': key };
  for (const peer of ['127.0.0.1', '10.0.0.7', 'fd00::12']) expect(addressSeen(peer, said)).toBe(VISITOR);
});

test.each(['127.0.0.1', '::1', '203.0.113.9'])(
  'nobody else is believed, not even on this machine (%s)',
  (peer) => {
    expect(addressSeen(peer, { 'x-client-address': VISITOR })).toBe(peer);
    for (const key of ['', 'x', SENT.slice(1), `${SENT.slice(1)}é`, 'the secret of the programs']) {
      expect(addressSeen(peer, { 'x-client-address': VISITOR, 'x-internal-key': key })).toBe(peer);
    }
  },
);

test('what is no address is not believed from anybody', () => {
  expect(addressSeen('127.0.0.1', { 'x-client-address': 'you', 'x-internal-key': SENT })).toBe('127.0.0.1');
});

test('of the addresses a proxy hands on, the one it wrote itself counts', () => {
  expect(addressSeen('203.0.113.9', { 'x-forwarded-for': `1.2.3.4, ${VISITOR}` })).toBe(VISITOR);
});
