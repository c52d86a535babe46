import { getProfile } from '#contract/accounts';
import { getOverview } from '#contract/dashboard';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import type { Session } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';
import type { Locale } from '~/i18n/locales';
import { errorTexts } from '~/i18n/messages.server';
import { activityRows, type NameOf } from './activities.server';

/** Everything the page shows of an account; names and times in the page's language. */
export async function getDashboard(
  requestContext: RequestContext,
  { token, email }: Session,
  nameOf: NameOf,
) {
  const [overview, profile, locale] = await Promise.all([
    callHost(requestContext, getOverview, { token }),
    callHost(requestContext, getProfile, { token }),
    getLocale(requestContext.request),
  ]);
  const { stats, subscription, recentActivities, unfinishedDesign, visitsByDay, mostVisited } = overview.data;
  return {
    name: profile.data.firstName || (email.split('@')[0] ?? email),
    stats,
    subscription,
    locale,
    unfinished: unfinishedDesign && {
      id: unfinishedDesign.id,
      name: unfinishedDesign.name,
      reason: reasonText(locale, unfinishedDesign.reason),
    },
    visitsByDay,
    mostVisited: mostVisited.map((code) => ({
      ...{ id: code.id, type: code.type, visits: code.visits },
      name: nameOf(code),
    })),
    activities: activityRows(recentActivities, nameOf, locale, new Date()),
  };
}

function reasonText(locale: Locale, code: string | null): string | null {
  return code && (errorTexts(locale, ['design'], [code])[code] ?? null);
}
