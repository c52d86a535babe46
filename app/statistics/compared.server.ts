import type { Statistics } from '#contract/statistics';
import type { Chart } from './chart-data';
import { drawLines } from './drawing.server';
import { figureViews } from './figures.server';
import { changeFinding, shareOf, sumOf } from './findings.server';
import { countryName, deviceName } from './rankings.server';
import type { Words } from './wording.server';

export const LETTERS = ['A', 'B', 'C', 'D'];

interface Column {
  letter: string;
  name: string;
  days: string;
  statistics: Statistics;
}

const FIGURES = ['visits', 'scans', 'clicks', 'unique_visitors', 'engagements'] as const;
const TOP = ['countries', 'devices'] as const;

/** Rows of the comparison: each figure with its change, then where most visits came from. */
export function comparedRows(columns: Column[], words: Words) {
  const rows = [
    ...FIGURES.map((figure) => {
      const cells = columns.map(({ letter, statistics }) => figureCell(letter, statistics, figure, words));
      // Those of some codes are added up per code, which has a definition of its own: one is enough to say so.
      return {
        definition:
          cells.find((cell) => cell.definition !== figure)?.definition ?? cells[0]?.definition ?? figure,
        cells,
      };
    }),
    ...TOP.map((definition) => ({
      definition,
      label: words.t(`statistics:compare.top.${definition}`),
      cells: columns.map(({ letter, statistics }) => ({
        letter,
        ...topOf(statistics[definition].values, definition, words),
      })),
    })),
  ];
  return rows.map((row) => ({
    label: words.t(`statistics:definitions.${row.definition}.label`),
    ...row,
    text: words.t(`statistics:definitions.${row.definition}.text`),
  }));
}

function figureCell(letter: string, statistics: Statistics, figure: (typeof FIGURES)[number], words: Words) {
  const [view] = figureViews(statistics.figures, [figure], words);
  const isCompared = figure === 'visits' || figure === 'scans' || figure === 'clicks';
  return {
    letter,
    definition: view?.definition ?? figure,
    value: view?.value ?? null,
    line: isCompared ? changeFinding(statistics, figure, words) : null,
  };
}

function topOf(values: { value: string; visits: number }[], kind: (typeof TOP)[number], words: Words) {
  const first = values.find(({ value, visits }) => value !== '' && visits > 0);
  if (!first) return { value: words.t('statistics:unknown'), line: null };
  const total = sumOf(values, ({ visits }) => visits);
  const value = kind === 'countries' ? countryName(first.value, words) : deviceName(first.value, words);
  return { value, line: words.percent(shareOf(first.visits, total)) };
}

/** Visits of each column on its first day, its second, and so on. */
export function comparedChart(columns: Column[], today: string, words: Words): Chart {
  const lines = columns.map(({ letter, name, days, statistics }) => ({
    letter,
    name: `${name}, ${days}`,
    values: statistics.trend.days.map(({ scans, clicks }) => scans + clicks),
    // A day that is not over would look like a fall.
    isUnfinished: statistics.period.to === today,
  }));
  const days = lines[0]?.values.length ?? 0;
  const endsToday = lines.some(({ isUnfinished }) => isUnfinished);
  const totals = columns.map(({ statistics }) => statistics.figures.visits.value ?? 0);
  const most = Math.max(...totals);
  const first = lines[totals.indexOf(most)];
  return {
    definition: 'trend',
    finding:
      most === 0 || !first
        ? words.t('statistics:findings.none')
        : words.t('statistics:compare.finding', {
            name: words.t('common:labelled', { label: first.letter, value: first.name }),
            visits: words.number(most),
          }),
    drawing: most === 0 ? null : drawLines(lines, words),
    table: {
      head: [words.t('statistics:table.day'), ...lines.map(({ letter }) => letter)],
      rows: Array.from({ length: days }, (_, at) => {
        const name = words.number(at + 1);
        return {
          name: at === days - 1 && endsToday ? words.t('statistics:table.soFar', { name }) : name,
          values: lines.map(({ values }) => words.number(values[at] ?? 0)),
        };
      }),
    },
  };
}
