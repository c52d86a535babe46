import { expect, test } from 'vitest';
import { dropOldLimits } from '#host/accounts/account-limits';
import { takeTurn } from '#host/http/pacing';
import { createTestHost, START } from '../../support/host';

const PACE = { name: 'sample', burst: 3, spacingSeconds: 10 };

test('after a burst each turn is later than the one before, by the spacing', async () => {
  const host = await createTestHost();
  try {
    const { orm } = host.db;
    const turns = async (count: number, key = 'a') => {
      const seconds: number[] = [];
      for (let turn = 0; turn < count; turn += 1) {
        const at = await takeTurn(orm, PACE, key, host.clock.now());
        seconds.push((at.getTime() - START.getTime()) / 1000);
      }
      return seconds;
    };
    expect(await turns(6)).toEqual([0, 0, 0, 10, 20, 30]);
    expect(await turns(1, 'b')).toEqual([0]);
    // Turns that were taken stay taken, also after the old limits are dropped.
    host.clock.advance(25_000);
    await dropOldLimits(orm, host.clock.now());
    expect(await turns(1)).toEqual([40]);
    host.clock.advance(35_000);
    expect(await turns(3)).toEqual([60, 60, 70]);
    host.clock.advance(60_000);
    await dropOldLimits(orm, host.clock.now());
    expect(await turns(4)).toEqual([120, 120, 120, 130]);
  } finally {
    await host.close();
  }
});

test('concurrent turns are all different', async () => {
  const host = await createTestHost();
  try {
    const taken = await Promise.all(
      Array.from({ length: 8 }, () => takeTurn(host.db.orm, PACE, 'a', host.clock.now())),
    );
    const seconds = taken.map((at) => (at.getTime() - START.getTime()) / 1000);
    expect(seconds.sort((one, other) => one - other)).toEqual([0, 0, 0, 10, 20, 30, 40, 50]);
  } finally {
    await host.close();
  }
});

test('the addresses of one IPv6 network share their turns, and wider networks have more of them', async () => {
  const host = await createTestHost();
  try {
    const of = async (ip: string) => {
      const at = await takeTurn(host.db.orm, { ...PACE, burst: 1 }, ip, host.clock.now());
      return (at.getTime() - START.getTime()) / 1000;
    };
    expect(await of('2001:db8:1:100::1')).toBe(0);
    expect(await of('2001:db8:1:100::2')).toBe(10);
    // The third of its /56, which has two at once and then one in five seconds.
    expect(await of('2001:db8:1:101::1')).toBe(5);
    expect(await of('2001:db8:1:200::1')).toBe(0);
    // The fifth of its /48.
    expect(await of('2001:db8:1:300::1')).toBe(2.5);
    expect(await of('2001:db8:2:100::1')).toBe(0);
  } finally {
    await host.close();
  }
});
