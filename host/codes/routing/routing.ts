import { hasEnded, scheduledTarget } from '#contract/routing-decision';
import type { Routing, Rule } from '#contract/routing-rules';
import type { RoutingState } from '#contract/routing-schemas';
import { displayedTarget } from '#host/codes/contents/contents';
import type { StoredRouting } from '#host/db/codes.tables';
import { currentLanguage } from '#runtime/accept-language';

export const NO_ROUTING: StoredRouting = { rules: [], schedule: null, pause: null, end: null, next: 1 };

/** Whether visits get anything but the content. */
export function isRouted(routing: StoredRouting | null): routing is StoredRouting {
  const { rules, schedule, pause, end } = routing ?? NO_ROUTING;
  return rules.length > 0 || schedule !== null || pause !== null || end !== null;
}

/** A routing as the owner of its code sees it. */
export function viewRouting({ rules, schedule, pause, end }: StoredRouting) {
  return {
    rules: rules.map(viewRule),
    schedule: schedule && { at: schedule.at, target: displayedTarget(schedule.target) },
    pause,
    end: end && { ...viewEnd(end), route: end.route, reachedAt: end.reachedAt },
  };
}

/** By the codes that visits have, each once: `nb` for `no`, `de` for `ger`. */
export function currentLanguages(languages: readonly string[]): string[] {
  return [...new Set(languages.map((code) => currentLanguage(code) || code))].sort();
}

/** In one order of its fields, so that equal rules are equal texts: the database has its own order. */
export function viewRule(rule: Rule): Rule {
  const languages = currentLanguages(rule.languages);
  const { id, systems, countries, weekdays, from, to, startsOn, endsOn, timeZone } = rule;
  const variants = rule.variants.map(({ route, target, percent }) => {
    return { route, target: displayedTarget(target), percent };
  });
  return { id, languages, systems, countries, weekdays, from, to, startsOn, endsOn, timeZone, variants };
}

function viewEnd({ at, visits, message, target }: NonNullable<StoredRouting['end']>) {
  return { at, visits, message, target: target && displayedTarget(target) };
}

/** The same in short; null if visits always get the content. */
export function routingState(routing: StoredRouting | null, now: Date): RoutingState | null {
  if (!isRouted(routing)) return null;
  const { rules, schedule, pause, end } = routing;
  const isScheduled = schedule && scheduledTarget(routing, now.getTime()) === null;
  return {
    rules: rules.length,
    isPaused: pause !== null,
    hasEnded: end !== null && hasEnded(end, now.getTime()),
    end: end && { at: end.at, visits: end.visits },
    changesAt: isScheduled ? schedule.at : null,
  };
}

/** All addresses that visits may be led to besides the content, as stored. */
export function targetsOf(routing: Routing | null): string[] {
  if (!routing) return [];
  const { rules, schedule, end } = routing;
  const variants = rules.flatMap((rule) => rule.variants.map(({ target }) => target));
  return [...variants, ...(schedule ? [schedule.target] : []), ...(end?.target ? [end.target] : [])];
}

/** Its parts as in the history of a code, which can be sent back. */
export function routingTexts(routing: StoredRouting | null) {
  const { rules, schedule, pause, end } = viewRouting(routing ?? NO_ROUTING);
  const textOf = (part: unknown) => (part ? JSON.stringify(part) : '');
  return [
    ['rules', textOf(rules.length > 0 && rules)],
    ['schedule', textOf(schedule)],
    ['pause', textOf(pause)],
    // The rest of it changes without its owner.
    ['end', textOf(end && { at: end.at, visits: end.visits, message: end.message, target: end.target })],
  ] as const;
}
