import { expect, test } from 'vitest';
import { findUnusual, HISTORY_DAYS } from '#host/insight/unusual';
import { type Habits, makeDays, seeded } from './made-up-visits';

const MONTH = 30;
const WEEKS = {
  even: [1, 1, 1, 1, 1, 1, 1],
  shop: [0.8, 0.8, 0.9, 1, 1.4, 1.7, 0.4],
  office: [1.4, 1.5, 1.4, 1.4, 1.1, 0.1, 0.1],
};
const MEANS = [0.7, 2, 5, 10, 20, 50, 200, 1_000];
const DISPERSIONS = [1, 1.5, 3, 6];
const GROWTHS = [0.95, 1, 1.05];

const HABITS: (Habits & { groups: string[] })[] = MEANS.flatMap((mean) =>
  DISPERSIONS.flatMap((dispersion) =>
    Object.entries(WEEKS).flatMap(([name, week]) =>
      GROWTHS.map((growth) => {
        const groups = [`mean ${mean}`, `dispersion ${dispersion}`, name, `growth ${growth}`];
        return { mean, dispersion, growth, week, groups };
      }),
    ),
  ),
);

/** What is found in made-up visits once there is enough before it, by day. */
function findIn(counts: number[]) {
  return counts.flatMap((_, day) => {
    const found = day < HISTORY_DAYS ? null : findUnusual(counts.slice(day - HISTORY_DAYS, day + 1));
    return found ? [{ ...found, day: day - HISTORY_DAYS }] : [];
  });
}

test('at most 1 of 200 quiet months of a code raises an alarm, whatever its habits', () => {
  const random = seeded(20_261_128);
  const monthsOfEach = 24;
  const alarms = new Map<string, number>();
  const months = new Map<string, number>();
  const add = (counts: Map<string, number>, groups: string[], number: number) => {
    for (const group of [...groups, 'all']) counts.set(group, (counts.get(group) ?? 0) + number);
  };
  for (const habits of HABITS) {
    for (let month = 0; month < monthsOfEach; month += 1) {
      add(alarms, habits.groups, findIn(makeDays(habits, HISTORY_DAYS + MONTH, random)).length);
    }
    add(months, habits.groups, monthsOfEach);
  }
  expect(months.get('all')).toBe(6_912);
  for (const [group, count] of months) {
    expect((alarms.get(group) ?? 0) / count, group).toBeLessThanOrEqual(1 / 200);
  }
});

/** In how many of 200 months an event is found that multiplies the visits of their first days. */
function shareFound(habits: Pick<Habits, 'mean' | 'dispersion'>, factor: number, days = 1): number {
  const random = seeded(habits.mean + 10 * habits.dispersion);
  const isFound = () => {
    const change = (day: number) => (day >= HISTORY_DAYS && day < HISTORY_DAYS + days ? factor : 1);
    const counts = makeDays({ ...habits, growth: 1, week: WEEKS.shop }, HISTORY_DAYS + days, random, change);
    return findIn(counts).length > 0;
  };
  return Array.from({ length: 200 }, isFound).filter(Boolean).length / 200;
}

test.each([
  { mean: 20, dispersion: 1, factor: 0, least: 0.95 },
  { mean: 50, dispersion: 1, factor: 0.2, least: 0.95 },
  { mean: 50, dispersion: 3, factor: 0, least: 0.95 },
  { mean: 200, dispersion: 3, factor: 0.2, least: 0.95 },
  { mean: 5, dispersion: 1, factor: 10, least: 0.95 },
  { mean: 10, dispersion: 1, factor: 5, least: 0.8 },
  { mean: 20, dispersion: 3, factor: 10, least: 0.95 },
  { mean: 50, dispersion: 1, factor: 3, least: 0.95 },
  { mean: 200, dispersion: 3, factor: 3, least: 0.95 },
])('of days with $factor times the $mean visits, dispersion $dispersion, $least are found', (event) => {
  expect(shareFound(event, event.factor)).toBeGreaterThanOrEqual(event.least);
});

const STEADY = Array.from({ length: HISTORY_DAYS }, (_, day) => 50 + (day % 3));

test('an event that lasts is found once, on its first day', () => {
  for (const [count, direction] of [
    [0, 'fall'],
    [300, 'rise'],
  ] as const) {
    const found = findIn([...STEADY, ...Array.from({ length: 40 }, () => count)]);
    expect(found).toEqual([{ day: 0, direction, visits: count, expected: 51 }]);
  }
});

test('the days after a single event are as expected', () => {
  for (const count of [0, 1_000]) {
    const found = findIn([...STEADY, count, ...STEADY]);
    expect(found.map(({ day }) => day)).toEqual([0]);
  }
});

test('a code with hardly any visits, or for less than eight weeks, has nothing unusual', () => {
  const rare = Array.from({ length: HISTORY_DAYS }, (_, day) => Number(day % 2 === 0));
  expect(findUnusual([...rare, 200])).toBeNull();
  expect(findUnusual([...STEADY.slice(-50), 0])).toBeNull();
});
