import { expect, test } from 'vitest';
import { clientAddress, websitesAt } from '#host/http/client-address';

const VISITOR = '198.51.100.7';

function addressSeen(peer: string, headers: Record<string, string>, places: string[] = []): string {
  const websites = websitesAt(places);
  if (!websites) throw new Error('no such places');
  return clientAddress(peer, (name) => headers[name], { websites, trustProxy: 'x-forwarded-for' });
}

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('a website on this machine is believed (%s)', (peer) => {
  expect(addressSeen(peer, { 'x-client-address': VISITOR })).toBe(VISITOR);
});

test.each([
  ['10.0.0.7', ['10.0.0.7']],
  ['::ffff:10.0.0.7', ['10.0.0.7']],
  ['10.3.2.1', ['192.0.2.1', '10.0.0.0/8']],
  ['fd00::12', ['fd00::/8']],
])('a website elsewhere is believed where the settings name it (%s)', (peer, places) => {
  expect(addressSeen(peer, { 'x-client-address': VISITOR }, places)).toBe(VISITOR);
  expect(addressSeen(peer, { 'x-client-address': VISITOR })).toBe(peer);
});

test('nobody else is believed, and neither is what is no address', () => {
  expect(addressSeen('203.0.113.9', { 'x-client-address': VISITOR }, ['10.0.0.0/8'])).toBe('203.0.113.9');
  expect(addressSeen('127.0.0.1', { 'x-client-address': 'you' })).toBe('127.0.0.1');
  expect(addressSeen('', { 'x-client-address': VISITOR })).toBe('');
});

test('of the addresses a proxy hands on, the one it wrote itself counts', () => {
  expect(addressSeen('203.0.113.9', { 'x-forwarded-for': `1.2.3.4, ${VISITOR}` })).toBe(VISITOR);
});

test.each(['10.0.0', '10.0.0.1/33', '10.0.0.1/', 'fd00::/129', 'website'])(
  '%s names no machines',
  (place) => {
    expect(websitesAt([place])).toBeNull();
  },
);
