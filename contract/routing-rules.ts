import { lengthOf, textProblem, tidy } from './contents/text-rules';

// Where a code leads besides its content. Browsers load this, so it must not need Node or a library.

export const RULES_LIMIT = 20;
export const VARIANTS_LIMIT = 5;
export const RULE_LANGUAGES_LIMIT = 20;
export const RULE_COUNTRIES_LIMIT = 50;
/** Characters (code points) of a message. */
export const MESSAGE_LIMIT = 300;
/** Most UTF-16 code units of a message that are read, valid or not. */
export const TYPED_MESSAGE = 1_000;
/** An end after more visits would never come. */
export const END_VISITS_LIMIT = 1_000_000_000;

/** Tablets of Apple name themselves Macs, so they are `other`. */
export const SYSTEMS = ['ios', 'android', 'other'] as const;
export type System = (typeof SYSTEMS)[number];

/** The route of visits that the code's own content answers. */
export const OWN_ROUTE = 0;

/** One of the targets among which a rule divides its visits. */
export interface Variant {
  /** Names the variant of this code for good: visits are counted by it. A changed target gets another. */
  route: number;
  target: string;
  /** Of the visits of the rule; the percents of a rule add up to 100. */
  percent: number;
}

/** What a visit must be like; an empty list or null is no condition. */
export interface Conditions {
  /** ISO 639, as in statistics: two letters, or three where no code has two. The most preferred one counts. */
  languages: string[];
  systems: System[];
  /** ISO 3166-1, two letters. */
  countries: string[];
  /** 1 is Monday. Hours that pass midnight, and dates, belong to the day on which they begin. */
  weekdays: number[];
  /** `17:00`, both or neither; `to` is not included, and passes midnight if it is earlier than `from`. */
  from: string | null;
  to: string | null;
  /** First and last day, both included. */
  startsOn: string | null;
  endsOn: string | null;
  /** That of weekdays, hours and dates; null without any. */
  timeZone: string | null;
}

export interface Rule extends Conditions {
  /** Names the rule of this code for good. */
  id: number;
  variants: Variant[];
}

export interface Pause {
  /** Plain text; empty for ours. */
  message: string;
}

/** At a moment, after a number of visits, or at the first of both. */
export interface End {
  at: string | null;
  /** Visits by people since the code was created, as in the list of codes. */
  visits: number | null;
  /** Plain text; empty for ours. */
  message: string;
  /** Instead of the message. */
  target: string | null;
  /** That of visits to the target. */
  route: number;
  /** When the number of visits was reached. */
  reachedAt: string | null;
}

/** A target that takes the place of the content at a moment. */
export interface Schedule {
  at: string;
  target: string;
}

export interface Routing {
  rules: Rule[];
  schedule: Schedule | null;
  pause: Pause | null;
  end: End | null;
}

export type RuleProblem =
  | 'languages_too_many'
  | 'countries_too_many'
  | 'hours_incomplete'
  | 'hours_equal'
  | 'dates_reversed'
  | 'time_zone_required'
  | 'variants_required'
  | 'variants_too_many'
  | 'percent_invalid'
  | 'percent_sum';

type TypedRule = Conditions & { variants: readonly { percent: number }[] };

export interface PlacedProblem<Code extends string = string> {
  /** Names and numbers of the fields that lead to it. */
  path: (string | number)[];
  code: Code;
}

/** Every problem of a rule besides those of its targets. */
export function ruleProblems(rule: TypedRule): PlacedProblem<RuleProblem>[] {
  const { languages, countries, from, to, startsOn, endsOn, timeZone, variants } = rule;
  const problems: PlacedProblem<RuleProblem>[] = [];
  const add = (isProblem: boolean, field: string | (string | number)[], code: RuleProblem) => {
    if (isProblem) problems.push({ path: [field].flat(), code });
  };
  add(languages.length > RULE_LANGUAGES_LIMIT, 'languages', 'languages_too_many');
  add(countries.length > RULE_COUNTRIES_LIMIT, 'countries', 'countries_too_many');
  add((from === null) !== (to === null), from === null ? 'from' : 'to', 'hours_incomplete');
  add(from !== null && from === to, 'to', 'hours_equal');
  add(startsOn !== null && endsOn !== null && startsOn > endsOn, 'endsOn', 'dates_reversed');
  add(hasTime(rule) && timeZone === null, 'timeZone', 'time_zone_required');
  add(variants.length === 0, 'variants', 'variants_required');
  add(variants.length > VARIANTS_LIMIT, 'variants', 'variants_too_many');
  const percents = variants.map(({ percent }) => percent);
  percents.forEach((percent, index) => {
    add(!isPercent(percent), ['variants', index, 'percent'], 'percent_invalid');
  });
  const sum = percents.reduce((total, percent) => total + percent, 0);
  add(percents.length > 0 && percents.every(isPercent) && sum !== 100, 'variants', 'percent_sum');
  return problems;
}

function isPercent(percent: number): boolean {
  return Number.isInteger(percent) && percent >= 1 && percent <= 100;
}

/** Whether a rule depends on the time. */
export function hasTime({ weekdays, from, to, startsOn, endsOn }: Omit<Conditions, 'timeZone'>): boolean {
  return weekdays.length > 0 || [from, to, startsOn, endsOn].some((value) => value !== null);
}

/** Whether every visit matches. */
export function hasNoConditions(rule: Conditions): boolean {
  const { languages, systems, countries } = rule;
  return languages.length + systems.length + countries.length === 0 && !hasTime(rule);
}

/** What prevents a text from being a message to visitors. */
export function messageProblem(
  message: string,
): 'message_too_long' | 'content_invalid' | 'bidi_controls' | null {
  const text = tidy(message);
  return lengthOf(text) > MESSAGE_LIMIT ? 'message_too_long' : textProblem(text);
}
