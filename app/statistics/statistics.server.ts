import { data } from '@remix-run/node';
import { type Code, type CodeFilter, listCodes } from '#contract/codes';
import { isDynamic } from '#contract/contents/contents';
import { LOCALES, type Locale } from '#contract/locales';
import { getStatistics, type Statistics } from '#contract/statistics';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { markInvalid, readZone } from '~/http/time-zone.server';
import { todayIn, zoneOptions } from '~/i18n/zones.server';
import { apartChart, hoursChart, trendChart, visitorsChart, weekOf } from './charts.server';
import { codeSearchView, findCodes, readCodeSearch } from './code-search.server';
import type { ExportOptions } from './export-form';
import { readRefusal, refusalText } from './exports.server';
import { CODE_FIGURES, figureViews, PEOPLE_FIGURES, VISIT_FIGURES } from './figures.server';
import {
  FILTER_FIELDS,
  PERIOD_CHOICES,
  queryOf,
  type ReadFilter,
  readFilter,
  type StatisticsFilter,
} from './filter.server';
import { changeFinding, hoursNote, summaryOf } from './findings.server';
import {
  campaignRankings,
  countriesRanking,
  devicesRanking,
  distributionRanking,
  languagesRanking,
  mostActiveRanking,
  type NameOf,
  systemsRanking,
} from './rankings.server';
import { subjectOf, type Words, wordsOf } from './wording.server';

export const LISTED_CODES = 100;
/** A delay shorter than a page load is not worth mentioning to somebody looking for their own scan. */
const REPORTED_SECONDS = 3;

export function markInvalidFilter(scope: Scope): void {
  const now = new Date();
  const search = scope.url.searchParams;
  markInvalid(scope, (timeZone) => {
    const { errors } = readFilter(search, timeZone, now);
    return Object.keys(errors).length > 0 || readRefusal(search, now) > 0;
  });
}

/**
 * Everything the page shows, in the reader's language. An invalid filter gets the default figures, the errors and
 * status 400; somebody else's code, or a tag that no code has, a 404 page. Without a subscription there are only the
 * files. Status 429 when files were requested too often.
 */
export async function getAnalytics(scope: UserScope, nameOf: NameOf) {
  const { locale } = scope;
  const now = new Date();
  const search = scope.url.searchParams;
  const read = readFilter(search, await readZone(scope), now);
  const codeSearch = readCodeSearch(search);
  const [result, codes, found] = await Promise.all([
    requestStatistics(scope, read),
    listForFilter(scope),
    findCodes(scope, codeSearch),
  ]);
  const wait = readRefusal(search, now);
  const refusal = refusalText(wait, read.filter.timeZone, locale, now);
  const refused = wait > 0 ? { status: 429, headers: { 'Retry-After': String(wait) } } : null;
  if (!result)
    return data({ statistics: null, refusal, exports: exportsOf(read.filter, scope.locale) }, refused ?? {});
  const { statistics, filter, errors } = result;
  const words = wordsOf(locale);
  const hasFailed = Object.keys(errors).length > 0;
  return data(
    {
      statistics: viewOf(statistics, filter, nameOf, words),
      form: {
        // The options contain the tag's own spelling, whatever its spelling in the query.
        values: { ...read.values, tag: statistics.tag ?? read.values.tag },
        errors: FILTER_FIELDS.flatMap((field) => (errors[field] ? [{ field, code: errors[field] }] : [])),
        periods: PERIOD_CHOICES,
        codes: codeOptions(codes.listed, [statistics.code], nameOf),
        tags: statistics.tags.map((value) => ({ value, label: value })),
        hasCampaigns: read.values.campaign !== '' || statistics.campaigns.values.length > 0,
        hasMore: codes.hasMore,
        zones: zoneOptions(read.values.timeZone, now),
        today: todayIn(filter.timeZone, now),
      },
      search:
        codes.hasMore || codeSearch.text !== '' ? codeSearchView(codeSearch, found, filter, nameOf) : null,
      refusal,
      /** Visits of codes that have since been deleted are figures too. */
      isEmpty:
        !statistics.campaign &&
        statistics.figures.total_codes.value === 0 &&
        statistics.figures.visits.value === 0,
      exports: exportsOf(filter, locale),
      links: { compare: subjectQuery(filter), report: queryOf(filter) },
      stream: `/user/analytics/stream${filter.code ? `?code=${filter.code}` : ''}`,
    },
    {
      status: refused?.status ?? (hasFailed ? 400 : 200),
      headers: { ...refused?.headers },
    },
  );
}

interface FilteredStatistics {
  statistics: Statistics;
  filter: StatisticsFilter;
  errors: ReadFilter['errors'];
}

/** Null without a subscription. If the host refuses the filter, retries with the default period. */
export async function requestStatistics(
  scope: UserScope,
  { filter, errors }: Pick<ReadFilter, 'filter' | 'errors'>,
): Promise<FilteredStatistics | null> {
  try {
    const { data: statistics } = await callHost(scope, getStatistics, { body: filter });
    return { statistics, filter, errors };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.code === 'subscription_required') return null;
    if (thrown.status === 404) throw data(null, { status: 404 });
    if (thrown.code !== 'invalid' || Object.keys(errors).length > 0) throw thrown;
    const refused = Object.entries(thrown.errors).map(([field, codes]) => [field, codes[0] ?? 'invalid']);
    const { code, tag, campaign, timeZone } = filter;
    const usual = { period: 30, code, tag, campaign, timeZone } as const;
    return requestStatistics(scope, { filter: usual, errors: Object.fromEntries(refused) });
  }
}

function viewOf(statistics: Statistics, filter: StatisticsFilter, nameOf: NameOf, words: Words) {
  const { period, code, figures } = statistics;
  const clock = new Intl.DateTimeFormat(words.tag, {
    timeZone: period.timeZone,
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  const change = (name: 'visits' | 'scans' | 'clicks') => changeFinding(statistics, name, words);
  return {
    summary: summaryOf(statistics, nameOf, words),
    asOf: { at: statistics.asOf, time: clock.format(new Date(statistics.asOf)) },
    /** Null unless worth mentioning. */
    secondsBehind:
      statistics.behindSeconds >= REPORTED_SECONDS ? words.number(statistics.behindSeconds) : null,
    days: words.days(period.from, period.to),
    zone: period.timeZone.replaceAll('_', ' '),
    note: hoursNote(statistics, words),
    code: code && {
      id: code.id,
      name: nameOf(code),
      /** Nothing is asked of us when it is read. */
      isStatic: !isDynamic(code.type),
      /** Set if the code is younger than the period. */
      since: code.since > period.startsAt ? words.day(todayIn(period.timeZone, new Date(code.since))) : null,
    },
    subject: subjectOf(statistics, words),
    list: listQuery(statistics),
    notes: notesOf(statistics, words),
    uncounted: statistics.uncounted,
    /** Visits that are counted separately are shown, too. */
    isUnvisited: (['visits', 'bots', 'previews', 'owner'] as const).every(
      (name) => figures[name].value === 0,
    ),
    figures: [
      ...figureViews(figures, VISIT_FIGURES, words).map((view, at) => {
        const line = change(VISIT_FIGURES[at] ?? 'visits');
        return line === null ? view : { ...view, line };
      }),
      ...figureViews(figures, PEOPLE_FIGURES, words),
      ...(code ? [] : figureViews(figures, CODE_FIGURES, words)),
    ],
    when: {
      trend: trendChart(statistics, words),
      hours: hoursChart(statistics, words),
      week: weekOf(statistics, words),
      visitors: visitorsChart(statistics, words),
    },
    codes: code
      ? null
      : {
          mostActive: mostActiveRanking(statistics, nameOf, words),
          types: distributionRanking(statistics, words),
        },
    origin: {
      devices: devicesRanking(statistics, words),
      systems: systemsRanking(statistics, words),
      languages: languagesRanking(statistics, words),
      apart: apartChart(statistics, words),
      /** Null while no country is known. */
      countries: countriesRanking(statistics, words),
    },
    campaigns: campaignRankings(statistics, filter, words),
  };
}

/** Of the page that compares, for what is shown now. */
function subjectQuery({ code, tag, campaign }: StatisticsFilter): string {
  if (code) return `?of1=code:${code}`;
  const of1 = tag ? `tag:${tag}` : campaign && `campaign:${campaign}`;
  return of1 ? `?${new URLSearchParams({ of1 })}` : '';
}

/** Which codes are counted, if it is neither one nor all. */
function notesOf({ tag, campaign, figures }: Statistics, { t }: Words): string[] {
  const hasNone = figures.total_codes.value === 0;
  return [
    ...(tag ? [t('statistics:tagged.note')] : []),
    ...(campaign ? [t(hasNone ? 'statistics:ofCampaign.none' : 'statistics:ofCampaign.note')] : []),
  ];
}

/** Of the list of the codes that figures are about; null for all codes and for one. */
function listQuery({ tag, campaign }: Statistics): string | null {
  const named = { ...(tag && { tag }), ...(campaign && { campaign }), show: 'all' };
  return tag || campaign ? String(new URLSearchParams(named)) : null;
}

/** The newest codes, those in use before archived ones. */
async function listForFilter(scope: UserScope) {
  const read = (show: CodeFilter['show']) =>
    callHost(scope, listCodes, { query: { show, page: 1, limit: LISTED_CODES } });
  const all = await read('all');
  const isArchived = ({ archivedAt }: Code) => archivedAt !== null;
  const hasMore = all.meta.total > LISTED_CODES;
  const inUse = hasMore ? (await read('in_use')).data : all.data.filter((code) => !isArchived(code));
  return { listed: [...inUse, ...all.data.filter(isArchived)].slice(0, LISTED_CODES), hasMore };
}

/** Options for these codes, preceded by the requested ones that are not among them. */
export function codeOptions(codes: Code[], requested: Statistics['code'][], nameOf: NameOf) {
  const unlisted = new Map(requested.flatMap((code) => (code ? [[code.id, code] as const] : [])));
  for (const { id } of codes) unlisted.delete(id);
  return [...unlisted.values(), ...codes].map((code) => ({
    value: code.id,
    label: nameOf(code),
  }));
}

function exportsOf(filter: StatisticsFilter, locale: Locale): ExportOptions {
  const parts = new Intl.NumberFormat(LOCALES[locale].tag).formatToParts(1.5);
  const hasDecimalComma = parts.some(({ type, value }) => type === 'decimal' && value === ',');
  return {
    filter: [...new URLSearchParams(queryOf(filter))],
    separator: hasDecimalComma ? 'semicolon' : 'comma',
  };
}
