import type { TFunction } from 'i18next';
import { LOCALES, type Locale } from '#contract/locales';
import { i18nOf } from '~/i18n/messages.server';

/** Numbers and dates formatted for a language. Dates are calendar days such as `2026-03-29`. */
export interface Words {
  t: TFunction;
  tag: string;
  number(value: number): string;
  decimal(value: number): string;
  /** Abbreviated when long: 12.3M. */
  compact(value: number): string;
  /** From a share between 0 and 1. */
  percent(share: number): string;
  /** Short, for rows; the long one does not end with a stop of its own. */
  weekday(day: string): string;
  longWeekday(day: string): string;
  /** `Mon`, and in full. */
  weekdayName(day: string): string;
  longWeekdayName(day: string): string;
  day(day: string): string;
  shortDay(day: string): string;
  month(day: string): string;
  days(from: string, to: string): string;
  /** `18:00` */
  hour(hour: number): string;
  nameOf(kind: 'language' | 'region', code: string): string | null;
}

const known = new Map<Locale, Words>();

/** Formatters are expensive to create, so they are cached per language. */
export function wordsOf(locale: Locale): Words {
  const words = known.get(locale) ?? makeWords(locale);
  known.set(locale, words);
  return words;
}

function makeWords(locale: Locale): Words {
  const { tag } = LOCALES[locale];
  const numbers = (options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(tag, options);
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { timeZone: 'UTC', ...options });
  const [whole, decimal, percent] = [
    numbers(),
    numbers({ maximumFractionDigits: 1 }),
    numbers({ style: 'percent', maximumFractionDigits: 1 }),
  ];
  const compact = numbers({ notation: 'compact', maximumFractionDigits: 1 });
  const weekday = dates({ weekday: 'short', day: 'numeric', month: 'short' });
  const longWeekday = dates({ weekday: 'long', day: 'numeric', month: 'long' });
  const weekdayName = dates({ weekday: 'short' });
  const longWeekdayName = dates({ weekday: 'long' });
  const day = dates({ day: 'numeric', month: 'long', year: 'numeric' });
  const shortDay = dates({ day: 'numeric', month: 'short' });
  const month = dates({ month: 'short' });
  const hour = dates({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const names = {
    language: new Intl.DisplayNames(tag, { type: 'language' }),
    region: new Intl.DisplayNames(tag, { type: 'region' }),
  };
  return {
    t: i18nOf(locale).t,
    tag,
    number: (value) => whole.format(value),
    decimal: (value) => decimal.format(value),
    compact: (value) => compact.format(value),
    percent: (share) => percent.format(share),
    weekday: (date) => weekday.format(new Date(date)),
    longWeekday: (date) => longWeekday.format(new Date(date)),
    weekdayName: (date) => weekdayName.format(new Date(date)),
    longWeekdayName: (date) => longWeekdayName.format(new Date(date)),
    day: (date) => day.format(new Date(date)),
    shortDay: (date) => shortDay.format(new Date(date)),
    month: (date) => month.format(new Date(date)),
    days: (from, to) => day.formatRange(new Date(from), new Date(to)),
    hour: (value) => hour.format(new Date(Date.UTC(2000, 0, 1, value))),
    nameOf: (kind, code) => nameIn(names[kind], code),
  };
}

/** What figures are about that are not those of one code. */
export function subjectOf(
  { tag, campaign }: { tag: string | null; campaign?: string | null | undefined },
  { t }: Words,
): string {
  const named = [
    ...(tag ? [t('statistics:tagged.heading', { tag })] : []),
    ...(campaign ? [t('statistics:ofCampaign.heading', { campaign })] : []),
  ];
  return named.join(' · ') || t('statistics:filter.allCodes');
}

/** Null for an invalid code. */
function nameIn(names: Intl.DisplayNames, code: string): string | null {
  try {
    return names.of(code) ?? null;
  } catch {
    return null;
  }
}
