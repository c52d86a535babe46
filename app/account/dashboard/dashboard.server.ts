import { getProfile } from '#contract/accounts';
import type { ResponseOf } from '#contract/call';
import { type Activity, getOverview } from '#contract/dashboard';
import { LOCALES, type Locale } from '#contract/locales';
import { HOUR_MS } from '#contract/time';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';
import { readZone } from '~/http/time-zone.server';
import { errorText } from '~/i18n/messages.server';
import { relativeTime } from '~/ui/format';
import type { ActivityRow } from './sections';

/** Everything the page shows of an account; names and times in the page's language. */
export async function getDashboard<Figures>(scope: UserScope, { nameOf, figuresOf }: Wording<Figures>) {
  const { email } = scope.user;
  const { locale } = scope;
  const query = { timeZone: await readZone(scope) };
  const [overview, profile] = await Promise.all([
    callHost(scope, getOverview, { query }),
    callHost(scope, getProfile),
  ]);
  const { stats, subscription, recentActivities, unfinishedDesign } = overview.data;
  return {
    name: profile.data.firstName || (email.split('@')[0] ?? email),
    hasCodes: stats.figures.total_codes.value !== 0,
    recent: figuresOf(stats, locale),
    subscription,
    locale,
    unfinished: unfinishedDesign && {
      id: unfinishedDesign.id,
      name: unfinishedDesign.name,
      reason: reasonText(locale, unfinishedDesign.reason),
    },
    mostVisited: stats.mostActive.codes.map((code) => ({
      id: code.id,
      type: code.type,
      visits: code.visits,
      name: nameOf(code),
    })),
    activities: activityRows(recentActivities, nameOf, locale, new Date()),
  };
}

function reasonText(locale: Locale, code: string | null): string | null {
  return code && errorText(locale, ['design'], code);
}

export type Stats = ResponseOf<typeof getOverview>['data']['stats'];

/** What other features say of codes and figures. */
interface Wording<Figures> {
  nameOf: NameOf;
  figuresOf: (stats: Stats, locale: Locale) => Figures;
}

export type NameOf = (code: NonNullable<Activity['code']>) => string;

/** Events of the same kind at most this far apart share a row. */
const TOGETHER_MS = HOUR_MS;
/** A row about more codes than this gives only their number. */
const MAX_NAMED = 3;

/** Rows of the activity table, newest first; expects `activities` newest first too. */
export function activityRows(
  activities: Activity[],
  nameOf: NameOf,
  locale: Locale,
  now: Date,
): ActivityRow[] {
  return groupsOf(activities).map((group) => rowOf(group, nameOf, locale, now));
}

type Group = [newest: Activity, ...older: Activity[]];

function groupsOf(activities: Activity[]): Group[] {
  const groups: Group[] = [];
  for (const activity of activities) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isLike =
      last?.type === activity.type && Date.parse(last.at) - Date.parse(activity.at) <= TOGETHER_MS;
    if (group && isLike) group.push(activity);
    else groups.push([activity]);
  }
  return groups;
}

function rowOf(group: Group, nameOf: NameOf, locale: Locale, now: Date): ActivityRow {
  const [{ type, at }] = group;
  const named = new Map(group.flatMap(({ code }) => (code ? [[code.id, code] as const] : [])));
  const unnamed = group.filter(({ code }) => !code).map(({ codes }) => Math.max(codes, 1));
  const isAboutCodes = type.startsWith('qrcode_');
  const codes = isAboutCodes ? named.size + unnamed.reduce((sum, count) => sum + count, 0) : 0;
  return {
    type,
    at,
    codes,
    ago: relativeTime(at, now, LOCALES[locale].tag),
    times: isAboutCodes ? 1 : group.length,
    named: codes > MAX_NAMED ? [] : [...named.values()].map((code) => ({ id: code.id, name: nameOf(code) })),
  };
}
