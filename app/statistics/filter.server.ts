import { getStatistics, PERIODS } from '#contract/statistics';
import { todayIn } from '~/i18n/zones.server';

export const FILTER_FIELDS = ['period', 'from', 'to', 'code', 'tag', 'campaign', 'timeZone'] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

export const DEFAULT_PERIOD = 30;
const LONGEST_VALUE = 100;

/** The form values as typed; `period` is a number of days or `range`. */
export type FilterValues = Record<FilterField, string>;

/** The filter sent to the host; always complete and valid. */
export interface StatisticsFilter {
  period?: (typeof PERIODS)[number];
  from?: string;
  to?: string;
  code: string | null;
  /** Null for all codes, and when a single code is chosen. */
  tag: string | null;
  /** The `utm_campaign`; none when a single code is chosen. */
  campaign?: string | undefined;
  timeZone: string;
}

export interface ReadFilter {
  values: FilterValues;
  filter: StatisticsFilter;
  /** Message codes by field; if there are any, the filter falls back to defaults for what is wrong. */
  errors: Partial<Record<FilterField, string>>;
}

/**
 * Parses the filter from a query. The dates count when the period is `range` or missing, so that a link with
 * only dates works too; otherwise the values of their hidden fields are ignored.
 */
export function readFilter(search: URLSearchParams, usualZone: string, now: Date): ReadFilter {
  const values = readValues(search);
  const isRange = values.period === 'range';
  const zone = values.timeZone === '' ? usualZone : values.timeZone;
  const parsed = getStatistics.body.safeParse({
    ...(isRange
      ? { from: values.from || undefined, to: values.to || undefined }
      : { period: Number(values.period) }),
    code: values.code || null,
    tag: values.tag || null,
    campaign: values.campaign || undefined,
    timeZone: zone,
  });
  const errors: ReadFilter['errors'] = {};
  for (const { path, message } of parsed.error?.issues ?? []) errors[path[0] as FilterField] ??= message;
  if (isRange && values.from === '' && values.to === '') errors.from = 'range_incomplete';
  const timeZone = errors.timeZone ? usualZone : zone;
  if (parsed.data?.to && parsed.data.to > todayIn(timeZone, now)) errors.to = 'range_future';
  const code = errors.code ? null : values.code || null;
  const tag = errors.tag ? null : values.tag || null;
  const campaign = errors.campaign ? undefined : values.campaign || undefined;
  const hasFailed = Object.keys(errors).length > 0;
  const { from, to, period } = parsed.data ?? {};
  const days = hasFailed || !(from && to) ? { period: period ?? DEFAULT_PERIOD } : { from, to };
  return { values: { ...values, timeZone }, filter: { ...days, code, tag, campaign, timeZone }, errors };
}

/** The query string of this filter, for links to the files. */
export function queryOf({ period, from, to, code, tag, campaign, timeZone }: StatisticsFilter): string {
  const query = new URLSearchParams();
  const named = { period: period && String(period), from, to, code, tag, campaign, timeZone };
  for (const [name, value] of Object.entries(named)) if (value) query.set(name, value);
  return query.toString();
}

function readValues(search: URLSearchParams): FilterValues {
  const read = (name: FilterField) => (search.get(name) ?? '').trim().slice(0, LONGEST_VALUE);
  const [from, to] = [read('from'), read('to')];
  const code = read('code');
  const usual = from || to ? 'range' : String(DEFAULT_PERIOD);
  return {
    period: read('period') || usual,
    from,
    to,
    code,
    // A single code takes precedence, and the form shows what is counted.
    tag: code === '' ? read('tag') : '',
    campaign: code === '' ? read('campaign') : '',
    timeZone: read('timeZone'),
  };
}

export const PERIOD_CHOICES = [...PERIODS.map((days) => `${days}` as const), 'range' as const];
