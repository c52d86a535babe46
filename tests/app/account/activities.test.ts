import { expect, test } from 'vitest';
import type { Activity } from '#contract/dashboard';
import { activityRows } from '~/account/dashboard/dashboard.server';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const MENU = { id: 'menu', type: 'link' as const, name: 'Menu', content: 'https://menu.example/' };

function activity(minutesAgo: number, type: Activity['type'], more: Partial<Activity> = {}): Activity {
  const at = new Date(NOW.getTime() - minutesAgo * 60_000).toISOString();
  return { type, at, codes: more.code ? 1 : 0, code: null, ...more };
}

const code = (id: string) => ({ ...MENU, id, name: id });

function rowsOf(...activities: Activity[]) {
  return activityRows(activities, ({ name, content }) => name ?? content, 'gb', NOW).map(
    ({ type, ago, codes, times, named }) => [type, ago, codes, times, named.map(({ name }) => name)],
  );
}

test('an activity on a code names the code', () => {
  expect(rowsOf(activity(5, 'qrcode_update', { code: MENU }))).toEqual([
    ['qrcode_update', '5 minutes ago', 1, 1, ['Menu']],
  ]);
  expect(rowsOf(activity(5, 'qrcode_delete', { codes: 1 }))).toEqual([
    ['qrcode_delete', '5 minutes ago', 1, 1, []],
  ]);
});

test('similar events are one row while each is within an hour of the next', () => {
  const rows = rowsOf(
    activity(1, 'qrcode_create', { code: code('a') }),
    activity(61, 'qrcode_create', { code: code('b') }),
    activity(121, 'qrcode_create', { code: code('c') }),
    activity(182, 'qrcode_create', { code: code('d') }),
    activity(183, 'qrcode_update', { code: code('d') }),
    activity(184, 'qrcode_create', { code: code('e') }),
  );
  expect(rows).toEqual([
    ['qrcode_create', '1 minute ago', 3, 1, ['a', 'b', 'c']],
    ['qrcode_create', '3 hours ago', 1, 1, ['d']],
    ['qrcode_update', '3 hours ago', 1, 1, ['d']],
    ['qrcode_create', '3 hours ago', 1, 1, ['e']],
  ]);
});

test('many codes are counted instead of named, and a code changed twice counts once', () => {
  const created = Array.from({ length: 4 }, (_, index) =>
    activity(index, 'qrcode_create', { code: code(`code ${index}`) }),
  );
  expect(rowsOf(...created)).toEqual([['qrcode_create', 'now', 4, 1, []]]);
  expect(
    rowsOf(
      activity(0, 'qrcode_update', { codes: 250 }),
      activity(1, 'qrcode_update', { code: MENU }),
      activity(2, 'qrcode_update', { code: MENU }),
      activity(3, 'qrcode_update', { codes: 0 }),
    ),
  ).toEqual([['qrcode_update', 'now', 252, 1, []]]);
  expect(
    rowsOf(activity(1, 'qrcode_update', { code: MENU }), activity(2, 'qrcode_update', { code: MENU })),
  ).toEqual([['qrcode_update', '1 minute ago', 1, 1, ['Menu']]]);
});

test('events without codes state how often they happened', () => {
  expect(rowsOf(activity(0, 'auth_login'), activity(30, 'auth_login'))).toEqual([
    ['auth_login', 'now', 0, 2, []],
  ]);
});
