import type { Statistics } from '#contract/statistics';
import type { Bucket } from './buckets.server';
import type { Words } from './wording.server';

type Counted = 'visits' | 'scans' | 'clicks' | 'visitors';

/** `1 visit`, `1,234 visits`. */
function counted(what: Counted, count: number, words: Words): string {
  return words.t(`statistics:counts.${what}`, { count, number: words.number(count) });
}

/** How a figure differs from that of the time before; null without one. */
export function changeFinding(
  { before, figures }: Pick<Statistics, 'before' | 'figures'>,
  name: 'visits' | 'scans' | 'clicks',
  words: Words,
): string | null {
  if (!before) return null;
  const now = figures[name].value ?? 0;
  const { value: earlier, isChance } = before[name];
  const values = { before: words.number(earlier) };
  if (now === earlier) return words.t('statistics:change.same', values);
  if (isChance) return words.t('statistics:change.chance', values);
  if (earlier === 0) return words.t('statistics:change.none');
  const share = words.percent(Math.abs(now - earlier) / earlier);
  return words.t(now > earlier ? 'statistics:change.more' : 'statistics:change.fewer', { ...values, share });
}

/** What stands out in a period, in a few sentences. */
export function summaryOf(
  statistics: Statistics,
  nameOf: (code: Statistics['mostActive']['codes'][number]) => string,
  words: Words,
): string[] {
  const { before, figures, hours, mostActive, countries } = statistics;
  const total = figures.visits.value ?? 0;
  const visits = counted('visits', total, words);
  const change = changeFinding(statistics, 'visits', words);
  const summary = before
    ? words.t('statistics:summary.changed', { visits, change, days: words.days(before.from, before.to) })
    : words.t('statistics:summary.visits', { visits });
  if (total === 0) return [summary];
  const [code] = mostActive.codes;
  const country = countries.values.find(({ value }) => value !== '');
  const ofCountries = sumOf(countries.values, ({ visits }) => visits);
  const first = (name: string, count: number, whole: number) => {
    return { name, share: words.percent(shareOf(count, whole)) };
  };
  return [
    summary,
    ...(code ? [words.t('statistics:summary.code', first(nameOf(code), code.visits, total))] : []),
    ...(country
      ? [
          words.t(
            'statistics:summary.country',
            first(words.nameOf('region', country.value) ?? country.value, country.visits, ofCountries),
          ),
        ]
      : []),
    hoursFinding(hours.visits, words),
  ];
}

/** Summarises the days of a period in a sentence or two. */
export function trendFinding(buckets: (Bucket & { scans: number; clicks: number })[], words: Words): string {
  const [scans, clicks] = [sumOf(buckets, ({ scans }) => scans), sumOf(buckets, ({ clicks }) => clicks)];
  if (scans + clicks === 0) return words.t('statistics:findings.none');
  const peak = highestOf(buckets, (bucket) => bucket.scans + bucket.clicks);
  return words.t(peak.days > 1 ? 'statistics:findings.trendByWeek' : 'statistics:findings.trend', {
    visits: counted('visits', scans + clicks, words),
    scans: counted('scans', scans, words),
    clicks: counted('clicks', clicks, words),
    peak: counted('visits', peak.scans + peak.clicks, words),
    when: peak.days > 1 ? bucketName(peak, words) : words.longWeekday(peak.from),
  });
}

export function apartFinding(
  buckets: { bots: number; previews: number; owner: number }[],
  words: Words,
): string {
  return words.t('statistics:findings.apart', {
    bots: words.number(sumOf(buckets, ({ bots }) => bots)),
    previews: words.number(sumOf(buckets, ({ previews }) => previews)),
    owner: words.number(sumOf(buckets, ({ owner }) => owner)),
  });
}

/** `visits` are all of the period, by the days of its zone. */
export function visitorsFinding(
  buckets: (Bucket & { visitors: number })[],
  visits: number,
  words: Words,
): string {
  const total = sumOf(buckets, ({ visitors }) => visitors);
  if (total === 0) {
    return words.t(visits > 0 ? 'statistics:findings.noVisitorsByUtc' : 'statistics:findings.noVisitors');
  }
  const peak = highestOf(buckets, ({ visitors }) => visitors);
  const days = sumOf(buckets, ({ days }) => days);
  return words.t(peak.days > 1 ? 'statistics:findings.visitorsByWeek' : 'statistics:findings.visitors', {
    average: words.decimal(total / days),
    peak: counted('visitors', peak.visitors, words),
    when: peak.days > 1 ? bucketName(peak, words) : words.longWeekday(peak.from),
  });
}

/** `visits` by hour of the day, from 0. */
export function hoursFinding(visits: number[], words: Words): string {
  const total = sumOf(visits, (count) => count);
  if (total === 0) return words.t('statistics:findings.none');
  const peak = visits.indexOf(Math.max(...visits));
  return words.t('statistics:findings.hours', {
    from: words.hour(peak),
    to: words.hour((peak + 1) % 24),
    share: words.percent((visits[peak] ?? 0) / total),
  });
}

/** How figures are affected when UTC hours do not align with the zone's hours. Null in most zones. */
export function hoursNote({ period }: Pick<Statistics, 'period'>, words: Words): string | null {
  const minutes = period.lateMinutes;
  return minutes === 0 ? null : words.t('statistics:lateHours', { minutes });
}

/** Summarises a ranking: its first entry and that entry's share of the total, or `none` without either. */
export function firstFinding(
  first: { name: string; count: number } | undefined,
  total: number,
  none: string,
  words: Words,
) {
  if (!first || total === 0) return none;
  const share = words.percent(shareOf(first.count, total));
  return words.t('statistics:findings.first', { name: first.name, share });
}

/** A day with its weekday, or the first and last of several days. */
export function bucketName({ from, to, days }: Bucket, words: Words): string {
  return days === 1 ? words.weekday(from) : words.days(from, to);
}

/** UTC days and a zone's days differ by a few hours, so a part may come out larger than the whole. */
export function shareOf(part: number, whole: number): number {
  return Math.min(1, part / whole);
}

/** Compares only buckets as long as the last: the first of a long period may have more or fewer days than a week. */
function highestOf<Piece extends Bucket>(pieces: Piece[], read: (piece: Piece) => number): Piece {
  const { days } = pieces.at(-1) as Piece;
  return pieces
    .filter((piece) => piece.days === days)
    .reduce((highest, piece) => (read(piece) > read(highest) ? piece : highest));
}

export function sumOf<Item>(items: Item[], read: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0);
}
