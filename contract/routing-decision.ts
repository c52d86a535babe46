import { dayOf, localTimeOf, weekdayOf } from './local-time';
import {
  type Conditions,
  type End,
  OWN_ROUTE,
  type Routing,
  type Rule,
  type System,
  type Variant,
} from './routing-rules';

// Where a visit leads: the same for visitors, for a trial and in tests. Without Node or a library.

/** What a visit tells of itself. */
export interface Asked {
  /** Milliseconds since the epoch. */
  at: number;
  /** ISO 639; empty if not known, like the country. */
  language: string;
  system: System;
  country: string;
}

export type Condition = 'language' | 'system' | 'country' | 'weekday' | 'hours' | 'dates';
/** `unknown`: the visit does not say, and then no rule that asks for it matches. */
export type Reason = 'different' | 'unknown' | 'before' | 'after';
type Failure = { condition: Condition; reason: Reason };

/** What a visit gets: a message, or a target that is counted by its route; a null target is the code's own content. */
export type Decision =
  | { kind: 'paused' | 'ended'; message: string }
  | { kind: 'target'; target: string | null; route: number };

/** The system of a visit by what the classification of its browser calls it. */
export function systemOf(os: string): System {
  return os === 'ios' || os === 'android' ? os : 'other';
}

/**
 * Where a visit leads. A pause comes before an end, so that resuming shows what is behind it. `shareOf` says which share
 * of the visitors, from 0 to 1, comes before this one in a split of these routes; it is asked only if there is a split.
 */
export function decide(routing: Routing, asked: Asked, shareOf: (rule: Rule) => number): Decision {
  const { pause, end, rules } = routing;
  if (pause) return { kind: 'paused', message: pause.message };
  if (end && hasEnded(end, asked.at)) {
    if (end.target === null) return { kind: 'ended', message: end.message };
    return { kind: 'target', target: end.target, route: end.route };
  }
  const rule = rules.find((one) => matches(one, asked));
  if (!rule) return { kind: 'target', target: scheduledTarget(routing, asked.at), route: OWN_ROUTE };
  const { target, route } = pickVariant(rule, shareOf);
  return { kind: 'target', target, route };
}

export function hasEnded({ at, reachedAt }: Pick<End, 'at' | 'reachedAt'>, now: number): boolean {
  return [at, reachedAt].some((moment) => moment !== null && Date.parse(moment) <= now);
}

/** The target that takes the place of the content at a time; null if there is none yet. */
export function scheduledTarget({ schedule }: Pick<Routing, 'schedule'>, now: number): string | null {
  return schedule && Date.parse(schedule.at) <= now ? schedule.target : null;
}

export function matches(rule: Conditions, asked: Asked): boolean {
  const { languages, systems, countries } = rule;
  if (languages.length > 0 && !languages.includes(asked.language)) return false;
  if (systems.length > 0 && !systems.includes(asked.system)) return false;
  if (countries.length > 0 && !countries.includes(asked.country)) return false;
  return rule.timeZone === null || listTimeFailures(rule, asked.at).length === 0;
}

/** Every condition of a rule that a visit does not meet. */
export function listFailures(rule: Conditions, asked: Asked): Failure[] {
  const failures: Failure[] = [];
  const check = (condition: Condition, values: readonly string[], value: string) => {
    if (values.length > 0 && !values.includes(value))
      failures.push({ condition, reason: value === '' ? 'unknown' : 'different' });
  };
  check('language', rule.languages, asked.language);
  check('system', rule.systems, asked.system);
  check('country', rule.countries, asked.country);
  return rule.timeZone === null ? failures : [...failures, ...listTimeFailures(rule, asked.at)];
}

/** The day on which the hours began that include this time, or would. */
export function beganOn(rule: Conditions, { day, minutes }: { day: number; minutes: number }): number {
  const { from, to } = rule;
  const isAfterMidnight = from !== null && to !== null && to < from && minutes < minutesOf(to);
  return isAfterMidnight ? day - 1 : day;
}

/** Minutes since midnight, of `17:30`. */
export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function listTimeFailures(rule: Conditions, at: number): Failure[] {
  const local = localTimeOf(rule.timeZone ?? 'UTC', at);
  const day = beganOn(rule, local);
  const failures: Failure[] = [];
  if (rule.weekdays.length > 0 && !rule.weekdays.includes(weekdayOf(day)))
    failures.push({ condition: 'weekday', reason: 'different' });
  if (!isWithinHours(rule, local.minutes)) failures.push({ condition: 'hours', reason: 'different' });
  if (rule.startsOn !== null && day < dayOf(rule.startsOn))
    failures.push({ condition: 'dates', reason: 'before' });
  if (rule.endsOn !== null && day > dayOf(rule.endsOn))
    failures.push({ condition: 'dates', reason: 'after' });
  return failures;
}

function isWithinHours({ from, to }: Conditions, minutes: number): boolean {
  if (from === null || to === null) return true;
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return start < end ? minutes >= start && minutes < end : minutes >= start || minutes < end;
}

function pickVariant(rule: Rule, shareOf: (rule: Rule) => number): Variant {
  const [first, ...others] = rule.variants;
  if (!first) throw new Error('a rule has no variant');
  if (others.length === 0) return first;
  let left = shareOf(rule) * 100;
  for (const variant of rule.variants) {
    left -= variant.percent;
    if (left < 0) return variant;
  }
  return first;
}
