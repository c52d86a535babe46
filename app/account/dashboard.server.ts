import { getProfile } from '#contract/accounts';
import { getOverview } from '#contract/dashboard';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import type { Session } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';
import { LOCALES, type Locale } from '~/i18n/locales';
import { errorTexts } from '~/i18n/messages.server';
import { relativeTime } from '~/ui/relative-time';

/** Name, figures, subscription and the newest activities of an account; times are worded for its language. */
export async function getDashboard(requestContext: RequestContext, { token, email }: Session) {
  const [overview, profile, locale] = await Promise.all([
    callHost(requestContext, getOverview, { token }),
    callHost(requestContext, getProfile, { token }),
    getLocale(requestContext.request),
  ]);
  const { stats, subscription, recentActivities, unfinishedDesign } = overview.data;
  const now = new Date();
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
    activities: recentActivities.map(({ type, at }) => ({
      type,
      at,
      ago: relativeTime(at, now, LOCALES[locale].tag),
    })),
  };
}

function reasonText(locale: Locale, code: string | null): string | null {
  return code && (errorTexts(locale, ['design'], [code])[code] ?? null);
}
