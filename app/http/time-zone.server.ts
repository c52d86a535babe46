import { getProfile } from '#contract/accounts';
import type { Locale } from '#contract/locales';
import { usualZone } from '~/i18n/zones.server';
import { callHost } from './host.server';
import type { RequestContext } from './scope.server';
import { findLiveSession } from './session.server';

/**
 * The zone for displayed times, and for statistics unless the address names another: that of the signed-in account,
 * or the usual one of the language while none is known.
 */
export async function readZone(requestContext: RequestContext, locale: Locale): Promise<string> {
  const session = await findLiveSession(requestContext.request);
  if (!session) return usualZone(locale);
  const { data: profile } = await callHost(requestContext, getProfile, { token: session.token });
  return profile.timeZone ?? usualZone(locale);
}
