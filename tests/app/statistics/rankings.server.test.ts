import { expect, test } from 'vitest';
import type { Statistics } from '#contract/statistics';
import {
  devicesRanking,
  distributionRanking,
  mostActiveRanking,
  systemsRanking,
} from '~/statistics/rankings.server';
import { english } from './sample-days';

const MENU = { id: '6f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b', type: 'link', content: 'https://menu.example/' };
const HOURS = { id: '7f1a2b3c-4d5e-4f60-8a7b-9c0d1e2f3a4b', type: 'text', content: 'Open at 9' };

function counted(fields: object): Statistics {
  return fields as Statistics;
}

function mostActive(visits: number[], all: number | null) {
  const codes = visits.map((count, position) => ({ ...[MENU, HOURS][position], visits: count }));
  return mostActiveRanking(
    counted({ mostActive: { definition: 'most_active', codes }, figures: { visits: { value: all } } }),
    ({ content }) => content,
    english,
  );
}

test('the most active codes link to their pages and show their visits and share', () => {
  const ranking = mostActive([30, 10], 80);
  expect(ranking.finding).toBe('Most often: https://menu.example/, 37.5% of the visits.');
  expect(ranking.head).toEqual(['Code', 'Visits', 'Share']);
  expect(ranking.rows).toEqual([
    { name: MENU.content, to: `/user/qrcodes/${MENU.id}`, values: ['30', '37.5%'], bar: 37.5 },
    { name: HOURS.content, to: `/user/qrcodes/${HOURS.id}`, values: ['10', '12.5%'], bar: 12.5 },
  ]);
});

test('shares are rounded to a tenth, bars to a hundredth, and together they are the whole', () => {
  const { rows } = devicesRanking(
    counted({
      figures: { visits: { value: 3 } },
      devices: {
        definition: 'devices',
        values: ['phone', 'tablet', 'desktop'].map((value) => ({ value, visits: 1 })),
      },
    }),
    english,
  );
  expect(rows.map(({ values, bar }) => [...values, bar])).toEqual([
    ...Array.from({ length: 3 }, () => ['1', '33.3%', 33.33]),
  ]);
  const of = mostActive([1, 1], 1_000);
  expect(of.rows.map(({ values, bar }) => [values[1], bar])).toEqual([
    ['0.1%', 0.1],
    ['0.1%', 0.1],
  ]);
  expect(mostActive([1], 100_000).rows[0]).toMatchObject({ values: ['1', '0%'], bar: 0 });
});

test.each([0, null])('if all visits are %j, there is no share and no bar', (all) => {
  const { rows, finding } = mostActive([3], all);
  expect(rows).toEqual([expect.objectContaining({ values: ['3', ''], bar: 0 })]);
  expect(finding).toBe('No visits in this period.');
});

test('a share that exceeds the total because of different day boundaries is capped at the total', () => {
  const { rows, finding } = mostActive([12], 10);
  expect(rows).toEqual([expect.objectContaining({ values: ['12', '100%'], bar: 100 })]);
  expect(finding).toContain('100%');
});

test('codes by type state their number, their visits and the most common type', () => {
  const types = [
    { type: 'link', codes: 3, visits: 1_200 },
    { type: 'wifi', codes: 1, visits: 0 },
  ];
  const ranking = distributionRanking(
    counted({ distribution: { definition: 'distribution', types } }),
    english,
  );
  expect(ranking.rows.map(({ values, bar }) => [values, bar])).toEqual([
    [['3', '1,200'], 75],
    [['1', '0'], 25],
  ]);
  expect(ranking.finding).toContain('75%');
  expect(ranking.finding).toContain(ranking.rows[0]?.name);
  expect(ranking.head).toEqual(['Type', 'Codes', 'Visits']);
});

test('without codes there are no shares, even if deleted ones had visits', () => {
  for (const types of [[], [{ type: 'text', codes: 0, visits: 3 }]]) {
    const ranking = distributionRanking(
      counted({ distribution: { definition: 'distribution', types } }),
      english,
    );
    expect(ranking.rows.map(({ values, bar }) => [values, bar])).toEqual(types.map(() => [['0', '3'], 0]));
    expect(ranking.finding).not.toMatch(/%|NaN/);
  }
});

test('devices and systems are named, and unknown ones are shown separately', () => {
  const facets = {
    definition: 'devices',
    values: ['phone', 'ios', '', 'other', 'toaster'].map((value) => ({ value, visits: 1 })),
  };
  const statistics = counted({
    figures: { visits: { value: 5 } },
    devices: facets,
    systems: facets,
  });
  const namesIn = ({ rows }: { rows: { name: string }[] }) => rows.map(({ name }) => name);
  expect(namesIn(devicesRanking(statistics, english))).toEqual([
    'Phone',
    'ios',
    'Unknown',
    'Other',
    'toaster',
  ]);
  expect(namesIn(systemsRanking(statistics, english))).toEqual([
    'phone',
    'iOS',
    'Unknown',
    'Other',
    'toaster',
  ]);
});
