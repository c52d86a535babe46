import { expect, test } from 'vitest';
import { LOCALES } from '#contract/locales';
import { todayIn, zoneOptions } from '~/i18n/zones.server';

const WINTER = new Date('2026-01-15T23:30:00.000Z');
const SUMMER = new Date('2026-07-15T12:00:00.000Z');

test('without a choice, the zone is the default of the language', () => {
  expect([LOCALES.gb.zone, LOCALES.de.zone]).toEqual(['Europe/London', 'Europe/Berlin']);
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
