import { data, redirect } from '@remix-run/node';
import { getProfile } from '#contract/accounts';
import type { Statistics } from '#contract/statistics';
import { callHost } from '~/http/host.server';
import { newFormKey, type UserScope } from '~/http/scope.server';
import { readZone } from '~/http/time-zone.server';
import { trendChart } from './charts.server';
import { CODE_FIGURES, figureViews, PEOPLE_FIGURES, VISIT_FIGURES } from './figures.server';
import { queryOf, readFilter } from './filter.server';
import { changeFinding, hoursNote, summaryOf } from './findings.server';
import {
  campaignRankings,
  countriesRanking,
  devicesRanking,
  languagesRanking,
  mostActiveRanking,
  type NameOf,
} from './rankings.server';
import { listLinks, sharedDays } from './shared-links.server';
import { requestStatistics } from './statistics.server';
import { subjectOf, type Words, wordsOf } from './wording.server';

export type Report = ReturnType<typeof reportOf>;

/** The report of a filter; null without a subscription. An invalid filter is corrected on the page of figures. */
export async function readReport(
  scope: UserScope,
  nameOf: NameOf,
): Promise<(Report & { query: string; shares: string }) | null> {
  const { search, searchParams } = scope.url;
  const now = new Date();
  const read = readFilter(searchParams, await readZone(scope), now);
  if (Object.keys(read.errors).length > 0) throw redirect(`/user/analytics${search}`);
  const [result, { data: profile }] = await Promise.all([
    requestStatistics(scope, read),
    callHost(scope, getProfile),
  ]);
  if (!result) return null;
  const name = profile.publicName || `${profile.firstName} ${profile.lastName}`.trim();
  const words = wordsOf(scope.locale);
  return {
    ...reportOf(result.statistics, name, nameOf, words),
    query: queryOf(result.filter),
    shares: sharedDays(result.filter, words),
  };
}

/** What the page shows; an account without a subscription can still end its links. */
export async function getReport(scope: UserScope, nameOf: NameOf) {
  const [report, links] = await Promise.all([readReport(scope, nameOf), listLinks(scope, nameOf)]);
  return data({ report, links, formKey: newFormKey(scope) });
}

export function reportOf(statistics: Statistics, name: string, nameOf: NameOf, words: Words) {
  const { t } = words;
  const { period, code, figures } = statistics;
  const countries = countriesRanking(statistics, words);
  const visits = figureViews(figures, VISIT_FIGURES, words).map((view, at) => ({
    ...view,
    line: changeFinding(statistics, VISIT_FIGURES[at] ?? 'visits', words) ?? undefined,
  }));
  const made = new Intl.DateTimeFormat(words.tag, {
    timeZone: period.timeZone,
    dateStyle: 'long',
    timeStyle: 'short',
  });
  return {
    heading: name === '' ? t('statistics:report.heading') : t('statistics:report.headingOf', { name }),
    lead: `${code ? nameOf(code) : subjectOf(statistics, words)}, ${words.days(period.from, period.to)}`,
    made: t('statistics:report.made', {
      date: made.format(new Date(statistics.asOf)),
      zone: period.timeZone.replaceAll('_', ' '),
    }),
    summary: summaryOf(statistics, nameOf, words),
    figures: [
      ...visits,
      ...figureViews(figures, PEOPLE_FIGURES, words),
      ...(code ? [] : figureViews(figures, CODE_FIGURES, words)),
    ].map(({ definition, value, line }) => ({
      definition,
      label: t(`statistics:definitions.${definition}.label`),
      value: value ?? t('statistics:unmeasured.label'),
      isMeasured: value !== null,
      line: line ?? null,
      text: t(`statistics:definitions.${definition}.text`),
    })),
    trend: { ...trendChart(statistics, words), note: hoursNote(statistics, words) },
    rankings: [
      ...(countries ? [countries] : []),
      ...(code ? [] : [mostActiveRanking(statistics, nameOf, words)]),
      devicesRanking(statistics, words),
      languagesRanking(statistics, words),
      ...campaignRankings(statistics, null, words).slice(0, 1),
    ],
  };
}
