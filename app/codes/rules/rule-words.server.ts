import { elideArticles } from '#contract/date-words';
import { LOCALES, type Locale } from '#contract/locales';
import { type Conditions, hasTime, SYSTEMS, type System } from '#contract/routing-rules';
import { DAY_MS } from '#contract/time';
import { i18nOf } from '~/i18n/messages.server';
import { countryName, languageName } from '~/i18n/places.server';

/** Product names are the same in every language. */
const SYSTEM_NAMES: Partial<Record<System, string>> = { ios: 'iOS', android: 'Android' };
/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);

/** What a rule asks of a visit, a phrase for each condition; one phrase for a rule without any. */
export function conditionsInWords(rule: Conditions, locale: Locale): string[] {
  const { t } = i18nOf(locale);
  const phrases = [
    rule.languages.length > 0 && t('routing-words:languages', { names: languagesInWords(rule, locale) }),
    rule.systems.length > 0 && t('routing-words:systems', { names: systemsInWords(rule, locale) }),
    rule.countries.length > 0 && t('routing-words:countries', { names: countriesInWords(rule, locale) }),
    hasTime(rule) && timesInWords(rule, locale),
  ].filter((phrase) => phrase !== false);
  return phrases.length > 0 ? phrases : [t('routing-words:every')];
}

export function languagesInWords(rule: Pick<Conditions, 'languages'>, locale: Locale): string {
  return either(languagesOf(rule, locale), locale);
}

export function countriesInWords(rule: Pick<Conditions, 'countries'>, locale: Locale): string {
  return either(countriesOf(rule, locale), locale);
}

/** Names in alphabetical order. */
export function languagesOf({ languages }: Pick<Conditions, 'languages'>, locale: Locale): string[] {
  const names = languages.map((code) => languageName(code, locale));
  return names.sort(new Intl.Collator(LOCALES[locale].tag).compare);
}

/** Names in alphabetical order. */
export function countriesOf({ countries }: Pick<Conditions, 'countries'>, locale: Locale): string[] {
  const names = countries.map((code) => countryName(code, locale));
  return names.sort(new Intl.Collator(LOCALES[locale].tag).compare);
}

export function systemsInWords({ systems }: Pick<Conditions, 'systems'>, locale: Locale): string {
  return either(
    systems.map((system) => systemInWords(system, locale)),
    locale,
  );
}

export function systemInWords(system: System, locale: Locale): string {
  return SYSTEM_NAMES[system] ?? i18nOf(locale).t('routing-words:otherSystem');
}

/** Names of systems for labels of their own. */
export function systemOptions(locale: Locale): { value: System; label: string }[] {
  return SYSTEMS.map((value) => ({
    value,
    label: SYSTEM_NAMES[value] ?? capitalized(systemInWords(value, locale), locale),
  }));
}

export function capitalized(text: string, locale: Locale): string {
  return text.charAt(0).toLocaleUpperCase(LOCALES[locale].tag) + text.slice(1);
}

/** Days, hours and dates with the zone of their clock. */
function timesInWords(rule: Conditions, locale: Locale): string {
  const { t } = i18nOf(locale);
  const times = [
    rule.weekdays.length > 0 && weekdaysInWords(rule, locale),
    rule.from !== null && hoursInWords(rule, locale),
    datesInWords(rule, locale),
  ].filter(Boolean);
  return t('routing-words:times', { times: times.join(', '), zone: zoneInWords(rule.timeZone ?? 'UTC') });
}

/** `Mon–Fri, Sun` */
export function weekdaysInWords({ weekdays }: Pick<Conditions, 'weekdays'>, locale: Locale): string {
  const names = weekdayNames(locale, 'short');
  const runs = weekdays.reduce<number[][]>((all, day) => {
    const last = all.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else all.push([day]);
    return all;
  }, []);
  const named = (day: number | undefined) => names[(day ?? 1) - 1];
  return runs
    .map((run) => (run.length > 2 ? `${named(run[0])}–${named(run.at(-1))}` : run.map(named).join(', ')))
    .join(', ');
}

/** Names of the days of a week, from Monday. */
export function weekdayNames(locale: Locale, weekday: 'short' | 'long'): string[] {
  const format = new Intl.DateTimeFormat(LOCALES[locale].tag, { weekday, timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, day) => format.format(MONDAY + day * DAY_MS));
}

/** `17:00–23:00` */
export function hoursInWords({ from, to }: Pick<Conditions, 'from' | 'to'>, locale: Locale): string {
  const hours = `${from}–${to}`;
  const isOvernight = from !== null && to !== null && to < from;
  return isOvernight ? i18nOf(locale).t('routing-words:overnight', { hours }) : hours;
}

/** Empty for a rule without dates. */
export function datesInWords(
  { startsOn, endsOn }: Pick<Conditions, 'startsOn' | 'endsOn'>,
  locale: Locale,
): string {
  const { t } = i18nOf(locale);
  if (startsOn && endsOn) return dayFormat(locale).formatRange(new Date(startsOn), new Date(endsOn));
  if (startsOn) return elideArticles(t('routing-words:since', { date: dayInWords(startsOn, locale) }));
  return endsOn ? elideArticles(t('routing-words:until', { date: dayInWords(endsOn, locale) })) : '';
}

export function dayInWords(date: string, locale: Locale): string {
  return dayFormat(locale).format(new Date(date));
}

export function zoneInWords(timeZone: string): string {
  return timeZone.replaceAll('_', ' ');
}

function dayFormat(locale: Locale): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(LOCALES[locale].tag, { dateStyle: 'medium', timeZone: 'UTC' });
}

/** `French, German or Italian` */
function either(names: string[], locale: Locale): string {
  return new Intl.ListFormat(LOCALES[locale].tag, { type: 'disjunction' }).format(names);
}
