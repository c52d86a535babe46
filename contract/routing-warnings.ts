import { dayOf, localTimeOf, momentOf, weekdayOf } from './local-time';
import type { RoutingWarning } from './routing';
import { beganOn, minutesOf } from './routing-decision';
import { type Conditions, hasNoConditions, type Rule } from './routing-rules';

const DAY_MINUTES = 24 * 60;
const WEEK = [1, 2, 3, 4, 5, 6, 7];
/** More pieces than any rules that people write; beyond, a rule passes for one that is not covered. */
const MOST_PIECES = 200;

/** What can never have an effect in these rules, at this time; `endsAt` is when the code ends. */
export function findWarnings(rules: readonly Rule[], now: number, endsAt: number | null): RoutingWarning[] {
  return rules.flatMap((rule, index) => {
    const warnings: RoutingWarning[] = [];
    const add = (code: RoutingWarning['code'], by: number[] = []) =>
      warnings.push({ rule: rule.id, code, by });
    const earlier = rules.slice(0, index).filter((one) => possibleWeekdays(one).length > 0);
    const all = earlier.find(hasNoConditions);
    const covering = all ? null : findCovering(rule, earlier);
    if (possibleWeekdays(rule).length === 0) add('no_day');
    else if (all) add('after_all', [all.id]);
    else if (covering) add('covered', covering);
    if (isOver(rule, now)) add('dates_over');
    if (endsAt !== null && beginsAt(rule) >= endsAt) add('after_end');
    return warnings;
  });
}

function isOver(rule: Rule, now: number): boolean {
  const { endsOn, timeZone } = rule;
  return endsOn !== null && timeZone !== null && beganOn(rule, localTimeOf(timeZone, now)) > dayOf(endsOn);
}

function beginsAt({ startsOn, from, timeZone }: Rule): number {
  const at = startsOn !== null && timeZone !== null && momentOf(timeZone, `${startsOn}T${from ?? '00:00'}`);
  return at || Number.NEGATIVE_INFINITY;
}

/** Those on which it can match: its own, as far as they are between its dates. */
function possibleWeekdays({ weekdays, startsOn, endsOn }: Conditions): number[] {
  const own = weekdays.length > 0 ? weekdays : WEEK;
  if (startsOn === null || endsOn === null) return own;
  const [first, last] = [dayOf(startsOn), dayOf(endsOn)];
  return own.filter((weekday) =>
    WEEK.some((_, ahead) => first + ahead <= last && weekdayOf(first + ahead) === weekday),
  );
}

/** Ids of earlier rules that together match all that a rule matches; null if something is left for it. */
function findCovering(rule: Rule, earlier: readonly Rule[]): number[] | null {
  const during = earlier.filter((one) => coversTime(one, rule));
  const whole = boxOf(rule);
  const single = during.find((one) => subtract(whole, boxOf(one)).length === 0);
  if (single) return [single.id];
  let left = [whole];
  const by: number[] = [];
  for (const one of during) {
    const box = boxOf(one);
    if (left.some((piece) => isOverlapping(piece, box))) by.push(one.id);
    left = left.flatMap((piece) => subtract(piece, box));
    if (left.length === 0) return by;
    if (left.length > MOST_PIECES) return null;
  }
  return null;
}

/** Whether a rule matches whenever another one does, as far as the time decides. */
function coversTime(rule: Conditions, other: Conditions): boolean {
  if (rule.timeZone === null) return true;
  if (rule.timeZone !== other.timeZone) return false;
  const [start, end] = hoursOf(rule);
  const [otherStart, otherEnd] = hoursOf(other);
  const isWithin = (shift: number) => otherStart + shift >= start && otherEnd + shift <= end;
  const dependsOnDay = rule.weekdays.length > 0 || rule.startsOn !== null || rule.endsOn !== null;
  if (!dependsOnDay) return [-DAY_MINUTES, 0, DAY_MINUTES].some(isWithin);
  const weekdays = rule.weekdays.length > 0 ? rule.weekdays : WEEK;
  return (
    isWithin(0) &&
    possibleWeekdays(other).every((weekday) => weekdays.includes(weekday)) &&
    (rule.startsOn === null || (other.startsOn !== null && other.startsOn >= rule.startsOn)) &&
    (rule.endsOn === null || (other.endsOn !== null && other.endsOn <= rule.endsOn))
  );
}

/** In minutes since the midnight before they begin. */
function hoursOf({ from, to }: Conditions): [start: number, end: number] {
  if (from === null || to === null) return [0, DAY_MINUTES];
  const [start, end] = [minutesOf(from), minutesOf(to)];
  return [start, end > start ? end : end + DAY_MINUTES];
}

/** Values of a condition: these, or all but these. */
interface Values {
  isExcept: boolean;
  values: readonly string[];
}

/** A rule without its time: each visit has one value of each condition. */
type Box = readonly Values[];

function boxOf({ languages, systems, countries }: Conditions): Box {
  return [languages, systems, countries].map((values) => ({ isExcept: values.length === 0, values }));
}

/** What is left of a box without another one, in pieces. */
function subtract(box: Box, other: Box): Box[] {
  if (!isOverlapping(box, other)) return [box];
  return box.flatMap((values, index) => {
    const rest = without(values, other[index] as Values);
    if (isNothing(rest, index)) return [];
    const before = box.slice(0, index).map((one, place) => common(one, other[place] as Values));
    return [[...before, rest, ...box.slice(index + 1)]];
  });
}

function isOverlapping(box: Box, other: Box): boolean {
  return box.every((values, index) => !isNothing(common(values, other[index] as Values), index));
}

function common(one: Values, other: Values): Values {
  if (one.isExcept && other.isExcept)
    return { isExcept: true, values: [...new Set([...one.values, ...other.values])] };
  const [listed, filter] = one.isExcept ? [other, one] : [one, other];
  return {
    isExcept: false,
    values: listed.values.filter((value) => filter.values.includes(value) !== filter.isExcept),
  };
}

function without(values: Values, other: Values): Values {
  return common(values, { ...other, isExcept: !other.isExcept });
}

/** Other languages and countries always exist; of the systems, which are in the middle, these are all. */
function isNothing({ isExcept, values }: Values, index: number): boolean {
  return isExcept ? index === 1 && values.length === 3 : values.length === 0;
}
