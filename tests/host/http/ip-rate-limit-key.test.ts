import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countBackoff, resetBackoff } from '#host/http/backoff';
import { consumeRateLimit, isRateLimitReached, resetRateLimit } from '#host/http/rate-limit';
import { ipRateLimitKey, networksOf } from '#runtime/ip-rate-limit-key';
import { createTestHost, type TestHost } from '../../support/host';

const LIMIT = { name: 'tries', points: 2, windowSeconds: 60 };
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:a:b:1:2:3:4', '2001:db8:a:b::/64'],
  ['2001:DB8:a:b::', '2001:db8:a:b::/64'],
  ['2001:0db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:9::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
  ['not an address', 'not an address'],
])('%s counts as %s', (address, key) => {
  expect(ipRateLimitKey(address)).toBe(key);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:a:bcd:1:2:3:4', '2001:db8:a:b00::/56'],
  ['2001:db8:a:bff::', '2001:db8:a:b00::/56'],
  ['2001:db8:a:c00::', '2001:db8:a:c00::/56'],
  ['2001:db8::ff', '2001:db8:0:0::/56'],
])('%s belongs to the site %s', (address, key) => {
  expect(ipRateLimitKey(address, 56)).toBe(key);
});

test('all addresses of one network share a key, and those of another have a different one', () => {
  const hex = fc.integer({ min: 0, max: 0xffff }).map((group) => group.toString(16));
  const half = fc.array(hex, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(half, half, half, half, (network, one, two, other) => {
      const key = ipRateLimitKey([...network, ...one].join(':'));
      // The URL parser shortens the address to an equivalent form.
      const short = new URL(`http://[${[...network, ...two].join(':')}]/`).hostname.slice(1, -1);
      fc.pre(!short.startsWith('::ffff:'));
      fc.pre(!(network.every((group) => group === '0') && one[0] === '0' && one[1] === 'ffff'));
      expect(ipRateLimitKey(short)).toBe(key);
      fc.pre(network.join() !== other.join());
      expect(ipRateLimitKey([...other, ...one].join(':'))).not.toBe(key);
    }),
  );
});

test('a limit applies to a whole IPv6 network, and not to its neighbours', async () => {
  const take = (address: string) => consumeRateLimit(host.db.orm, LIMIT, address, host.clock.now());
  await take('2001:db8:a:b::1');
  await take('2001:db8:a:b:ffff::2');
  await expect(take('2001:db8:a:b::3')).rejects.toMatchObject({ code: 'rate_limited' });
  await take('2001:db8:a:c::1');
  await resetRateLimit(host.db.orm, LIMIT, '2001:db8:a:b::9');
  await take('2001:db8:a:b::3');
  await take('::ffff:192.0.2.7');
  await take('192.0.2.7');
  await expect(take('192.0.2.7')).rejects.toMatchObject({ code: 'rate_limited' });
});

test('an IPv6 address has three networks, any other key has one', () => {
  expect(networksOf('2001:db8:a:bcd::1')).toEqual([
    '2001:db8:a:bcd::/64',
    '2001:db8:a:b00::/56',
    '2001:db8:a::/48',
  ]);
  expect(networksOf('192.0.2.7')).toEqual(['192.0.2.7']);
  expect(networksOf('::ffff:192.0.2.7')).toEqual(['192.0.2.7']);
  expect(networksOf('an account')).toEqual(['an account']);
});

const LATER = { ...LIMIT, name: 'later' };

test('a /56 has twice the points of a /64, and a /48 four times', async () => {
  const { orm } = host.db;
  const now = host.clock.now();
  const take = (address: string) => consumeRateLimit(orm, LATER, address, now);
  const isReached = (address: string) => isRateLimitReached(orm, LATER, address, now);
  for (const link of ['100', '101', '102', '103']) await take(`2001:db8:e:${link}::1`);
  expect(await isReached('2001:db8:e:104::1')).toBe(true);
  await expect(take('2001:db8:e:104::1')).rejects.toMatchObject({ code: 'rate_limited' });
  for (const link of ['200', '201', '300']) {
    expect(await isReached(`2001:db8:e:${link}::1`)).toBe(false);
    await take(`2001:db8:e:${link}::1`);
  }
  expect(await isReached('2001:db8:e:400::1')).toBe(true);
  await expect(take('2001:db8:e:400::1')).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await isReached('2001:db8:f:400::1')).toBe(false);
});

test('waits grow for a /56 and a /48 too, and a refused attempt counts for none of the networks', async () => {
  const backoff = { name: 'guess', free: 1, firstSeconds: 10, maxSeconds: 60, memorySeconds: 3_600 };
  const { orm } = host.db;
  let now = host.clock.now();
  const attempt = (link: string) => countBackoff(orm, backoff, `2001:db8:${link}::1`, now);
  const waiting = (retryAfterSeconds: number) => ({ code: 'rate_limited', retryAfterSeconds });
  await attempt('1:100');
  await expect(attempt('1:100')).rejects.toMatchObject(waiting(10));
  await attempt('1:101');
  await expect(attempt('1:102')).rejects.toMatchObject(waiting(10));
  // Two of four so far: those refused were not counted.
  await attempt('1:200');
  await attempt('1:300');
  await expect(attempt('1:400')).rejects.toMatchObject(waiting(10));
  await attempt('2:400');
  now = new Date(now.getTime() + 10_000);
  await attempt('1:400');
  await expect(attempt('1:500')).rejects.toMatchObject(waiting(20));
  await resetBackoff(orm, backoff, '2001:db8:1:400::1');
  await attempt('1:400');

  const elsewhere = { ...backoff, target: 'another account' };
  await countBackoff(orm, elsewhere, '2001:db8:1:100::1', now);
});
