import type { Statistics } from '#contract/statistics';
import type { Ranking } from './chart-data';
import { firstFinding, shareOf, sumOf } from './findings.server';
import type { Words } from './wording.server';

type Facets = Statistics['devices'];
export type NameOf = (code: {
  name: string | null;
  type: Statistics['mostActive']['codes'][number]['type'];
  content: string;
}) => string;

/** Names of products are the same in every language. */
const SYSTEMS: Record<string, string> = {
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  chromeos: 'ChromeOS',
};

type ColumnName = 'type' | 'code' | 'codes' | 'visits' | 'share';

const DEVICES = ['phone', 'tablet', 'desktop'] as const;

export function devicesRanking({ devices }: Statistics, words: Words): Ranking {
  return facetRanking(devices, (value) => deviceName(value, words), words);
}

export function systemsRanking({ systems }: Statistics, words: Words): Ranking {
  return facetRanking(systems, (value) => systemName(value, words), words);
}

export function languagesRanking({ languages }: Statistics, words: Words): Ranking {
  return facetRanking(languages, (value) => languageName(value, words), words);
}

/** Null where no country is known. */
export function countriesRanking({ countries }: Statistics, words: Words): Ranking | null {
  if (countries.values.every(({ value }) => value === '')) return null;
  const nameOf = (value: string) => (value && words.nameOf('region', value)) || otherName(value, words);
  return facetRanking(countries, nameOf, words);
}

/** How many codes there are of each type, and how often they are visited. */
export function distributionRanking({ distribution }: Statistics, words: Words): Ranking {
  const total = sumOf(distribution.types, ({ codes }) => codes);
  const rows = distribution.types.map(({ type, codes, visits }) => ({
    name: words.t(`statistics:types.${type}`),
    count: codes,
    values: [words.number(codes), words.number(visits)],
  }));
  return {
    definition: distribution.definition,
    finding: rows[0]
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
    finding: firstFinding(rows[0], total, words),
    head: headOf(words, 'code', 'visits', 'share'),
    rows: withBars(rows, total),
  };
}

export function deviceName(value: string, words: Words): string {
  const device = DEVICES.find((known) => known === value);
  return device ? words.t(`statistics:devices.${device}`) : otherName(value, words);
}

export function systemName(value: string, words: Words): string {
  return SYSTEMS[value] ?? otherName(value, words);
}

/** Name of a language by its two letters, with a capital as it stands at the head of a row. */
export function languageName(value: string, words: Words): string {
  const name = value && words.nameOf('language', value);
  return name ? name.charAt(0).toLocaleUpperCase(words.tag) + name.slice(1) : otherName(value, words);
}

/** An empty value is one nobody knows. */
function otherName(value: string, { t }: Words): string {
  return value === '' ? t('statistics:unknown') : value === 'other' ? t('statistics:others') : value;
}

function facetRanking(
  { definition, values }: Facets,
  nameOf: (value: string) => string,
  words: Words,
): Ranking {
  const total = sumOf(values, ({ visits }) => visits);
  const rows = values.map(({ value, visits }) => ({
    name: nameOf(value),
    count: visits,
    values: valuesOf(visits, total, words),
  }));
  return {
    definition,
    finding: firstFinding(rows[0], total, words),
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

/** A bar as long as the row's share of all. */
function withBars<Row extends { count: number }>(rows: Row[], total: number) {
  return rows.map(({ count, ...row }) => {
    const share = total > 0 ? shareOf(count, total) : 0;
    return { ...row, bar: Math.round(share * 10_000) / 100 };
  });
}
