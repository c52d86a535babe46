import { z } from 'zod';
import { call } from './call';
import { CAMPAIGN_INPUTS } from './campaign';
import { StatisticsQuery } from './statistics';

/**
 * The files are CSV by RFC 4180 in UTF-8 with a byte order mark: lines end with CRLF, the first names the columns. The
 * names are for programs: they are English in every language, and neither change nor move; new ones are added at
 * the end. Times are RFC 3339 in UTC. What a spreadsheet would take for a formula, at the start of a text, behind a
 * semicolon or in a new line, has a `'` before it (OWASP, CSV Injection).
 */
const DAILY_COLUMNS = [
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
  /**
   * This and the following are counted by the UTC day of the same date. For some codes, such as those with a tag, they are
   * added up per code: who visits two of them counts twice.
   */
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
  /** `false` if visits leave no trace. */
  'counted',
  /** Campaign parameters as typed; further ones as `name=value`, with `&` between them. */
  ...CAMPAIGN_INPUTS,
  /** Where visits of a link code lead with these. */
  'final_address',
] as const;

/** Visits by people in each hour of the day of the requested time zone, over the whole period. */
const HOUR_COLUMNS = [
  /** 0 to 23. */
  'hour',
  'visits',
] as const;

/** Visits by people on the UTC days of the period, most first. */
const BREAKDOWN_COLUMNS = [
  /**
   * `country`, `device`, `language`, `os`, `utm_campaign`, `utm_source`, `utm_medium` or, unless the file is about one code,
   * `type`.
   */
  'dimension',
  /** ISO 3166-1 code of a country, BCP 47 tag of a language; empty if unknown. */
  'value',
  'visits',
] as const;

/** A row for each code and date with visits. */
const CODE_DAY_COLUMNS = [
  'code_id',
  'code_name',
  'type',
  'content',
  /** Date in the requested time zone. */
  'day',
  'visits',
  'scans',
  'clicks',
  'bots',
  'previews',
  'owner',
] as const;

/** Every single visit, oldest first; they are kept for 90 days. */
const VISIT_COLUMNS = [
  'at',
  'code_id',
  'code_name',
  'source',
  /** `human`, `bot`, `preview` or `owner`. */
  'class',
  'outcome',
  'device',
  'os',
  'language',
  'country',
] as const;

/** The columns of the files about a period, by name. */
export const STATISTICS_FILES = {
  'daily.csv': DAILY_COLUMNS,
  'code-days.csv': CODE_DAY_COLUMNS,
  'hours.csv': HOUR_COLUMNS,
  'breakdowns.csv': BREAKDOWN_COLUMNS,
  'visits.csv': VISIT_COLUMNS,
} as const;
export type StatisticsFile = keyof typeof STATISTICS_FILES;

/** A row of such a file. */
export type FileRow<Name extends StatisticsFile> = Record<
  (typeof STATISTICS_FILES)[Name][number],
  string | number | null
>;

/** What separates columns: spreadsheets in languages with a decimal comma expect semicolons. */
export const CSV_SEPARATORS = { comma: ',', semicolon: ';' } as const;
export type CsvSeparator = keyof typeof CSV_SEPARATORS;
const separator = z.enum(['comma', 'semicolon'], 'separator_invalid').default('comma');

/** Number of files an account may fetch within this time; more are refused with `rate_limited`. */
export const EXPORT_LIMIT = { files: 20, seconds: 300 };

export const exportStatistics = call({
  name: 'exportStatistics',
  method: 'GET',
  path: '/api/qrcodes/stats/{file}',
  summary: 'CSV of the figures of a period; needs no subscription',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/statistics/{file}',
  mediaType: 'text/csv',
  params: z.object({ file: z.enum(Object.keys(STATISTICS_FILES) as [StatisticsFile, ...StatisticsFile[]]) }),
  query: StatisticsQuery.safeExtend({ separator }),
  errors: ['unauthenticated', 'not_found', 'invalid', 'rate_limited'],
});

export const exportCodes = call({
  name: 'exportCodes',
  method: 'GET',
  path: '/api/qrcodes/codes.csv',
  summary: "CSV of all the account's codes and where they lead, newest first; needs no subscription",
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/codes.csv',
  mediaType: 'text/csv',
  query: z.object({ separator }),
  errors: ['unauthenticated', 'invalid', 'rate_limited'],
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
