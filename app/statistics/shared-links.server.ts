import { z } from 'zod';
import {
  endSharedReport,
  listSharedReports,
  SHARED_DAYS,
  type SharedReport,
  shareReport,
} from '#contract/shared-reports';
import { env } from '~/http/env.server';
import { redirectWithFlash } from '~/http/flash.server';
import { checkForm, invalid, orConflict, readForm, withFormErrors } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { orAlreadyGone } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { readZone } from '~/http/time-zone.server';
import { todayIn } from '~/i18n/zones.server';
import { DEFAULT_PERIOD, readFilter, type StatisticsFilter } from './filter.server';
import type { NameOf } from './rankings.server';
import { subjectOf, type Words, wordsOf } from './wording.server';

const PAGE = '/user/analytics/report';
const DATE = 'date';
const ENDS = [...SHARED_DAYS.map((days) => `${days}` as const), DATE] as const;
const FIELDS = ['intent', 'id', 'name', 'end', 'until', 'key'];

const text = z.string().default('');
const ShareForm = z.object({
  intent: z.string(),
  name: text,
  end: z.enum(ENDS, 'report_end_invalid'),
  until: text,
  key: z.string().optional(),
});

/** Makes a link to the report that the page shows, or ends one. */
export async function handleSharing(scope: UserScope) {
  const form = await readForm(scope, FIELDS);
  if (form.get('intent') === 'end') return endLink(scope, String(form.get('id') ?? ''));
  const checked = checkForm(scope, form, ShareForm);
  if (!checked.ok) return invalid(checked.lastResult);
  const { name, end, until, key } = checked.value;
  const { filter } = readFilter(scope.url.searchParams, await readZone(scope), new Date());
  return withFormErrors(checked.reject, orConflict('reports_full', FIELDS), async () => {
    const life = end === DATE ? { until } : { days: SHARED_DAYS.find((days) => String(days) === end) };
    await callHost(scope, shareReport, { body: { name, filter, ...life, key } });
    return redirectWithFlash(PAGE + scope.url.search, { type: 'success', key: 'report_shared' });
  });
}

/** Ends a link; one that has ended already counts as done. */
async function endLink(scope: UserScope, id: string): Promise<Response> {
  await orAlreadyGone(callHost(scope, endSharedReport, { params: { id } }));
  return redirectWithFlash(PAGE + scope.url.search, { type: 'success', key: 'report_ended' });
}

/** Every link of the account with what it shows, and until when. */
export async function listLinks(scope: UserScope, nameOf: NameOf) {
  const { data: reports } = await callHost(scope, listSharedReports);
  const words = wordsOf(scope.locale);
  return reports.map((report) => ({
    id: report.id,
    name: report.name,
    /** Null if it cannot be shown any more. */
    url: report.token && `${env.PUBLIC_URL}/report?token=${report.token}`,
    shows: `${sharedSubject(report, nameOf, words)}, ${daysOf(report.filter, words)}`,
    until: words.t('statistics:report.links.until', {
      date: lastDay(report.endsAt, report.filter.timeZone, words),
    }),
  }));
}

export type SharedLink = Awaited<ReturnType<typeof listLinks>>[number];

function sharedSubject({ filter, code }: SharedReport, nameOf: NameOf, words: Words): string {
  if (code) return nameOf(code);
  return filter.code ? words.t('statistics:report.links.gone') : subjectOf(filter, words);
}

function daysOf({ period, from, to }: SharedReport['filter'], words: Words): string {
  return from && to
    ? words.days(from, to)
    : words.t('statistics:report.links.days', { days: words.number(period ?? DEFAULT_PERIOD) });
}

/** What a link to the report of this filter would show: days that move on, or days that stay. */
export function sharedDays({ period, from, to }: StatisticsFilter, words: Words): string {
  return from && to
    ? words.t('statistics:report.share.fixed', { days: words.days(from, to) })
    : words.t('statistics:report.share.moving', { days: words.number(period ?? DEFAULT_PERIOD) });
}

/** The last day on which a link works that ends at this moment. */
export function lastDay(endsAt: string, timeZone: string, words: Words): string {
  return words.day(todayIn(timeZone, new Date(Date.parse(endsAt) - 1)));
}
