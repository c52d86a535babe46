import { expect, test } from 'vitest';
import { LOCALES, type Locale } from '#contract/locales';
import type { Statistics } from '#contract/statistics';
import { apartChart, hoursChart, trendChart, visitorsChart, weekOf } from '~/statistics/charts.server';
import { figureViews } from '~/statistics/figures.server';
import { changeFinding, hoursNote, summaryOf } from '~/statistics/findings.server';
import { countriesRanking, devicesRanking, languagesRanking } from '~/statistics/rankings.server';
import { wordsOf } from '~/statistics/wording.server';
import { english, sampleDays } from './sample-days';

function statistics(days: Statistics['trend']['days'], asOf = '2027-01-01T12:00:00Z'): Statistics {
  return {
    asOf,
    period: { timeZone: 'Europe/Paris' },
    figures: { visits: { definition: 'visits', value: 0 } },
    trend: { definition: 'trend', days },
    visitorsByDay: {
      definition: 'visitors_by_day',
      days: days.map(({ day, scans }) => ({ day, visitors: scans })),
    },
    hours: { definition: 'hours', visits: Array.from({ length: 24 }, (_, hour) => (hour === 12 ? 3 : 0)) },
  } as Statistics;
}

function ranked(values: { value: string; visits: number }[]) {
  const facets = { definition: 'devices' as const, values };
  const figures = { visits: { definition: 'visits', value: 0 } };
  return { figures, devices: facets, languages: facets, countries: facets } as Statistics;
}

test('a trend states the number of visits and when there were most', () => {
  const chart = trendChart(
    statistics(sampleDays('2026-03-01', 7, (day) => (day === 2 ? 1_200 : 1))),
    english,
  );
  expect(chart.finding).toBe(
    '1,206 visits: 906 scans and 300 clicks. The most on one day: 1,200 visits, Tuesday 3 March.',
  );
  expect(chart.table.head).toEqual(['Day', 'All visits', 'scans', 'clicks']);
  expect(chart.table.rows[2]).toEqual({ name: 'Tue 3 Mar', values: ['1,200', '900', '300'] });
});

test('a single visit is worded in the singular', () => {
  const chart = trendChart(statistics(sampleDays('2026-03-01', 2, (day) => day)), english);
  expect(chart.finding).toBe('1 visit: 1 scan and 0 clicks. The most on one day: 1 visit, Monday 2 March.');
});

test('a long period is described by weeks', () => {
  const chart = trendChart(statistics(sampleDays('2025-11-21', 365, () => 4)), english);
  expect(chart.finding).toMatch(/The most in one week: 28 visits, 29 November\s–\s5 December 2025\.$/);
  expect(chart.table.head[0]).toBe('Days');
  expect(chart.table.rows).toHaveLength(52);
});

test('no visits are stated in words and not drawn', () => {
  const none = statistics(sampleDays('2026-03-01', 30, () => 0));
  expect(trendChart(none, english)).toMatchObject({ finding: 'No visits in this period.', drawing: null });
  expect(visitorsChart(none, english)).toMatchObject({
    finding: 'No visitors in this period.',
    drawing: null,
  });
  expect(apartChart(none, english).finding).toBe('Bots: 30. Link previews: 30. Your own visits: 0.');
  expect(devicesRanking(ranked([]), english)).toMatchObject({
    finding: 'No visits in this period.',
    rows: [],
  });
});

test('a day on which clocks change states its length', () => {
  const days = sampleDays('2026-03-28', 3, () => 1).map((day, position) => ({
    ...day,
    hours: [24, 23, 25][position] ?? 24,
  }));
  const names = trendChart(statistics(days), english).table.rows.map(({ name }) => name);
  expect(names).toEqual(['Sat 28 Mar', 'Sun 29 Mar (23 hours)', 'Mon 30 Mar (25 hours)']);
});

test('the busiest hour is named as a range to the next hour', () => {
  const { finding, table } = hoursChart(statistics([]), english);
  expect(finding).toBe('The busiest hour is from 12:00 to 13:00: 100% of all visits.');
  expect(table.rows).toHaveLength(24);
});

test("values, including unknown ones, are named in the reader's language", () => {
  const languages = languagesRanking(
    ranked([
      { value: 'fr', visits: 6 },
      { value: '', visits: 3 },
      { value: 'zz', visits: 1 },
    ]),
    wordsOf('de'),
  );
  expect(languages.rows.map(({ name, bar }) => [name, bar])).toEqual([
    ['Französisch', 60],
    ['Unbekannt', 30],
    ['Zz', 10],
  ]);
  expect(languages.finding).toBe('Am häufigsten: Französisch, 60\u00a0% der Besuche.');
});

test('countries appear only if one is known', () => {
  expect(countriesRanking(ranked([{ value: '', visits: 5 }]), english)).toBeNull();
  expect(countriesRanking(ranked([{ value: 'CH', visits: 5 }]), english)?.rows[0]?.name).toBe('Switzerland');
  const some = [
    { value: '', visits: 5 },
    { value: 'CH', visits: 2 },
  ];
  expect(countriesRanking(ranked(some), english)?.rows.map(({ name }) => name)).toEqual([
    'Unknown',
    'Switzerland',
  ]);
});

function changed(visits: number, earlier: { value: number; isChance: boolean } | null): Statistics {
  const [figure, counted] = [
    { definition: 'visits', value: visits },
    earlier ?? { value: 0, isChance: true },
  ];
  return {
    figures: { visits: figure, scans: figure, clicks: figure },
    before: earlier && {
      from: '2026-01-01',
      to: '2026-01-30',
      visits: counted,
      scans: counted,
      clicks: counted,
    },
  } as Statistics;
}

test.each<[visits: number, earlier: { value: number; isChance: boolean } | null, sentence: string | null]>([
  [5, null, null],
  [120, { value: 100, isChance: false }, '20% more than in the time before (100)'],
  [80, { value: 100, isChance: false }, '20% fewer than in the time before (100)'],
  [0, { value: 40, isChance: false }, '100% fewer than in the time before (40)'],
  [102, { value: 100, isChance: true }, '100 in the time before: the difference may be chance'],
  [100, { value: 100, isChance: true }, 'as many as in the time before'],
  [9, { value: 0, isChance: false }, 'none in the time before'],
  [2, { value: 0, isChance: true }, '0 in the time before: the difference may be chance'],
])('%i visits after %j are told as %j', (visits, earlier, sentence) => {
  expect(changeFinding(changed(visits, earlier), 'visits', english)).toBe(sentence);
});

test('what stands out begins with the change, and leaves out what is not known', () => {
  const of = (fields: object) =>
    summaryOf(
      {
        ...changed(120, { value: 100, isChance: false }),
        hours: { visits: Array.from({ length: 24 }, (_, hour) => (hour === 18 ? 120 : 0)) },
        mostActive: { codes: [] },
        countries: { values: [{ value: '', visits: 120 }] },
        ...fields,
      } as unknown as Statistics,
      ({ content }) => content,
      english,
    );
  const change = '120 visits: 20% more than in the time before (100), 1\u2009–\u200930 January 2026.';
  const hours = 'The busiest hour is from 18:00 to 19:00: 100% of all visits.';
  expect(of({})).toEqual([change, hours]);
  expect(
    of({
      mostActive: { codes: [{ content: 'menu.example', visits: 90 }] },
      countries: {
        values: [
          { value: '', visits: 60 },
          { value: 'FR', visits: 60 },
        ],
      },
    }),
  ).toEqual([
    change,
    'Visited most: menu.example, 75% of the visits.',
    'Most visits come from this country: France, 50%.',
    hours,
  ]);
  expect(of(changed(0, null))).toEqual(['0 visits.']);
});

test('the week names its busiest part, and shades the others by it', () => {
  const visits = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  const week = (...counts: [weekday: number, hour: number, count: number][]) => {
    const copy = visits.map((hours) => [...hours]);
    for (const [weekday, hour, count] of counts) (copy[weekday] as number[])[hour] = count;
    return weekOf({ weekdays: { definition: 'weekdays', visits: copy } } as Statistics, english);
  };
  expect(week()).toBeNull();
  const shown = week([4, 18, 3], [4, 20, 5], [6, 0, 2], [0, 23, 1]);
  expect(shown?.finding).toBe(
    'The busiest time of the week: Friday, 18:00 to 21:00, with 72.7% of all visits.',
  );
  expect(shown?.parts).toEqual(['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00']);
  expect(shown?.days.map(({ name }) => name)).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
  expect(shown?.days[4]?.cells[6]).toEqual({ visits: '8', level: 4 });
  expect(shown?.days[6]?.cells[0]).toEqual({ visits: '2', level: 1 });
  expect(shown?.days[0]?.cells[7]).toEqual({ visits: '1', level: 1 });
  expect(shown?.days[1]?.cells[0]).toEqual({ visits: '0', level: 0 });
  expect(week([1, 22, 1])?.finding).toContain('Tuesday, 21:00 to 00:00');
});

test('the more visits from a country, the darker it is on the map; unknown ones are not on it', () => {
  const visits = [
    { value: '', visits: 900 },
    { value: 'FR', visits: 100 },
    { value: 'DE', visits: 57 },
    { value: 'IT', visits: 56 },
    { value: 'ES', visits: 1 },
    { value: 'Other', visits: 1 },
  ];
  expect(countriesRanking(ranked(visits), english)?.countries).toEqual([
    { code: 'FR', level: 4 },
    { code: 'DE', level: 4 },
    { code: 'IT', level: 3 },
    { code: 'ES', level: 1 },
  ]);
});

test('figures are formatted for the language, and unmeasured ones are not shown as zero', () => {
  const figures = {
    visits: { definition: 'visits', value: 1_234_567 },
    scans: { definition: 'scans', value: 1_234_567_890 },
    conversion_rate: { definition: 'conversion_rate', value: 0.1234 },
    actions_per_visitor: { definition: 'actions_per_visitor', value: 1.25 },
    engagements: { definition: 'engagements', value: null },
  } as Statistics['figures'];
  const names = ['visits', 'scans', 'conversion_rate', 'actions_per_visitor', 'engagements'] as const;
  const values = figureViews(figures, names, wordsOf('de')).map(({ value }) => value);
  expect(values).toEqual(['1.234.567', '1,2\u00a0Mrd.', '12,3\u00a0%', '1,3', null]);
});

test('a zone not whole hours from UTC explains in every language how visits are counted', () => {
  const of = (lateMinutes: number) => ({ period: { lateMinutes } }) as Statistics;
  const notes = (Object.keys(LOCALES) as Locale[]).map((locale) => hoursNote(of(45), wordsOf(locale)));
  expect(new Set(notes).size).toBe(5);
  for (const note of notes) expect(note).toMatch(/UTC.*45/);
  expect(hoursNote(of(0), english)).toBeNull();
});

test('an unfinished day is marked, by the days of the zone or of UTC', () => {
  // In Paris it is already the third.
  const now = statistics(
    sampleDays('2026-03-01', 3, () => 4),
    '2026-03-02T23:30:00Z',
  );
  const trend = trendChart(now, english);
  expect(trend.table.rows.map(({ name }) => name)).toEqual(['Sun 1 Mar', 'Mon 2 Mar', 'Tue 3 Mar (so far)']);
  expect(trend.drawing).toMatchObject({
    series: [
      { bars: [{}, {}, { isUnfinished: true }] },
      { bars: [expect.not.objectContaining({ isUnfinished: true }), {}, { isUnfinished: true }] },
    ],
  });
  const visitors = visitorsChart(
    statistics(
      sampleDays('2026-03-01', 2, () => 4),
      now.asOf,
    ),
    english,
  );
  expect(visitors.table.rows.at(-1)?.name).toBe('Mon 2 Mar (so far)');
  expect(visitors.drawing).toMatchObject({ line: 'M0,25L50,25', unfinished: 'M50,25L50,25L100,25' });
  const over = visitorsChart(statistics(sampleDays('2026-03-01', 2, () => 4)), english);
  expect(over.drawing).toMatchObject({ unfinished: null });
});

test('a UTC day that has not started has no visitor figures', () => {
  const days = sampleDays('2026-03-01', 3, (position) => (position === 2 ? 0 : 4));
  const { table, drawing, finding } = visitorsChart(statistics(days, '2026-03-02T23:30:00Z'), english);
  expect(table.rows.map(({ name }) => name)).toEqual(['Sun 1 Mar', 'Mon 2 Mar (so far)']);
  expect(drawing).toMatchObject({ line: 'M0,25L50,25', unfinished: 'M50,25L50,25L100,25' });
  expect(finding).toContain('On average 3 a day.');
  const [first] = sampleDays('2026-03-03', 1, () => 0);
  const none = visitorsChart(statistics(first ? [first] : [], '2026-03-02T23:30:00Z'), english);
  expect(none).toMatchObject({ drawing: null, table: { rows: [] } });
});

test('of equal days the first is named, and a shorter bucket at the start of a long period is not compared', () => {
  const equal = trendChart(statistics(sampleDays('2026-03-01', 3, () => 4)), english);
  expect(equal.finding).toContain('4 visits, Sunday 1 March.');
  // Four days with more visits than any week.
  const long = trendChart(statistics(sampleDays('2026-01-01', 123, (day) => (day < 4 ? 40 : 4))), english);
  expect(long.finding).toMatch(/The most in one week: 28 visits, 5\s–\s11 January 2026\.$/);
});

test('the last hour of a day is named as a range to midnight, and of equal hours the first', () => {
  const findingOf = (visits: number[]) =>
    hoursChart({ ...statistics([]), hours: { definition: 'hours', visits } }, english).finding;
  const counts = (peaks: Record<number, number>) => Array.from({ length: 24 }, (_, hour) => peaks[hour] ?? 0);
  expect(findingOf(counts({ 23: 2, 0: 1 }))).toBe(
    'The busiest hour is from 23:00 to 00:00: 66.7% of all visits.',
  );
  expect(findingOf(counts({ 5: 2, 9: 2 }))).toBe(
    'The busiest hour is from 05:00 to 06:00: 50% of all visits.',
  );
});

test('visitors are averaged over the days that have begun, in words for one and for several', () => {
  const findingOf = (days: number[]) =>
    visitorsChart(
      statistics(
        sampleDays('2026-03-01', days.length, () => 0).map((day, position) => ({
          ...day,
          scans: days[position] ?? 0,
        })),
      ),
      english,
    ).finding;
  expect(findingOf([1, 0, 0])).toBe('On average 0.3 a day. The most: 1 visitor, Sunday 1 March.');
  expect(findingOf([1, 2, 2])).toBe('On average 1.7 a day. The most: 2 visitors, Monday 2 March.');
  const year = visitorsChart(statistics(sampleDays('2025-01-01', 365, () => 4)), english);
  expect(year.finding).toMatch(/^On average 3 a day\. The most in one week: 21 visitors, /);
});

test('numbers of up to seven digits are written out, and larger ones abbreviated', () => {
  const shown = (value: number) =>
    figureViews({ visits: { definition: 'visits', value } } as Statistics['figures'], ['visits'], english)[0]
      ?.value;
  expect([shown(0), shown(9_999_999), shown(10_000_000)]).toEqual(['0', '9,999,999', '10m']);
});

test('weeks of a year are not marked as days on which clocks change, and have the sums of all kinds', () => {
  const year = statistics(sampleDays('2025-03-01', 365, () => 4));
  const days = year.trend.days.map((day, position) => ({ ...day, hours: position === 29 ? 23 : 24 }));
  const { table } = trendChart({ ...year, trend: { ...year.trend, days } }, english);
  expect(table.rows.filter(({ name }) => name.includes('hours'))).toEqual([]);
  const apart = apartChart(year, english);
  expect(apart.table.head).toEqual(['Days', 'bots', 'link previews', 'your own']);
  const sums = apart.table.rows.map(({ values }) => values.map(Number));
  expect(sums.reduce((total, [bots = 0]) => total + bots, 0)).toBe(364);
  expect(sums.at(-1)).toEqual([7, 7, 0]);
});

test('the length of a bar is the share of its row', () => {
  const { rows } = devicesRanking(
    ranked([
      { value: 'phone', visits: 30 },
      { value: 'tablet', visits: 10 },
    ]),
    english,
  );
  expect(rows.map(({ bar }) => bar)).toEqual([75, 25]);
});
