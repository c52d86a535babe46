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

test('the most active codes lead to their pages, with visits and their share of all there were', () => {
  const ranking = mostActive([30, 10], 80);
  expect(ranking.finding).toBe('Most often: https://menu.example/, 37.5% of the visits.');
  expect(ranking.head).toEqual(['Code', 'Visits', 'Share']);
  expect(ranking.rows).toEqual([
    { name: MENU.content, to: `/user/qrcodes/${MENU.id}`, values: ['30', '37.5%'], bar: 37.5 },
    { name: HOURS.content, to: `/user/qrcodes/${HOURS.id}`, values: ['10', '12.5%'], bar: 12.5 },
  ]);
});

test.each([0, null])('where all visits are %j no share is told, and no bar drawn', (all) => {
  const { rows, finding } = mostActive([3], all);
  expect(rows).toEqual([expect.objectContaining({ values: ['3', ''], bar: 0 })]);
  expect(finding).toBe('No visits in this period.');
});

test('a part that days of another zone make larger than the whole is the whole', () => {
  const { rows, finding } = mostActive([12], 10);
  expect(rows).toEqual([expect.objectContaining({ values: ['12', '100%'], bar: 100 })]);
  expect(finding).toContain('100%');
});

test('codes by type say how many there are, how often they are visited, and what most of them are', () => {
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

test('without codes there is no share of them, also where deleted ones had visits', () => {
  for (const types of [[], [{ type: 'text', codes: 0, visits: 3 }]]) {
    const ranking = distributionRanking(
      counted({ distribution: { definition: 'distribution', types } }),
      english,
    );
    expect(ranking.rows.map(({ values, bar }) => [values, bar])).toEqual(types.map(() => [['0', '3'], 0]));
    expect(ranking.finding).not.toMatch(/%|NaN/);
  }
});

test('devices and systems have their names, and unknown ones are shown apart', () => {
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
    ...['Phone', 'ios', 'Unknown', 'Other', 'toaster'],
  ]);
  expect(namesIn(systemsRanking(statistics, english))).toEqual([
    ...['phone', 'iOS', 'Unknown', 'Other', 'toaster'],
  ]);
});
