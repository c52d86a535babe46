import { expect, test } from 'vitest';
import {
  createProxyCheck,
  resolveClientIp,
  resolveCountry,
  type TrustedSenders,
} from '#runtime/client-address';
import { internalKeysOf } from '#runtime/internal-key';

const VISITOR = '198.51.100.7';
const [SENT = '', BEFORE = ''] = internalKeysOf(['the secret of the programs', 'and the one before it']);
const TRUSTED: TrustedSenders = {
  internalKeys: [SENT, BEFORE],
  isProxy: createProxyCheck(['203.0.113.9', '10.1.0.0/16', 'fd00:1::/64']),
  trustProxy: 'x-forwarded-for',
  countryHeader: 'cf-ipcountry',
};

function clientIpSeen(peer: string, headers: Record<string, string>, trusted = TRUSTED): string {
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
  for (const last of ['', 'unknown', `${VISITOR}:80`]) {
    expect(clientIpSeen('203.0.113.9', { 'x-forwarded-for': `1.2.3.4, ${last}` })).toBe('203.0.113.9');
  }
});

test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1', '203.0.113.9', '::ffff:203.0.113.9'])(
  'a proxy at %s is believed',
  (peer) => {
    expect(clientIpSeen(peer, { 'x-forwarded-for': VISITOR })).toBe(VISITOR);
    expect(resolveCountry(peer, (name) => ({ 'cf-ipcountry': 'it' })[name], TRUSTED)).toBe('IT');
  },
);

test.each([
  ['10.1.0.0', '10.0.255.255'],
  ['10.1.255.255', '10.2.0.0'],
  ['::ffff:10.1.2.3', '::ffff:10.2.2.3'],
  ['fd00:1::', 'fd00:0:ffff:ffff::1'],
  ['fd00:1::ffff:ffff:ffff:ffff', 'fd00:1:0:1::'],
])('of a listed network, %s is a proxy, and %s just outside is none', (inside, outside) => {
  const named = { 'x-forwarded-for': VISITOR };
  // Twice, because verdicts are remembered.
  for (const _ of [1, 2]) {
    expect(clientIpSeen(inside, named)).toBe(VISITOR);
    expect(clientIpSeen(outside, named)).toBe(outside);
  }
});

test.each(['203.0.113.8', '10.0.0.7', '::2', 'fe80::1%eth0', ''])(
  'what %s forwards is not believed',
  (peer) => {
    expect(clientIpSeen(peer, { 'x-forwarded-for': VISITOR })).toBe(peer);
    expect(resolveCountry(peer, (name) => ({ 'cf-ipcountry': 'IT' })[name], TRUSTED)).toBeNull();
  },
);

test.each([
  ['it', 'IT'],
  ['XX', ''],
  ['T1', ''],
  ['ITA', ''],
  ['IT, FR', ''],
])('the country %j counts as %j', (sent, country) => {
  expect(resolveCountry('127.0.0.1', (name) => ({ 'cf-ipcountry': sent })[name], TRUSTED)).toBe(country);
});

test('only the configured header of a proxy is believed, and without one none', () => {
  const said = { 'x-forwarded-for': '1.2.3.4', 'x-real-ip': VISITOR };
  expect(clientIpSeen('127.0.0.1', said, { ...TRUSTED, trustProxy: 'x-real-ip' })).toBe(VISITOR);
  expect(clientIpSeen('127.0.0.1', said, { ...TRUSTED, trustProxy: null })).toBe('127.0.0.1');
});

test('many peers do not change the verdict on a proxy', () => {
  const isProxy = createProxyCheck(['203.0.113.9']);
  for (let n = 0; n < 3_000; n += 1) expect(isProxy(`198.18.${n >> 8}.${n & 255}`)).toBe(false);
  expect([isProxy('203.0.113.9'), isProxy('127.0.0.1')]).toEqual([true, true]);
});
