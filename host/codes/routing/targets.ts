import { and, eq } from 'drizzle-orm';
import { isDynamic, isRedirected } from '#contract/contents/contents';
import type { RoutingWarning } from '#contract/routing';
import type { Rule } from '#contract/routing-rules';
import type { RoutingChange, RuleInput } from '#contract/routing-schemas';
import { findWarnings } from '#contract/routing-warnings';
import { targetOf } from '#contract/web-addresses';
import { isAtHost } from '#host/codes/blocks/blocked-hosts';
import { displayedTarget, type LinkRules, readTarget } from '#host/codes/contents/contents';
import type { Orm } from '#host/db/client';
import { codeChanges, type codes, type StoredRouting } from '#host/db/codes.tables';
import { ApiError, invalidField, type MessageCode } from '#host/http/errors';
import { currentLanguages, targetsOf } from './routing';

type RoutedCode = Pick<typeof codes.$inferSelect, 'id' | 'type' | 'routing'> & {
  scans: number | null;
  clicks: number | null;
};
type Problems = Record<string, MessageCode[]>;

/** A rule of a code with its targets and languages as they are stored. */
export async function readRule(
  orm: Orm,
  code: RoutedCode,
  input: RuleInput,
  rules: LinkRules,
): Promise<RuleInput> {
  if (!isRedirected(code.type)) throw invalidField('rules', 'rules_unsupported');
  const problems: Problems = {};
  const read = withTargets(code, input, { rules, problems, start: '' });
  refuse(problems);
  const [rule = read] = await withOwnRoutes(orm, code, [read]);
  return rule;
}

/**
 * Rules in which a variant keeps the number that it was sent with only if that stands, or stood in the kept history of the
 * code, for the same target: visits are counted by it.
 */
async function withOwnRoutes<Input extends RuleInput>(
  orm: Orm,
  { id, routing }: RoutedCode,
  inputs: Input[],
): Promise<Input[]> {
  const known = new Set(namesIn(routing?.rules ?? []));
  const isOwn = ({ route, target }: Input['variants'][number]) =>
    route === undefined || known.has(nameOf(route, target));
  if (!inputs.every(({ variants }) => variants.every(isOwn)))
    for (const name of await readEarlierNames(orm, id)) known.add(name);
  return inputs.map((input) => ({
    ...input,
    variants: input.variants.map((one) => (isOwn(one) ? one : { ...one, route: undefined })),
  }));
}

async function readEarlierNames(orm: Orm, codeId: string): Promise<string[]> {
  const rows = await orm
    .select({ before: codeChanges.before })
    .from(codeChanges)
    .where(and(eq(codeChanges.codeId, codeId), eq(codeChanges.field, 'rules')));
  return rows.flatMap(({ before }) => (before === '' ? [] : namesIn(JSON.parse(before) as Rule[])));
}

function namesIn(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ variants }) => variants.map(({ route, target }) => nameOf(route, target)));
}

function nameOf(route: number, target: string): string {
  return `${route} ${displayedTarget(target)}`;
}

function withTargets<Input extends RuleInput>(
  code: RoutedCode,
  input: Input,
  { start, ...reading }: { rules: LinkRules; problems: Problems; start: string },
): Input {
  const variants = input.variants.map((variant, index) => {
    const field = `${start}variants/${index}/target`;
    return { ...variant, target: storedTarget(code, variant.target, { ...reading, field }) };
  });
  return { ...input, languages: currentLanguages(input.languages), variants };
}

/**
 * New parts of a routing with their targets as they are stored. Refuses what a code of this type cannot have, and a
 * schedule or an end that would have come already.
 */
export async function readChange(
  orm: Orm,
  code: RoutedCode,
  change: RoutingChange,
  { rules, now }: { rules: LinkRules; now: Date },
): Promise<RoutingChange> {
  const { schedule, end } = change;
  const problems: Problems = {};
  if (!isRedirected(code.type)) {
    if (change.rules?.length) problems['routing/rules'] = ['rules_unsupported'];
    if (schedule) problems['routing/schedule'] = ['rules_unsupported'];
  }
  if (!isDynamic(code.type))
    for (const part of ['pause', 'end'] as const)
      if (change[part]) problems[`routing/${part}`] = ['routing_static'];
  refuse(problems);
  const stored = (target: string, part: 'schedule' | 'end') =>
    storedTarget(code, target, { rules, problems, field: `routing/${part}/target` });
  const readOne = (rule: RuleInput, index: number) =>
    withTargets(code, rule, { rules, problems, start: `routing/rules/${index}/` });
  const read: RoutingChange = {
    ...change,
    ...(change.rules && { rules: change.rules.map(readOne) }),
    ...(schedule && { schedule: { ...schedule, target: stored(schedule.target, 'schedule') } }),
    ...(end && { end: { ...end, target: end.target === null ? null : stored(end.target, 'end') } }),
  };
  const before = code.routing;
  if (schedule && isPast(schedule.at, before?.schedule?.at, now))
    problems['routing/schedule/at'] = ['schedule_past'];
  if (end?.at && isPast(end.at, before?.end?.at, now)) problems['routing/end/at'] = ['end_past'];
  const total = (code.scans ?? 0) + (code.clicks ?? 0);
  if (end?.visits && end.visits <= total && end.visits !== before?.end?.visits)
    problems['routing/end/visits'] = ['end_visits_passed'];
  refuse(problems);
  return read.rules ? { ...read, rules: await withOwnRoutes(orm, code, read.rules) } : read;
}

/** What cannot have an effect, and what an operator has blocked. */
export function listWarnings(
  { rules, schedule, end }: StoredRouting,
  { blockedHosts }: LinkRules,
  now: Date,
): RoutingWarning[] {
  const isBlocked = (target: string) => isAtHost(targetOf(target), blockedHosts);
  const blocked = (rule: number | null): RoutingWarning => ({ rule, code: 'target_blocked', by: [] });
  const others = [schedule?.target, end?.target].filter((target) => typeof target === 'string');
  return [
    ...findWarnings(rules, now.getTime(), end?.at ? Date.parse(end.at) : null),
    ...rules
      .filter(({ variants }) => variants.some(({ target }) => isBlocked(target)))
      .map(({ id }) => blocked(id)),
    ...(others.some(isBlocked) ? [blocked(null)] : []),
  ];
}

/** What is saved already is not checked again: the rules may have changed since. */
function storedTarget(
  { routing }: RoutedCode,
  entered: string,
  { rules, problems, field }: { rules: LinkRules; problems: Problems; field: string },
): string {
  const known = targetsOf(routing).find((target) => entered === displayedTarget(target));
  if (known !== undefined) return known;
  const read = readTarget(entered, rules);
  if ('target' in read) return read.target;
  problems[field] = read.problems;
  return entered;
}

/** A form has minutes, so a moment may be that much over when it arrives. */
const FORM_MS = 60_000;

function isPast(at: string, before: string | null | undefined, now: Date): boolean {
  const isUnchanged = before != null && Date.parse(before) === Date.parse(at);
  return !isUnchanged && Date.parse(at) < now.getTime() - FORM_MS;
}

function refuse(problems: Problems): void {
  if (Object.keys(problems).length > 0) throw new ApiError('invalid', { fields: problems });
}
