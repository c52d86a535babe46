import { z } from 'zod';
import { call, Done, dataOf, Id, Moment } from './call';
import { Code } from './codes';
import { SYSTEMS } from './routing-rules';
import { RoutingView, RuleInput, RuleView, Trial } from './routing-schemas';
import { PERIODS } from './statistics';

export const RoutingWarning = z.object({
  /** Id of the rule it is about; null for the target of a schedule or an end. */
  rule: z.int().nullable(),
  /**
   * `after_all`: the rule in `by` comes before it and has no conditions. `covered`: whatever it matches, those in `by`
   * match before it. `no_day`: none of its weekdays lies between its dates. `dates_over`: its last day is over.
   * `after_end`: it begins when the code has ended. `target_blocked`: an operator has blocked where it leads.
   */
  code: z.enum(['after_all', 'covered', 'no_day', 'dates_over', 'after_end', 'target_blocked']),
  /** Ids of earlier rules. */
  by: z.array(z.int()),
});
export type RoutingWarning = z.infer<typeof RoutingWarning>;

const counts = { scans: z.int(), clicks: z.int() };

/** Visits by people, by where they were led. */
export const RouteFigures = z.object({
  /** UTC days, both included. */
  period: z.object({ from: z.iso.date(), to: z.iso.date(), days: z.int() }),
  /** The first day on which visits were counted by route; null if none was. */
  since: z.iso.date().nullable(),
  /** Of 0, which is the code's own content, of every variant, and of the target of an end; those without visits too. */
  routes: z.array(z.object({ route: z.int(), ...counts })),
  /** Of rules, variants and ends that the code does not have any more. */
  earlier: z.object(counts),
});
export type RouteFigures = z.infer<typeof RouteFigures>;

const params = z.object({ id: Id });
const ruleParams = params.extend({ rule: z.coerce.number().int().min(1).max(1_000_000) });

export const getRouting = call({
  name: 'getRouting',
  method: 'GET',
  path: '/api/qrcodes/{id}/routing',
  summary: 'Where a code leads: rules, schedule, pause and end, what is wrong with them, and visits by route',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/codes/{id}/routing',
  params,
  query: z.object({
    /** Days of the figures, up to today. */
    period: z.enum(PERIODS.map(String), 'period_invalid').default('30').transform(Number),
  }),
  response: dataOf(
    z.object({
      code: Code,
      routing: RoutingView,
      warnings: z.array(RoutingWarning),
      /** Null without a running subscription, as other statistics. */
      figures: RouteFigures.nullable(),
    }),
  ),
  versions: ['ETag'],
  errors: ['unauthenticated', 'not_found', 'code_deleted', 'invalid'],
});

/** Visits nobody and counts nothing. */
export const tryRouting = call({
  name: 'tryRouting',
  method: 'GET',
  path: '/api/qrcodes/{id}/routing/trial',
  summary: 'Which rule of a code would answer a visit, and why each other one would not',
  access: 'user',
  key: 'read',
  publicPath: '/api/v1/codes/{id}/routing/trial',
  params,
  query: z.object({
    at: Moment.optional().describe('A date and time (RFC 3339); now if absent.'),
    language: z
      .string()
      .regex(/^[a-z]{2,3}$/, 'language_invalid')
      .optional()
      .describe('ISO 639 in small letters, such as `fr`; not known if absent.'),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'country_invalid')
      .optional()
      .describe('ISO 3166-1 in capitals, such as `FR`; not known if absent.'),
    system: z.enum(SYSTEMS, 'system_invalid').default('other'),
  }),
  response: dataOf(Trial),
  errors: ['unauthenticated', 'not_found', 'code_deleted', 'invalid'],
});

// Each of these changes one rule and leaves the others as they are meanwhile. A `conflict` says that the rule is gone.

const changeErrors = [
  'unauthenticated',
  'subscription_required',
  'not_found',
  'code_deleted',
  'conflict',
  'invalid',
  'rate_limited',
] as const;

export const addRule = call({
  name: 'addRule',
  method: 'POST',
  path: '/api/qrcodes/{id}/rules',
  summary: 'Add a rule to a link code, as its last; the same rule again adds no second one',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/codes/{id}/rules',
  params,
  body: RuleInput,
  response: dataOf(RuleView),
  status: 201,
  versions: ['ETag', 'If-Match'],
  errors: changeErrors,
});

export const changeRule = call({
  name: 'changeRule',
  method: 'PUT',
  path: '/api/qrcodes/{id}/rules/{rule}',
  summary: 'Replace a rule of a code; variants that keep their target keep their figures',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/codes/{id}/rules/{rule}',
  params: ruleParams,
  body: RuleInput,
  response: dataOf(RuleView),
  versions: ['ETag', 'If-Match'],
  errors: changeErrors,
});

export const moveRule = call({
  name: 'moveRule',
  method: 'PUT',
  path: '/api/qrcodes/{id}/rules/{rule}/position',
  summary: 'Move a rule of a code to another position',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/codes/{id}/rules/{rule}/position',
  params: ruleParams,
  body: z.object({ position: z.int().min(1).max(1_000).describe('From 1; past the last is the last.') }),
  response: Done,
  versions: ['ETag', 'If-Match'],
  errors: changeErrors,
});

export const keepVariant = call({
  name: 'keepVariant',
  method: 'POST',
  path: '/api/qrcodes/{id}/rules/{rule}/winner',
  summary: 'Make one variant of a rule its only target',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/codes/{id}/rules/{rule}/winner',
  params: ruleParams,
  body: z.object({ route: z.int().min(1).describe('The `route` of the variant.') }),
  response: dataOf(RuleView),
  versions: ['ETag', 'If-Match'],
  errors: changeErrors,
});

export const deleteRule = call({
  name: 'deleteRule',
  method: 'DELETE',
  path: '/api/qrcodes/{id}/rules/{rule}',
  summary: 'Delete a rule of a code',
  access: 'subscriber',
  key: 'change',
  publicPath: '/api/v1/codes/{id}/rules/{rule}',
  params: ruleParams,
  response: Done,
  versions: ['ETag', 'If-Match'],
  errors: changeErrors,
});
