import { EXPORT_LIMIT } from '#contract/exports';
import type { Locale } from '~/i18n/locales';
import { wordsOf } from './wording.server';

const FIELD = 'again';

/** The page's URL with a note that too many files were requested; `search` is its query. */
export function refusedAddress(search: string, now: Date): string {
  const query = new URLSearchParams(search);
  query.set(FIELD, String(Math.ceil(now.getTime() / 1000) + EXPORT_LIMIT.seconds));
  return `/user/analytics?${query}`;
}

/**
 * Seconds until files can be downloaded again, read from the URL; 0 if that is over or the value is not ours.
 */
export function readRefusal(search: URLSearchParams, now: Date): number {
  const seconds = Math.ceil(Number(search.get(FIELD) ?? 0) - now.getTime() / 1000);
  return seconds > 0 && seconds <= EXPORT_LIMIT.seconds + 1 ? seconds : 0;
}

/** Text with the limit and the time of the next download; null if `seconds` is 0. */
export function refusalText(seconds: number, timeZone: string, locale: Locale, now: Date): string | null {
  if (seconds === 0) return null;
  const { t, tag } = wordsOf(locale);
  const clock = new Intl.DateTimeFormat(tag, { timeZone, timeStyle: 'short', hourCycle: 'h23' });
  const minute = Math.ceil((now.getTime() / 1000 + seconds) / 60) * 60_000;
  return t('statistics:exports.refused', {
    files: EXPORT_LIMIT.files,
    minutes: EXPORT_LIMIT.seconds / 60,
    time: clock.format(new Date(minute)),
  });
}
