import type { Statistics } from '#contract/statistics';
import type { Ranking } from './chart-data';
import type { ColouredCountry } from './country-map';
import { queryOf, type StatisticsFilter } from './filter.server';
import { firstFinding, shareOf, sumOf } from './findings.server';
import type { Words } from './wording.server';

export type NameOf = (code: {
  name: string | null;
  type: Statistics['mostActive']['codes'][number]['type'];
  content: string;
}) => string;

/** Product names are the same in every language. */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['ios', 'iOS'],
  ['android', 'Android'],
  ['windows', 'Windows'],
  ['macos', 'macOS'],
  ['linux', 'Linux'],
  ['chromeos', 'ChromeOS'],
]);

type ColumnName = 'type' | 'code' | 'codes' | 'visits' | 'share';

const DEVICES = ['phone', 'tablet', 'desktop'] as const;

export function devicesRanking(statistics: Statistics, words: Words): Ranking {
  return facetRanking(statistics, 'devices', (value) => deviceName(value, words), words);
}

export function systemsRanking(statistics: Statistics, words: Words): Ranking {
  return facetRanking(statistics, 'systems', (value) => systemName(value, words), words);
}

export function languagesRanking(statistics: Statistics, words: Words): Ranking {
  return facetRanking(statistics, 'languages', (value) => languageName(value, words), words);
}

/** Null when no country is known. */
export function countriesRanking(statistics: Statistics, words: Words): Ranking | null {
  if (statistics.countries.values.every(({ value }) => value === '')) return null;
  const { asOf } = statistics.countries;
  const note = asOf && words.t('statistics:countriesAsOf', { date: words.day(asOf) });
  return {
    ...facetRanking(statistics, 'countries', (value) => countryName(value, words), words),
    note,
    countries: colouredOf(statistics),
  };
}

/** Empty when no visit was led to an address with campaign parameters. Without a filter, names lead nowhere. */
export function campaignRankings(
  statistics: Statistics,
  filter: StatisticsFilter | null,
  words: Words,
): Ranking[] {
  if (statistics.campaigns.values.length === 0) return [];
  const nameOf = (value: string) => value || words.t('statistics:withoutParameter');
  const to = (value: string) => {
    if (!filter || value === '') return undefined;
    return `/user/analytics?${queryOf({ ...filter, code: null, tag: null, campaign: value })}`;
  };
  return [
    facetRanking(statistics, 'campaigns', nameOf, words, to),
    ...(['campaignSources', 'campaignMediums'] as const).map((facet) =>
      facetRanking(statistics, facet, nameOf, words),
    ),
  ];
}

const LEVELS = 4;

/** By the square root of their visits: few visits remain visible beside many. */
function colouredOf({ countries: { values } }: Statistics): ColouredCountry[] {
  const most = Math.max(...values.map(({ value, visits }) => (value === '' ? 0 : visits)));
  return values
    .filter(({ value, visits }) => /^[A-Z]{2}$/.test(value) && visits > 0)
    .map(({ value, visits }) => ({ code: value, level: Math.ceil(LEVELS * Math.sqrt(visits / most)) }));
}

/** The number of codes of each type, and their visits, including those to deleted codes. */
export function distributionRanking({ distribution }: Statistics, words: Words): Ranking {
  const total = sumOf(distribution.types, ({ codes }) => codes);
  const rows = distribution.types.map(({ type, codes, visits }) => ({
    name: words.t(`statistics:types.${type}`),
    count: codes,
    values: [words.number(codes), words.number(visits)],
  }));
  return {
    definition: distribution.definition,
    finding: rows[0]?.count
      ? words.t('statistics:findings.types', {
          name: rows[0].name,
          share: words.percent(rows[0].count / total),
        })
      : words.t('statistics:findings.noCodes'),
    head: headOf(words, 'type', 'codes', 'visits'),
    rows: withBars(rows, total),
  };
}

export function mostActiveRanking(
  { mostActive, figures }: Statistics,
  nameOf: NameOf,
  words: Words,
): Ranking {
  const total = figures.visits.value ?? 0;
  const rows = mostActive.codes.map((code) => ({
    name: nameOf(code),
    to: `/user/qrcodes/${code.id}`,
    count: code.visits,
    values: valuesOf(code.visits, total, words),
  }));
  return {
    definition: mostActive.definition,
    finding: firstFinding(
      rows[0],
      total,
      words.t(total > 0 ? 'statistics:findings.noneOfCodes' : 'statistics:findings.none'),
      words,
    ),
    head: headOf(words, 'code', 'visits', 'share'),
    rows: withBars(rows, total),
  };
}

export function deviceName(value: string, words: Words): string {
  const device = DEVICES.find((known) => known === value);
  return device ? words.t(`statistics:devices.${device}`) : otherName(value, words);
}

export function countryName(value: string, words: Words): string {
  return (value && words.nameOf('region', value)) || otherName(value, words);
}

export function systemName(value: string, words: Words): string {
  return SYSTEMS.get(value) ?? otherName(value, words);
}

/** Name of a language by its code, capitalised for the start of a row. */
export function languageName(value: string, words: Words): string {
  const name = value && words.nameOf('language', value);
  return name ? name.charAt(0).toLocaleUpperCase(words.tag) + name.slice(1) : otherName(value, words);
}

/** An empty value means unknown. */
function otherName(value: string, { t }: Words): string {
  return value === '' ? t('statistics:unknown') : value === 'other' ? t('statistics:others') : value;
}

type Facet =
  | 'devices'
  | 'systems'
  | 'languages'
  | 'countries'
  | 'campaigns'
  | 'campaignSources'
  | 'campaignMediums';

function facetRanking(
  statistics: Statistics,
  facet: Facet,
  nameOf: (value: string) => string,
  words: Words,
  linkOf: (value: string) => string | undefined = () => undefined,
): Ranking {
  const { definition, values } = statistics[facet];
  const hasVisits = (statistics.figures.visits.value ?? 0) > 0;
  const total = sumOf(values, ({ visits }) => visits);
  const rows = values.map(({ value, visits }) => ({
    name: nameOf(value),
    to: linkOf(value),
    count: visits,
    values: valuesOf(visits, total, words),
  }));
  return {
    definition,
    finding: firstFinding(
      rows[0],
      total,
      // Visits are counted by days of the period's zone, values by UTC days.
      words.t(hasVisits ? 'statistics:findings.noneByUtc' : 'statistics:findings.none'),
      words,
    ),
    head: [words.t(`statistics:definitions.${definition}.label`), ...headOf(words, 'visits', 'share')],
    rows: withBars(rows, total),
  };
}

function headOf({ t }: Words, ...names: ColumnName[]): string[] {
  return names.map((name) => t(`statistics:table.${name}`));
}

function valuesOf(visits: number, total: number, words: Words): string[] {
  return [words.number(visits), total > 0 ? words.percent(shareOf(visits, total)) : ''];
}

/** Adds to each row a bar with its share of the total. */
function withBars<Row extends { count: number }>(rows: Row[], total: number) {
  return rows.map(({ count, ...row }) => {
    const share = total > 0 ? shareOf(count, total) : 0;
    return { ...row, bar: Math.round(share * 10_000) / 100 };
  });
}
