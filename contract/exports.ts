import { call } from './call';
import { StatisticsQuery } from './statistics';

/**
 * Both files are CSV by RFC 4180 in UTF-8 with a byte order mark: lines end with CRLF, the first names the columns. The
 * names are for programs: they are English in every language, and neither change nor move; new ones are added at
 * the end. Times are RFC 3339 in UTC. What a spreadsheet would take for a formula, at the start of a text, behind a
 * semicolon or in a new line, has a `'` before it (OWASP, CSV Injection).
 */
export const DAILY_COLUMNS = [
  /** Date in the requested time zone. */
  'day',
  /** 23 or 25 when clocks change. */
  'hours',
  'visits',
  'scans',
  'clicks',
  'bots',
  'previews',
  'owner',
  /** This and the following are counted by the UTC day of the same date. */
  'unique_visitors',
  'measured_visitors',
  /** Empty, not zero, if nothing was measured in the whole period. */
  'distinct_engagements',
  'engagements',
] as const;

export const CODE_COLUMNS = [
  'id',
  'type',
  'content',
  'subject',
  'body',
  'visibility',
  'link',
  'scan_link',
  'created_at',
  'updated_at',
  'visits',
  'scans',
  'clicks',
  /** Visits by robots, link previews and the owner. */
  'others',
  /** By a person; empty before the first. */
  'last_visit_at',
  'name',
  /** Comma-separated. */
  'tags',
  'archived_at',
  /** Since when it has been blocked by an operator, and why. */
  'blocked_at',
  'blocked_reason',
] as const;

/** Number of files an account may fetch within this time; more are refused with `rate_limited`. */
export const EXPORT_LIMIT = { files: 20, seconds: 300 };

export const exportDailyFigures = call({
  name: 'exportDailyFigures',
  method: 'GET',
  path: '/api/qrcodes/stats/daily.csv',
  summary: 'CSV of the daily figures of a period, oldest first; needs no subscription',
  access: 'user',
  query: StatisticsQuery,
  errors: ['unauthenticated', 'not_found', 'invalid', 'rate_limited'],
});

export const exportCodes = call({
  name: 'exportCodes',
  method: 'GET',
  path: '/api/qrcodes/codes.csv',
  summary: "CSV of all the account's codes and where they lead, newest first; needs no subscription",
  access: 'user',
  errors: ['unauthenticated', 'rate_limited'],
});

/**
 * Where a spreadsheet may see a cell begin, and an operator that makes it a formula. In many languages spreadsheets split
 * lines at semicolons: then a text is not within its quotes, and its lines are rows.
 */
const FORMULA = /(?:^|(?<![;\s"])(?=[;\s"]))([;\s"]*)('*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

function replaceGuards(text: string, change: (guards: string) => string): string {
  return text.replace(FORMULA, (found, before: string, guards: string, at: number) =>
    at === 0 || /[;\t\r\n]/.test(before) ? before + change(guards) : found,
  );
}

/** Puts a `'` before what spreadsheets would take for a formula. */
function guardFormulas(text: string): string {
  return replaceGuards(text, (guards) => `'${guards}`);
}

/** A text as it was before `guardFormulas`. */
export function withoutGuards(text: string): string {
  return replaceGuards(text, (guards) => guards.slice(1));
}

/** How tables for download are written by `csv-stringify` (RFC 4180). */
export const CSV_FORMAT = {
  record_delimiter: 'windows',
  // The standard requires quotes around every line break, not only around the record delimiter.
  quoted_match: /[\r\n]/,
  cast: { string: guardFormulas },
} as const;
