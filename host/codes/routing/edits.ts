import { hasTime, OWN_ROUTE, RULES_LIMIT, type Rule, type Variant } from '#contract/routing-rules';
import type { RoutingChange, RuleInput } from '#contract/routing-schemas';
import type { StoredEnd, StoredRouting } from '#host/db/codes.tables';
import { ApiError, invalidField } from '#host/http/errors';

/**
 * Changes a routing as it is when its code is locked. Targets are already checked, and as they are stored; a variant has
 * the number that it was sent with only if that stands for its target.
 */
export type RoutingEdit = (before: StoredRouting) => StoredRouting;

/** At this number of visits, out of the number at which a code ends, its owner is told. */
const NOTICE_SHARE = 0.9;

interface Moment {
  now: Date;
  /** Visits by people so far. */
  total: number;
}

/** Replaces the given parts. */
export function changeParts(change: RoutingChange, moment: Moment): RoutingEdit {
  return (before) => {
    const after = { ...before };
    const { rules, schedule, pause, end } = change;
    if (rules) Object.assign(after, replaceRules(before, rules));
    if (schedule !== undefined) after.schedule = schedule && { ...schedule, at: inUtc(schedule.at) };
    if (pause !== undefined) after.pause = pause;
    if (end !== undefined) Object.assign(after, replaceEnd(after, end, moment));
    return after;
  };
}

/** Adds a rule as the last; one that is the same as another would never answer, and is not added. */
export function addRule(input: RuleInput): RoutingEdit {
  return (before) => {
    if (before.rules.some((rule) => isSame(rule, input))) return before;
    if (before.rules.length >= RULES_LIMIT) throw invalidField('rules', 'rules_too_many');
    const numbers = new Numbers(before, before.rules);
    const rule = numbers.rule(input, undefined);
    return { ...before, rules: [...before.rules, rule], next: numbers.next };
  };
}

/** Whether a rule has these conditions and targets. */
export function isSame(rule: Rule, input: RuleInput): boolean {
  return fingerprint(rule) === fingerprint(input);
}

export function replaceRule(id: number, input: RuleInput): RoutingEdit {
  return (before) => {
    const known = requireRule(before, id);
    const others = before.rules.filter((rule) => rule !== known);
    const numbers = new Numbers(before, others);
    const rule = numbers.rule({ ...input, id }, known);
    return { ...withRule(before, rule), next: numbers.next };
  };
}

export function moveRule(id: number, position: number): RoutingEdit {
  return (before) => {
    const rule = requireRule(before, id);
    const others = before.rules.filter((one) => one !== rule);
    return { ...before, rules: others.toSpliced(position - 1, 0, rule) };
  };
}

export function deleteRule(id: number): RoutingEdit {
  return (before) => ({ ...before, rules: before.rules.filter((rule) => rule.id !== id) });
}

export function keepVariant(id: number, route: number): RoutingEdit {
  return (before) => {
    const rule = requireRule(before, id);
    const kept = rule.variants.find((variant) => variant.route === route);
    if (!kept) throw invalidField('route', 'route_unknown');
    return withRule(before, { ...rule, variants: [{ ...kept, percent: 100 }] });
  };
}

function withRule(before: StoredRouting, rule: Rule): StoredRouting {
  return { ...before, rules: before.rules.map((one) => (one.id === rule.id ? rule : one)) };
}

function requireRule({ rules }: StoredRouting, id: number): Rule {
  const rule = rules.find((one) => one.id === id);
  if (!rule) throw new ApiError('conflict');
  return rule;
}

function replaceRules(before: StoredRouting, inputs: readonly (RuleInput & { id?: number | undefined })[]) {
  const numbers = new Numbers(before, []);
  const rules = inputs.map((input) =>
    numbers.rule(
      input,
      before.rules.find(({ id }) => id === input.id),
    ),
  );
  return { rules, next: numbers.next };
}

function replaceEnd(
  before: StoredRouting,
  input: NonNullable<RoutingChange['end']> | null,
  moment: Moment,
): Pick<StoredRouting, 'end' | 'next'> {
  const { next } = before;
  if (!input) return { end: null, next };
  const { message, target, visits } = input;
  const at = input.at && inUtc(input.at);
  const end = { ...recordOf(before.end, { at, visits }, moment), at, visits, message, target };
  if (target === null) return { end: { ...end, route: OWN_ROUTE }, next };
  const isKnown = before.end?.target === target && before.end.route !== OWN_ROUTE;
  const route = isKnown && before.end ? before.end.route : next;
  return { end: { ...end, route }, next: isKnown ? next : next + 1 };
}

/**
 * What has happened at an end with this moment and number of visits. One with the same stays the same end, with what was
 * said about it; so does one that has come and is not postponed, whatever else of it is changed.
 */
function recordOf(
  before: StoredEnd | null,
  { at, visits }: Pick<StoredEnd, 'at' | 'visits'>,
  { now, total }: Moment,
): Pick<StoredEnd, 'setAt' | 'reachedAt' | 'noticedAt'> {
  const isSame = before?.at === at && before?.visits === visits;
  const isReached =
    before?.reachedAt != null && visits !== null && (visits === before.visits || visits <= total);
  if (before && (isSame || isReached)) {
    const { setAt, reachedAt, noticedAt } = before;
    return { setAt, reachedAt, noticedAt };
  }
  const isPast = at !== null && before?.at === at && Date.parse(at) <= now.getTime();
  const setAt = isPast ? before.setAt : now.toISOString();
  const isNear = visits !== null && total >= visits * NOTICE_SHARE;
  return { setAt, reachedAt: null, noticedAt: isNear ? setAt : null };
}

/** Gives rules and variants their numbers. Those that are sent along stay if the code has, or had, them. */
class Numbers {
  next: number;
  readonly #taken: Set<number>;

  constructor(before: StoredRouting, kept: readonly Rule[]) {
    this.next = before.next;
    this.#taken = new Set(kept.flatMap((rule) => [rule.id, ...rule.variants.map(({ route }) => route)]));
    if (before.end && before.end.route !== OWN_ROUTE) this.#taken.add(before.end.route);
  }

  /** `known` is the rule that it replaces. */
  rule(input: RuleInput & { id?: number | undefined }, known: Rule | undefined): Rule {
    const id = this.#numberOf(input.id);
    const variants = input.variants.map(({ target, percent, route }): Variant => {
      const same = known?.variants.find((one) => one.target === target && !this.#taken.has(one.route));
      return { route: this.#numberOf(same?.route ?? route), target, percent };
    });
    const { languages, systems, countries, weekdays, from, to, startsOn, endsOn } = input;
    const conditions = { languages, systems, countries, weekdays, from, to, startsOn, endsOn };
    const timeZone = hasTime(conditions) ? input.timeZone : null;
    return { id, ...conditions, timeZone, variants };
  }

  #numberOf(wanted: number | undefined): number {
    const isFree = wanted !== undefined && wanted < this.next && !this.#taken.has(wanted);
    const number = isFree ? wanted : this.next++;
    this.#taken.add(number);
    return number;
  }
}

function fingerprint(rule: RuleInput): string {
  const { languages, systems, countries, weekdays, from, to, startsOn, endsOn, variants } = rule;
  const timeZone = hasTime(rule) ? rule.timeZone : null;
  const targets = variants.map(({ target, percent }) => [target, percent]);
  return JSON.stringify([
    languages,
    systems,
    countries,
    weekdays,
    from,
    to,
    startsOn,
    endsOn,
    timeZone,
    targets,
  ]);
}

function inUtc(moment: string): string {
  return new Date(moment).toISOString();
}
