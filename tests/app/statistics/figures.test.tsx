import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Chart, Ranking } from '~/statistics/chart-data';
import { ChartFigure } from '~/statistics/chart-figure';
import { trendChart } from '~/statistics/charts.server';
import { LastVisits } from '~/statistics/code-statistics';
import { FigureList } from '~/statistics/figure-list';
import { Plot } from '~/statistics/plot';
import { RankingFigure } from '~/statistics/ranking-figure';
import { rendered, tagWith } from '../ui/rendered';
import { english, sampleDays } from './sample-days';

/** The text of each element with this name, without the elements in it. */
const textsOf = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<${name}\\b[^>]*>(.*?)</${name}>`, 'gs'))].map(([, inner = '']) =>
    inner.replace(/<[^>]*>/g, '').trim(),
  );

function rankingOf(length: number): Ranking {
  const rows = Array.from({ length }, (_, n) => ({
    name: `Code ${n + 1}`,
    ...(n === 0 && { to: '/user/qrcodes/1' }),
    bar: 100 / (n + 1),
    values: [String(10 * (length - n)), '1%'],
  }));
  return { definition: 'most_active', finding: 'One sentence.', head: ['Code', 'Visits', 'Share'], rows };
}

test('eight rows of a ranking are shown, and of more the rest when opened', () => {
  const full = rendered(<RankingFigure ranking={rankingOf(8)} />);
  expect(full).not.toContain('<details>');
  expect(textsOf(full, 'summary')).toEqual(['? How “Most active codes” is counted']);
  expect(textsOf(full, 'tr')).toHaveLength(1 + 8);
  const more = rendered(<RankingFigure ranking={rankingOf(9)} />);
  const [shown = '', rest = ''] = more.split('<details>');
  expect(textsOf(shown, 'tr')).toHaveLength(1 + 8);
  expect(textsOf(rest, 'tr')).toEqual(['CodeVisitsShare', 'Code 9101%']);
  expect(textsOf(rest, 'summary')).toEqual(['1 more Most active codes']);
  const many = rendered(<RankingFigure ranking={rankingOf(30)} />);
  expect(textsOf(many, 'th').filter((text) => text.startsWith('Code '))).toEqual(
    rankingOf(30).rows.map(({ name }) => name),
  );
  expect(textsOf(many, 'summary').at(-1)).toBe('22 more Most active codes');
});

test('the map shows Europe if all visits were from there, else the world, and has each country that it colours', () => {
  const map = (...codes: string[]) =>
    rendered(
      <RankingFigure ranking={{ ...rankingOf(2), countries: codes.map((code) => ({ code, level: 4 })) }} />,
    );
  const viewOf = (html: string) => /viewBox="([^"]+)"/.exec(html)?.[1];
  expect(viewOf(map('FR', 'MT'))).not.toBe(viewOf(map('FR', 'US')));
  expect(viewOf(map('US'))).toBe('0 0 960 440');
  expect([...map('FR', 'US').matchAll(/<use href="[^"#]*#([^"]+)"/g)].map(([, id]) => id)).toEqual([
    'land',
    'FR',
    'US',
  ]);
  const world = readFileSync('app/statistics/world.svg', 'utf8');
  for (const code of ['FR', 'US', 'MT', 'SG', 'XK']) expect(world).toContain(`id="${code}"`);
  expect(rendered(<RankingFigure ranking={rankingOf(2)} />)).not.toContain('country-map');
});

test('a row of a ranking has its values below their heads, a bar of its share, and a link if it has a page', () => {
  const html = rendered(<RankingFigure ranking={rankingOf(2)} />);
  expect(textsOf(html, 'tr')).toEqual(['CodeVisitsShare', 'Code 1201%', 'Code 2101%']);
  expect([...html.matchAll(/<rect width="([\d.]+)%"/g)].map(([, width]) => width)).toEqual(['100', '50']);
  expect([...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => href)).toEqual(['/user/qrcodes/1']);
  expect(textsOf(rendered(<RankingFigure ranking={rankingOf(0)} />), 'table')).toEqual([]);
});

const trend = (count: (position: number) => number, asOf: string) =>
  trendChart(
    {
      asOf,
      period: { timeZone: 'UTC' },
      trend: { definition: 'trend', days: sampleDays('2026-03-28', 3, count) },
    } as Parameters<typeof trendChart>[0],
    english,
  );

test('the table of a chart has every day with its numbers, and its legend every series', () => {
  const html = rendered(<ChartFigure chart={trend((day) => 4 * day, '2026-03-30T12:00:00Z')} />);
  const [, table = ''] = html.split('<tbody>');
  expect(textsOf(table, 'tr')).toEqual(['Sat 28 Mar000', 'Sun 29 Mar431', 'Mon 30 Mar (so far)862']);
  expect(textsOf(html, 'thead')).toEqual(['DayAll visitsscansclicks']);
  expect(textsOf(html, 'li')).toEqual(['scans', 'clicks', 'so far: today is not over yet']);
  expect(textsOf(html, 'figcaption')[0]).toContain('12 visits: 9 scans and 3 clicks.');
  // Bars of two series on two days, the later of which is not over.
  expect(html.match(/<rect x="/g)).toHaveLength(4);
  expect(html.match(/class="unfinished"/g)).toHaveLength(2);
});

test('the values of each column are a choice of the keyboard, at first the last', () => {
  const html = rendered(<ChartFigure chart={trend((day) => 4 * day, '2026-03-30T12:00:00Z')} />);
  expect(textsOf(html, 'legend')).toEqual(['Values of “Visits by day”']);
  expect(textsOf(html, 'label')).toEqual([
    'Sat 28 Mar All visits 0 · scans 0 · clicks 0',
    'Sun 29 Mar All visits 4 · scans 3 · clicks 1',
    'Mon 30 Mar (so far) All visits 8 · scans 6 · clicks 2',
  ]);
  expect(html.match(/<input type="radio" name="values-trend"/g)).toHaveLength(3);
  expect(html.split('<label>').map((part) => part.includes('checked=""'))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test('what is counted by UTC days says so, and nothing else does', () => {
  const ranking = rendered(<RankingFigure ranking={rankingOf(1)} />);
  expect(textsOf(ranking, 'figcaption')[0]).toContain('Days in UTC.');
  const visits = rendered(<ChartFigure chart={trend((day) => 4 * day, '2026-03-30T12:00:00Z')} />);
  expect(visits).not.toContain('UTC');
});

test('a chart of finished days has no such legend, and one without visits neither drawing nor table', () => {
  const over = rendered(<ChartFigure chart={trend((day) => 4 * day, '2026-03-31T00:00:00Z')} />);
  expect(textsOf(over, 'li')).toEqual(['scans', 'clicks']);
  const none = rendered(<ChartFigure chart={trend(() => 0, '2026-03-30T12:00:00Z')} note="By UTC." />);
  expect(none).not.toMatch(/<svg|<table/);
  expect(none).toContain('No visits in this period.');
  expect(none).toContain('By UTC.');
});

test('labels across stay within the drawing, from the first to the last twentieth of it', () => {
  const x = [4.99, 5, 95, 95.01].map((at) => ({ at, label: String(at), ...(at === 5 && { minor: true }) }));
  const drawing: NonNullable<Chart['drawing']> = { kind: 'columns', series: [], x, y: [] };
  const html = rendered(<Plot drawing={drawing} isSmall={false} />);
  const labels = [...html.matchAll(/<text x="([\d.]+%)"[^>]*text-anchor="(\w+)"( class="minor")?/g)];
  expect(labels.map(([, at, anchor, minor]) => [at, anchor, minor !== undefined])).toEqual([
    ['0%', 'start', false],
    ['5%', 'middle', true],
    ['95%', 'middle', false],
    ['100%', 'end', false],
  ]);
});

test('figures that were not measured say so, and each reason is given once', () => {
  const html = rendered(
    <FigureList
      figures={[
        { definition: 'visits', value: '0', reason: 'actions_per_visitor' },
        { definition: 'engagements', value: null, reason: 'engagements' },
        { definition: 'conversion_rate', value: null, reason: 'engagements' },
        { definition: 'average_per_code', value: null, reason: 'average_per_code' },
      ]}
    />,
  );
  const parts = textsOf(html, 'dd');
  expect(parts.filter((_, position) => position % 3 === 0)).toEqual([
    '0',
    'not measured',
    'not measured',
    'not measured',
  ]);
  expect(parts[1]).toBe('scans and clicks');
  expect(parts[2]).toContain('Someone who comes twice counts twice.');
  expect(html.match(/class="note"/g)).toHaveLength(2);
});

test('the last visits are rows of all their details in the given order', () => {
  const visit = {
    at: '2026-03-02T10:00:00.000Z',
    how: 'Scan',
    who: 'A bot',
    device: 'Phone · iOS',
    language: 'Hebrew',
  };
  const html = rendered(
    <LastVisits
      visits={[
        { ...visit, id: 'b', time: '2 Mar, 11:00' },
        { ...visit, id: 'a', time: '1 Mar, 11:00', language: '' },
      ]}
    />,
  );
  expect(textsOf(html.split('<tbody>')[1] ?? '', 'tr')).toEqual([
    '2 Mar, 11:00ScanA botPhone · iOSHebrew',
    '1 Mar, 11:00ScanA botPhone · iOS',
  ]);
  expect(tagWith(html, 'time', 'T10:00')).toContain('dateTime="2026-03-02T10:00:00.000Z"');
  expect(rendered(<LastVisits visits={[]} />)).not.toContain('<table');
});
