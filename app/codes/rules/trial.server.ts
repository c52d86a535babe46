import { localText, localTimeOf, momentOf, weekdayOf } from '#contract/local-time';
import { LOCALES, type Locale } from '#contract/locales';
import { tryRouting } from '#contract/routing';
import { beganOn } from '#contract/routing-decision';
import { type Rule, SYSTEMS, type System } from '#contract/routing-rules';
import type { Trial } from '#contract/routing-schemas';
import { DAY_MS } from '#contract/time';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { countryName, isLanguage, languageName, listCountries } from '~/i18n/places.server';
import {
  countriesInWords,
  datesInWords,
  dayInWords,
  hoursInWords,
  languagesInWords,
  systemInWords,
  systemOptions,
  systemsInWords,
  weekdayNames,
  weekdaysInWords,
  zoneInWords,
} from './rule-words.server';

type Failed = Trial['rules'][number]['failed'][number];

/** A visit as the form describes it; country and language are empty if they are not known. */
export interface TriedVisit {
  /** By the clock of the account's zone, as in `2026-12-01T19:30`. */
  at: string;
  country: string;
  system: System;
  language: string;
}

/** What the form shows: what was asked, or a visit now by a phone in the reader's language. */
export function trialForm(scope: UserScope, timeZone: string) {
  const { locale, url } = scope;
  const asked = url.searchParams;
  const isAsked = asked.has('at');
  const countries = listCountries(locale);
  const country = asked.get('country') ?? '';
  const language = asked.get('language') ?? (isAsked ? '' : languageOf(locale));
  const visit: TriedVisit = {
    at: asked.get('at') ?? localText(timeZone, Date.now()),
    country: countries.some(({ value }) => value === country) ? country : '',
    system: SYSTEMS.find((system) => system === asked.get('system')) ?? 'ios',
    language: isLanguage(language) ? language : '',
  };
  const moment = momentOf(timeZone, visit.at);
  return {
    visit,
    isAsked,
    moment,
    zone: zoneInWords(timeZone),
    countries,
    systems: systemOptions(locale),
  };
}
type TrialForm = ReturnType<typeof trialForm>;

/** The host's answer to what was asked; null if nothing was, or no time that exists. */
export async function tryVisit(scope: UserScope, id: string, { isAsked, moment, visit }: TrialForm) {
  if (!isAsked || moment === null) return null;
  const { country, language, system } = visit;
  const query = {
    at: new Date(moment).toISOString(),
    system,
    ...(country && { country }),
    ...(language && { language }),
  };
  return (await callHost(scope, tryRouting, { params: { id }, query })).data;
}

/** Why a rule does or does not answer, a sentence for each reason. */
export function outcomeInWords(
  { outcome, failed }: Trial['rules'][number],
  rule: Rule,
  { trial, visit, numberOf }: { trial: Trial; visit: TriedVisit; numberOf: (rule: number) => number },
  locale: Locale,
): string[] {
  const { t } = i18nOf(locale);
  if (outcome === 'answers') return [t('routing-words:outcomes.answers')];
  if (outcome === 'later')
    return [
      trial.answer === 'paused' || trial.answer === 'ended'
        ? t(`routing-words:outcomes.${trial.answer}`)
        : t('routing-words:outcomes.later', { number: numberOf(trial.rule ?? rule.id) }),
    ];
  return failed.map((reason) => reasonInWords(reason, rule, { at: Date.parse(trial.at), visit }, locale));
}

interface Asked {
  at: number;
  visit: TriedVisit;
}

function reasonInWords(
  { condition, reason }: Failed,
  rule: Rule,
  { at, visit }: Asked,
  locale: Locale,
): string {
  const { t } = i18nOf(locale);
  const isUnknown = reason === 'unknown';
  switch (condition) {
    case 'language': {
      const wanted = languagesInWords(rule, locale);
      if (isUnknown) return t('routing-words:reasons.languageUnknown', { wanted });
      return t('routing-words:reasons.language', { wanted, actual: languageName(visit.language, locale) });
    }
    case 'country': {
      const wanted = countriesInWords(rule, locale);
      if (isUnknown) return t('routing-words:reasons.countryUnknown', { wanted });
      return t('routing-words:reasons.country', { wanted, actual: countryName(visit.country, locale) });
    }
    case 'system':
      return t('routing-words:reasons.system', {
        wanted: systemsInWords(rule, locale),
        actual: systemInWords(visit.system, locale),
      });
    default:
      return timeInWords({ condition, reason }, rule, at, locale);
  }
}

function timeInWords({ condition, reason }: Failed, rule: Rule, at: number, locale: Locale): string {
  const { t } = i18nOf(locale);
  const timeZone = rule.timeZone ?? 'UTC';
  const local = localTimeOf(timeZone, at);
  const day = beganOn(rule, local);
  const zone = zoneInWords(timeZone);
  if (condition === 'weekday') {
    const actual = weekdayNames(locale, 'long')[weekdayOf(day) - 1];
    const values = { actual, zone, wanted: weekdaysInWords(rule, locale) };
    return day === local.day
      ? t('routing-words:reasons.weekday', values)
      : t('routing-words:reasons.weekdayNight', values);
  }
  if (condition === 'hours') {
    const actual = localText(timeZone, at).slice(-5);
    return t('routing-words:reasons.hours', { actual, zone, wanted: hoursInWords(rule, locale) });
  }
  const today = new Date(day * DAY_MS).toISOString().slice(0, 10);
  const actual = dayInWords(today, locale);
  const wanted = datesInWords(rule, locale);
  return reason === 'before'
    ? t('routing-words:reasons.tooEarly', { actual, zone, wanted })
    : t('routing-words:reasons.tooLate', { actual, zone, wanted });
}

function languageOf(locale: Locale): string {
  return new Intl.Locale(LOCALES[locale].tag).language;
}
