import { data } from '@remix-run/node';
import type { Body } from '#contract/call';
import { listCodes } from '#contract/codes';
import { COMPARED, compareStatistics, type Statistics } from '#contract/statistics';
import { DAY_MS, utcDay } from '#contract/time';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { markInvalid, readZone } from '~/http/time-zone.server';
import { todayIn } from '~/i18n/zones.server';
import { comparedChart, comparedRows, LETTERS } from './compared.server';
import type { NameOf } from './rankings.server';
import { codeOptions, LISTED_CODES } from './statistics.server';
import { type Words, wordsOf } from './wording.server';

/** Lengths of the compared periods: each day has a place in the chart. */
const COMPARED_DAYS = ['7', '30', '90'] as const;
const LISTED_CAMPAIGNS = 50;
const DEFAULT_DAYS = '30';

/** As typed: `all`, `code:<id>`, `tag:<name>` or `campaign:<name>`, and the last day, empty for today. */
interface ColumnValues {
  of: string;
  to: string;
}

interface Comparison {
  days: string;
  /** As many as can be compared; those that are not have no `of`. */
  columns: ColumnValues[];
  /** Message codes by position of the column; none of these columns is sent to the host. */
  errors: { position: number; code: string }[];
  filters: Body<typeof compareStatistics>['columns'];
  /** Whether more was selected in the list than can be compared. */
  isCut: boolean;
}

/**
 * What a query compares. Codes come from the form as `of1` to `of4`, from the selection of the list as `id[]`. A single column is
 * compared with the time before, and so are all codes when nothing was chosen.
 */
export function readComparison(search: URLSearchParams, timeZone: string, now: Date): Comparison {
  const days = COMPARED_DAYS.find((value) => value === search.get('days')) ?? DEFAULT_DAYS;
  const today = todayIn(timeZone, now);
  const selected = search.getAll('id[]').map((id) => ({ of: `code:${id}`, to: '' }));
  const typed = LETTERS.map((_, position) => ({
    of: (search.get(`of${position + 1}`) ?? '').trim(),
    to: (search.get(`to${position + 1}`) ?? '').trim(),
  }));
  const given = [...typed, ...selected].filter(({ of }) => of !== '');
  const columns = given.slice(0, COMPARED.most);
  if (columns.length === 0) columns.push({ of: 'all', to: '' });
  const [first] = columns;
  if (first && columns.length === 1)
    columns.push({ of: first.of, to: dayBefore(first.to || today, Number(days)) });
  const read = columns.map((column) => readColumn(column, Number(days), timeZone, today));
  const errors = read.flatMap(({ error }, position) => (error ? [{ position, code: error }] : []));
  const empty = Array.from({ length: COMPARED.most - columns.length }, () => ({ of: '', to: '' }));
  return {
    days,
    columns: [...columns, ...empty],
    errors,
    filters: read.map(({ filter }) => filter),
    isCut: given.length > COMPARED.most,
  };
}

const USUAL = { code: null, tag: null };

function readColumn({ of, to }: ColumnValues, days: number, timeZone: string, today: string) {
  const [, kind, value = ''] = /^(code|tag|campaign):(.*)$/s.exec(of) ?? [];
  const subject = { ...USUAL, ...(kind && value !== '' && { [kind]: value }) };
  const last = to || today;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(last) && !Number.isNaN(Date.parse(last));
  const range = { from: isDay ? dayBefore(last, days - 1) : last, to: last };
  const filter = { ...subject, ...range, timeZone };
  const isKnown = kind !== undefined || of === 'all';
  const error = isKnown ? problemOf(filter) : 'invalid';
  if (!error && last <= today) return { filter, error: null };
  const ofSubject = { ...subject, period: 30 as const, timeZone };
  // The form offers what was chosen, whatever is wrong with the date.
  const usual = problemOf(ofSubject) ? { ...ofSubject, ...USUAL, campaign: undefined } : ofSubject;
  return { filter: usual, error: error ?? 'range_future' };
}

function problemOf(filter: Comparison['filters'][number]): string | undefined {
  return compareStatistics.body.safeParse({ columns: [filter, filter] }).error?.issues[0]?.message;
}

function dayBefore(day: string, days: number): string {
  const at = Date.parse(day);
  return Number.isNaN(at) ? day : utcDay(at - days * DAY_MS);
}

export function markInvalidComparison(scope: Scope): void {
  const { searchParams } = scope.url;
  markInvalid(scope, (timeZone) => readComparison(searchParams, timeZone, new Date()).errors.length > 0);
}

/** Two to four codes, tags or periods side by side. Without a subscription there is nothing but a link to one. */
export async function getComparison(scope: UserScope, nameOf: NameOf) {
  const now = new Date();
  const words = wordsOf(scope.locale);
  const timeZone = await readZone(scope);
  const comparison = readComparison(scope.url.searchParams, timeZone, now);
  const [columns, codes] = await Promise.all([requestColumns(scope, comparison), listCodesInUse(scope)]);
  if (!columns) return data({ shown: null, form: null });
  const compared = columns.map((statistics, position) => ({
    letter: LETTERS[position] ?? '',
    name: nameOfColumn(statistics, nameOf, words.t('statistics:filter.allCodes')),
    days: words.days(statistics.period.from, statistics.period.to),
    statistics,
  }));
  const hasFailed = comparison.errors.length > 0;
  return data(
    {
      shown: hasFailed
        ? null
        : {
            columns: compared.map(({ letter, name, days }) => ({ letter, name, days })),
            rows: comparedRows(compared, words),
            chart: comparedChart(compared, todayIn(timeZone, now), words),
            isCut: comparison.isCut,
          },
      form: {
        days: comparison.days,
        // A browser would show nothing for what is no date.
        columns: comparison.columns.map(({ of, to }, position) => ({
          of: columns[position]?.tag ? `tag:${columns[position].tag}` : of,
          to: Number.isNaN(Date.parse(to)) ? '' : to,
        })),
        errors: comparison.errors,
        codes: codeOptions(
          codes.data,
          columns.map(({ code }) => code),
          nameOf,
        ).map(({ value, label }) => ({
          value: `code:${value}`,
          label,
        })),
        groups: groupOptions(columns, words),
        hasMore: codes.meta.total > LISTED_CODES,
        today: todayIn(timeZone, now),
      },
    },
    { status: hasFailed ? 400 : 200 },
  );
}

function listCodesInUse(scope: UserScope) {
  return callHost(scope, listCodes, { query: { show: 'in_use', page: 1, limit: LISTED_CODES } });
}

/** Null without a subscription. */
async function requestColumns(scope: UserScope, { filters }: Comparison): Promise<Statistics[] | null> {
  try {
    return (await callHost(scope, compareStatistics, { body: { columns: filters } })).data.columns;
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.code === 'subscription_required') return null;
    if (thrown.status === 404) throw data(null, { status: 404 });
    throw thrown;
  }
}

/** Every tag, then the campaigns with the most visits, the compared ones among them. */
function groupOptions(columns: Statistics[], { t }: Words) {
  const visited = columns.flatMap(({ campaigns }) => campaigns.values.map(({ value }) => value));
  const campaigns = [...columns.map(({ campaign }) => campaign), ...visited].filter(Boolean);
  return [
    ...(columns[0]?.tags ?? []).map((tag) => ({ kind: 'tag', name: tag }) as const),
    ...[...new Set(campaigns)]
      .slice(0, LISTED_CAMPAIGNS)
      .map((campaign) => ({ kind: 'campaign', name: campaign }) as const),
  ].map(({ kind, name }) => ({
    value: `${kind}:${name}`,
    label: t('common:labelled', { label: t(`statistics:filter.${kind}`), value: name }),
  }));
}

function nameOfColumn({ code, tag, campaign }: Statistics, nameOf: NameOf, all: string): string {
  return code ? nameOf(code) : (tag ?? campaign ?? all);
}
