import { type Asked, hasEnded, listFailures, scheduledTarget } from './routing-decision';
import { OWN_ROUTE, type Routing, type Variant } from './routing-rules';
import type { Trial } from './routing-schemas';

/** What a visit would get of a code with this target, null if it shows a page, and why. */
export function tryVisit(routing: Routing, content: string | null, asked: Asked): Trial {
  const { pause, end } = routing;
  const ended = end && hasEnded(end, asked.at) ? end : null;
  const isClosed = pause !== null || ended !== null;
  let matched: number | null = null;
  const rules = routing.rules.map((rule) => {
    const failed = listFailures(rule, asked);
    const isFirst = failed.length === 0 && matched === null;
    if (isFirst) matched = rule.id;
    const outcome = failed.length > 0 ? 'differs' : isFirst && !isClosed ? 'answers' : 'later';
    return { id: rule.id, outcome, failed } as const;
  });
  const result = { at: new Date(asked.at).toISOString(), rule: null, variants: [], message: '', rules };
  if (pause) return { ...result, answer: 'paused', message: pause.message };
  if (ended) {
    const variants = ended.target === null ? [] : [only(ended.route, ended.target)];
    return { ...result, answer: 'ended', message: ended.message, variants };
  }
  const answering = routing.rules.find(({ id }) => id === matched);
  if (answering) return { ...result, answer: 'rule', rule: answering.id, variants: answering.variants };
  const scheduled = scheduledTarget(routing, asked.at);
  const target = scheduled ?? content;
  const variants = target === null ? [] : [only(OWN_ROUTE, target)];
  return { ...result, answer: scheduled === null ? 'content' : 'schedule', variants };
}

function only(route: number, target: string): Variant {
  return { route, target, percent: 100 };
}
