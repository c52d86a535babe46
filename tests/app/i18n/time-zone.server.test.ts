import { expect, test, vi } from 'vitest';

vi.hoisted(() => {
  process.env.SESSION_SECRET = 'a secret of the tests that is long enough';
});
const { zoneCookie } = await import('~/http/cookies.server');
const { todayIn, zoneOptions } = await import('~/i18n/zone-options.server');
const { findSavedZone, usualZone } = await import('~/i18n/time-zone.server');

const WINTER = new Date('2026-01-15T23:30:00.000Z');
const SUMMER = new Date('2026-07-15T12:00:00.000Z');

test('a zone written to the cookie can be read back', () => {
  for (const zone of ['Europe/Paris', 'America/Argentina/Buenos_Aires', 'UTC']) {
    const [cookie = ''] = zoneCookie(zone).split(';');
    expect(findSavedZone(`theme=dark; ${cookie}; lng=fr`)).toBe(zone);
  }
});

test('the chosen zone takes precedence over that of the device, in any cookie order', () => {
  expect(findSavedZone('device_zone=UTC')).toBe('UTC');
  expect(findSavedZone('device_zone=UTC; time_zone=Asia%2FTokyo')).toBe('Asia/Tokyo');
  expect(findSavedZone('time_zone=Mars; device_zone=UTC')).toBe('UTC');
});

test('a cookie without a valid zone is ignored', () => {
  for (const value of ['', 'Mars/Olympus', '%E0%A4%A', '../../etc', 'x'.repeat(200)]) {
    expect(findSavedZone(`time_zone=${value}`)).toBeNull();
  }
  expect(findSavedZone('other_time_zone=UTC')).toBeNull();
});

test('without a choice, the zone is the default of the language', () => {
  expect([usualZone('gb'), usualZone('de')]).toEqual(['Europe/London', 'Europe/Berlin']);
});

test('zones state their UTC offset on that day', () => {
  const labelOf = (now: Date) =>
    zoneOptions('UTC', now).find(({ value }) => value === 'America/New_York')?.label;
  expect(labelOf(WINTER)).toBe('America/New York (UTC-5)');
  expect(labelOf(SUMMER)).toBe('America/New York (UTC-4)');
});

test('a zone that is not offered can still be chosen and is listed first', () => {
  expect(zoneOptions('Asia/Kathmandu', WINTER)[0]).toEqual({
    value: 'Asia/Kathmandu',
    label: 'Asia/Kathmandu (UTC+5:45)',
  });
  const offered = zoneOptions('UTC', WINTER).map(({ value }) => value);
  expect(new Set(offered).size).toBe(offered.length);
});

test('today depends on the time zone', () => {
  expect(todayIn('UTC', WINTER)).toBe('2026-01-15');
  expect(todayIn('Europe/Paris', WINTER)).toBe('2026-01-16');
  expect(todayIn('Pacific/Honolulu', WINTER)).toBe('2026-01-15');
});
