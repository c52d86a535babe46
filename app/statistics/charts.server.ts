import type { Statistics } from '#contract/statistics';
import { DAY_MS } from '#contract/time';
import { todayIn } from '~/i18n/zones.server';
import { type Bucket, bucketsOf } from './buckets.server';
import type { Chart, SeriesName, Week } from './chart-data';
import { drawColumns, drawSteps, ticksAcross, ticksOfHours } from './drawing.server';
import {
  apartFinding,
  bucketName,
  hoursFinding,
  sumOf,
  trendFinding,
  visitorsFinding,
} from './findings.server';
import type { Words } from './wording.server';

const PEOPLE = ['scans', 'clicks'] as const;
const APART = ['bots', 'previews', 'owner'] as const;
const HOURS_OF_A_DAY = 24;

/** Scans and clicks by day, or by week for long periods. */
export function trendChart(
  { trend, asOf, period }: Pick<Statistics, 'trend' | 'asOf' | 'period'>,
  words: Words,
): Chart {
  const today = todayIn(period.timeZone, new Date(asOf));
  const buckets = bucketsOf(trend.days, [...PEOPLE, ...APART, 'hours'], today);
  return {
    definition: trend.definition,
    finding: trendFinding(buckets, words),
    drawing: drawnUnlessEmpty(buckets, PEOPLE, words),
    table: {
      head: [
        dayHead(buckets, words),
        words.t('statistics:definitions.visits.label'),
        ...heads(PEOPLE, words),
      ],
      rows: buckets.map((bucket) => ({
        name: withHours(bucket, words),
        values: [bucket.scans + bucket.clicks, bucket.scans, bucket.clicks].map(words.number),
      })),
    },
  };
}

/** Visits counted separately from the figures: robots, link previews, the owner. */
export function apartChart({ trend, asOf, period }: Statistics, words: Words): Chart {
  const buckets = bucketsOf(trend.days, APART, todayIn(period.timeZone, new Date(asOf)));
  return {
    definition: 'apart',
    finding: apartFinding(buckets, words),
    drawing: drawnUnlessEmpty(buckets, APART, words),
    table: {
      head: [dayHead(buckets, words), ...heads(APART, words)],
      rows: buckets.map((bucket) => ({
        name: rowName(bucket, words),
        values: APART.map((name) => words.number(bucket[name])),
      })),
    },
  };
}

export function visitorsChart({ visitorsByDay, asOf, figures }: Statistics, words: Words): Chart {
  // Its days are UTC days: east of Greenwich the last one of a period may not have begun.
  const today = asOf.slice(0, 10);
  const startedDays = visitorsByDay.days.filter(({ day }) => day <= today);
  const buckets = bucketsOf(startedDays, ['visitors'], today);
  const visitors = buckets.map((bucket) => bucket.visitors);
  const isEmpty = sumOf(visitors, (count) => count) === 0;
  const counted = visitorsByDay.definition === 'visitors_by_day' ? 'unique_visitors' : 'visitors_by_code';
  return {
    definition: visitorsByDay.definition,
    finding: visitorsFinding(buckets, figures.visits.value ?? 0, words),
    drawing: isEmpty
      ? null
      : drawSteps(visitors, buckets.at(-1)?.isUnfinished ?? false, ticksAcross(buckets, words), words),
    table: {
      head: [dayHead(buckets, words), words.t(`statistics:definitions.${counted}.label`)],
      rows: buckets.map((bucket) => ({
        name: rowName(bucket, words),
        values: [words.number(bucket.visitors)],
      })),
    },
  };
}

export function hoursChart({ hours }: Statistics, words: Words): Chart {
  const columns = hours.visits.map((visits) => ({ visits }));
  const isEmpty = sumOf(hours.visits, (count) => count) === 0;
  return {
    definition: hours.definition,
    finding: hoursFinding(hours.visits, words),
    drawing: isEmpty ? null : drawColumns(columns, ['visits'], ticksOfHours(words), words),
    table: {
      head: [words.t('statistics:table.hour'), words.t('statistics:definitions.visits.label')],
      rows: hours.visits.map((visits, hour) => ({ name: words.hour(hour), values: [words.number(visits)] })),
    },
  };
}

const HOURS_OF_A_PART = 3;
const LEVELS = 4;
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);

/** By parts of the day of three hours, whose figures fit a narrow screen; null without visits. */
export function weekOf({ weekdays }: Statistics, words: Words): Week | null {
  const days = weekdays.visits.map((hours) => partsOf(hours));
  const most = Math.max(...days.flat());
  if (most === 0) return null;
  const peakDay = days.findIndex((parts) => parts.includes(most));
  const peakPart = days[peakDay]?.indexOf(most) ?? 0;
  const dayOf = (weekday: number) => new Date(MONDAY + weekday * DAY_MS).toISOString();
  const hourOf = (part: number) => words.hour((part * HOURS_OF_A_PART) % HOURS_OF_A_DAY);
  return {
    definition: weekdays.definition,
    finding: words.t('statistics:findings.week', {
      day: words.longWeekdayName(dayOf(peakDay)),
      from: hourOf(peakPart),
      to: hourOf(peakPart + 1),
      share: words.percent(most / sumOf(days.flat(), (visits) => visits)),
    }),
    parts: partsOf(weekdays.visits[0] ?? []).map((_, part) => hourOf(part)),
    days: days.map((parts, weekday) => ({
      name: words.weekdayName(dayOf(weekday)),
      cells: parts.map((visits) => ({
        visits: words.compact(visits),
        level: Math.ceil((LEVELS * visits) / most),
      })),
    })),
  };
}

function partsOf(hours: number[]): number[] {
  return Array.from({ length: hours.length / HOURS_OF_A_PART }, (_, part) =>
    sumOf(hours.slice(part * HOURS_OF_A_PART, (part + 1) * HOURS_OF_A_PART), (visits) => visits),
  );
}

function drawnUnlessEmpty<Name extends SeriesName>(
  buckets: (Bucket & Record<Name, number>)[],
  names: readonly Name[],
  words: Words,
) {
  const total = sumOf(buckets, (bucket) => sumOf([...names], (name) => bucket[name]));
  return total === 0 ? null : drawColumns(buckets, names, ticksAcross(buckets, words), words);
}

function dayHead(buckets: Bucket[], { t }: Words): string {
  return buckets.some(({ days }) => days > 1) ? t('statistics:table.week') : t('statistics:table.day');
}

function heads(names: readonly SeriesName[], { t }: Words): string[] {
  return names.map((name) => t(`statistics:series.${name}`));
}

/** Marks a day that is not over. */
function rowName(bucket: Bucket, words: Words): string {
  const name = bucketName(bucket, words);
  return bucket.isUnfinished ? words.t('statistics:table.soFar', { name }) : name;
}

/** Also marks a day on which the clocks changed. */
function withHours(bucket: Bucket & { hours: number }, words: Words): string {
  const name = rowName(bucket, words);
  if (bucket.days > 1 || bucket.hours === HOURS_OF_A_DAY) return name;
  return words.t('statistics:table.hours', { name, hours: words.decimal(bucket.hours) });
}
