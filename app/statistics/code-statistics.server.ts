import { type CodeHealth, type CodeVisit, type CodeVisits, getCodeVisits } from '#contract/code-visits';
import type { Code } from '#contract/codes';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { readZone } from '~/http/time-zone.server';
import { formatDateTime } from '~/ui/format';
import { figureViews, VISIT_FIGURES } from './figures.server';
import { hoursNote } from './findings.server';
import { deviceName, languageName, systemName } from './rankings.server';
import { type Words, wordsOf } from './wording.server';

const FIGURES = [...VISIT_FIGURES, 'unique_visitors', 'engagements', 'conversion_rate'] as const;

/**
 * Visit statistics for a code's own page, in the reader's language. Null when there are none: for a code
 * whose image contains the content itself, and for another account's code.
 */
export async function findCodeStatistics(scope: UserScope, id: string) {
  const { locale } = scope;
  const timeZone = await readZone(scope);
  try {
    const sent = { params: { id }, query: { timeZone } };
    const { recent, health, ...visits } = (await callHost(scope, getCodeVisits, sent)).data;
    if (health === 'uncounted' || !recent) return null;
    return { isLocked: false as const, ...viewOf({ ...visits, health, recent }, timeZone, wordsOf(locale)) };
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.code === 'subscription_required') return { isLocked: true as const };
    return null;
  }
}

/** A code's visits by people, in the reader's language; split into scans and clicks with a running subscription. */
export async function countVisits(scope: UserScope, code: Pick<Code, 'id' | 'visits'>) {
  const { number } = wordsOf(scope.locale);
  const total = { isNone: code.visits.total === 0, total: number(code.visits.total) };
  try {
    const { data } = await callHost(scope, getCodeVisits, { params: { id: code.id } });
    const parts = { scans: number(data.scans), clicks: number(data.clicks) };
    return { isNone: data.total === 0, total: number(data.total), parts };
  } catch (thrown) {
    if (thrown instanceof HostError) return { ...total, parts: null };
    throw thrown;
  }
}

function viewOf(
  {
    health,
    lastAt,
    visits,
    recentVisits,
    recent: { period, figures },
  }: Required<CodeVisits> & { health: Exclude<CodeHealth, 'uncounted'> },
  timeZone: string,
  words: Words,
) {
  const clock = new Intl.DateTimeFormat(words.tag, { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  return {
    health,
    healthText: words.t(`statistics:health.${health}`, {
      at: lastAt && formatDateTime(lastAt, words.tag, { timeZone }),
    }),
    note: hoursNote({ period }, words),
    figures: figureViews(figures, FIGURES, words).filter(({ value }) => value !== null),
    recentVisits,
    recentText: words.t('codes:list.recent', {
      count: recentVisits.reduce((sum, visits) => sum + visits, 0),
      days: recentVisits.length,
    }),
    visits: visits.map((visit, position) => ({
      ...wordedVisit(visit, words),
      id: idOf(visit, visits.slice(position)),
      at: visit.at,
      time: clock.format(new Date(visit.at)),
    })),
  };
}

export type CodeStatistics = ReturnType<typeof viewOf>;

function wordedVisit({ class: visitor, source, device, os, language, outcome }: CodeVisit, words: Words) {
  const { t } = words;
  const how = t(`statistics:lastVisits.${source}`);
  const isLed = outcome !== 'private' && outcome !== 'paused' && outcome !== 'ended';
  return {
    how: isLed ? how : `${how} (${t(`statistics:lastVisits.${outcome}`)})`,
    who: t(`statistics:visitors.${visitor}`),
    device: [deviceName(device, words), systemName(os, words)].join(' · '),
    language: languageName(language, words),
  };
}

/** Several visits may share a millisecond: `older` are the visits in the list from this one on. */
function idOf({ at }: CodeVisit, older: CodeVisit[]): string {
  return `${at} ${older.filter((visit) => visit.at === at).length}`;
}
