import { type CodeHealth, type CodeVisit, type CodeVisits, getCodeVisits } from '#contract/code-visits';
import type { Code } from '#contract/codes';
import { getStatistics, type Statistics } from '#contract/statistics';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { RequestContext } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { readZone } from '~/i18n/time-zone.server';
import { formatMoment } from '~/ui/format';
import { figureViews, VISIT_FIGURES } from './figures.server';
import { hoursNote } from './findings.server';
import { deviceName, languageName, systemName } from './rankings.server';
import { type Words, wordsOf } from './wording.server';

const FIGURES = [...VISIT_FIGURES, 'unique_visitors', 'engagements', 'conversion_rate'] as const;

/**
 * What a code's own page says of its visits, in the reader's words. `null` where there is nothing to say: for a code
 * whose image holds everything itself, and for one that is not of this account.
 */
export async function findCodeStatistics(requestContext: RequestContext, id: string, token: string) {
  const locale = await getLocale(requestContext.request);
  const timeZone = readZone(requestContext.request, locale);
  try {
    const [visits, statistics] = await Promise.all([
      callHost(requestContext, getCodeVisits, { params: { id }, token }),
      callHost(requestContext, getStatistics, { body: { period: 30, code: id, timeZone }, token }),
    ]);
    const { health } = visits.data;
    if (health === 'uncounted') return null;
    const known = { ...visits.data, health };
    return { isLocked: false as const, ...viewOf(known, statistics.data, timeZone, wordsOf(locale)) };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.code === 'subscription_required') return { isLocked: true as const };
    return null;
  }
}

/** Visits of people that a code has had, in the reader's words; apart by scans and clicks where a subscription runs. */
export async function countVisits(
  requestContext: RequestContext,
  code: Pick<Code, 'id' | 'visits'>,
  token: string,
) {
  const { number } = wordsOf(await getLocale(requestContext.request));
  const total = { isNone: code.visits.total === 0, total: number(code.visits.total) };
  try {
    const { data } = await callHost(requestContext, getCodeVisits, { params: { id: code.id }, token });
    const parts = { scans: number(data.scans), clicks: number(data.clicks) };
    return { isNone: data.total === 0, total: number(data.total), parts };
  } catch (thrown) {
    if (thrown instanceof HostError) return { ...total, parts: null };
    throw thrown;
  }
}

function viewOf(
  { health, lastAt, visits }: CodeVisits & { health: Exclude<CodeHealth, 'uncounted'> },
  { figures, period }: Statistics,
  timeZone: string,
  words: Words,
) {
  const clock = new Intl.DateTimeFormat(words.tag, { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  return {
    health,
    healthText: words.t(`statistics:health.${health}`, {
      at: lastAt && formatMoment(lastAt, words.tag, { timeZone }),
    }),
    note: hoursNote({ period }, words),
    figures: figureViews(figures, FIGURES, words).filter(({ value }) => value !== null),
    visits: visits.map((visit, position) => ({
      ...wordedVisit(visit, words),
      id: idOf(visit, visits.slice(position)),
      at: visit.at,
      time: clock.format(new Date(visit.at)),
    })),
  };
}

function wordedVisit({ class: visitor, source, device, os, language, outcome }: CodeVisit, words: Words) {
  const { t } = words;
  const isRefused = outcome === 'private';
  return {
    how: t(`statistics:lastVisits.${source}`) + (isRefused ? ` (${t('statistics:lastVisits.private')})` : ''),
    who: t(`statistics:visitors.${visitor}`),
    device: [deviceName(device, words), systemName(os, words)].join(' · '),
    language: languageName(language, words),
  };
}

/** Several visits may have come in one millisecond: `older` are those of the list from this one on. */
function idOf({ at }: CodeVisit, older: CodeVisit[]): string {
  return `${at} ${older.filter((visit) => visit.at === at).length}`;
}
