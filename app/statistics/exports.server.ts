import { redirect } from '@remix-run/node';
import { EXPORT_LIMIT, exportCodes, exportStatistics, type StatisticsFile } from '#contract/exports';
import type { Locale } from '#contract/locales';
import { utcDay } from '#contract/time';
import { streamHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { UserScope } from '~/http/scope.server';
import { wordsOf } from './wording.server';

/** A file about the requested period; if the host refuses it, redirects to the page, which says so. */
export async function downloadFigures(scope: UserScope, file: StatisticsFile): Promise<Response> {
  const { search, searchParams } = scope.url;
  const names = Object.keys(exportStatistics.query.shape);
  const query = Object.fromEntries(
    [...searchParams].filter(([name, value]) => names.includes(name) && value),
  );
  try {
    return fileOf(await streamHost(scope, exportStatistics, { params: { file }, query }), file);
  } catch (thrown) {
    if (isRefused(thrown)) throw redirect(refusedAddress(search, new Date()), 303);
    if (thrown instanceof HostError) throw redirect(`/user/analytics${search}`, 303);
    throw thrown;
  }
}

/** All codes of the account with their destinations. */
export async function downloadCodes(scope: UserScope): Promise<Response> {
  const separator = scope.url.searchParams.get('separator') === 'semicolon' ? 'semicolon' : 'comma';
  try {
    return fileOf(await streamHost(scope, exportCodes, { query: { separator } }), 'codes.csv');
  } catch (thrown) {
    if (isRefused(thrown)) throw redirect(refusedAddress('', new Date()), 303);
    throw thrown;
  }
}

function isRefused(thrown: unknown): boolean {
  return thrown instanceof HostError && thrown.status === 429;
}

function fileOf({ body, headers }: Response, file: string): Response {
  const name = file.replace('.csv', `-${utcDay(new Date())}.csv`);
  return new Response(body, {
    headers: {
      'Content-Type': headers.get('content-type') ?? 'text/csv',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'private, no-store',
    },
  });
}

const FIELD = 'again';

/** The page's URL with a note that too many files were requested; `search` is its query. */
export function refusedAddress(search: string, now: Date): string {
  const query = new URLSearchParams(search);
  query.delete('separator');
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
