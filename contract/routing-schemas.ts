import { z } from 'zod';
import { IsoDateTime } from './call';
import { tidy } from './contents/text-rules';
import {
  END_VISITS_LIMIT,
  messageProblem,
  RULES_LIMIT,
  ruleProblems,
  SYSTEMS,
  TYPED_MESSAGE,
} from './routing-rules';
import { TimeZone } from './time-zones';

const languages = z.string('languages_invalid').regex(/^[a-z]{2,3}$/, 'languages_invalid');
const countries = z.string('countries_invalid').regex(/^[A-Z]{2}$/, 'countries_invalid');
const hour = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'hours_invalid');
const day = z.iso.date('date_invalid');
const moment = z.iso.datetime('moment_invalid');
/** Checked like the content of a link. */
const target = z.string();
/** Of a variant that keeps its target; the host numbers new ones. */
const number = z.int().min(1).max(1_000_000).optional();

function sorted<Value extends string | number>(values: Value[]): Value[] {
  return [...new Set(values)].sort();
}

/** A rule as it is sent. */
export const RuleInput = z
  .object({
    languages: z.array(languages).max(100, 'languages_too_many').transform(sorted).default([]),
    systems: z
      .array(z.enum(SYSTEMS, 'systems_invalid'))
      .transform((systems) => SYSTEMS.filter((system) => systems.includes(system)))
      .default([]),
    countries: z.array(countries).max(300, 'countries_too_many').transform(sorted).default([]),
    weekdays: z
      .array(z.int('weekdays_invalid').min(1, 'weekdays_invalid').max(7, 'weekdays_invalid'))
      .transform(sorted)
      .default([]),
    from: hour.nullable().default(null),
    to: hour.nullable().default(null),
    startsOn: day.nullable().default(null),
    endsOn: day.nullable().default(null),
    timeZone: TimeZone.nullable().default(null),
    variants: z.array(z.object({ target, percent: z.number().default(100), route: number })),
  })
  .superRefine((rule, context) => {
    for (const { path, code } of ruleProblems(rule))
      context.addIssue({ code: 'custom', path, message: code });
  });
export type RuleInput = z.infer<typeof RuleInput>;

const message = z
  .string()
  .max(TYPED_MESSAGE, 'message_too_long')
  .superRefine((text, context) => {
    const problem = messageProblem(text);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .transform(tidy)
  .default('');

const EndInput = z
  .object({
    /** In the future. */
    at: moment.nullable().default(null),
    /** More than the code has now. */
    visits: z
      .int('visits_invalid')
      .min(1, 'visits_invalid')
      .max(END_VISITS_LIMIT, 'visits_invalid')
      .nullable()
      .default(null),
    message,
    target: target.nullable().default(null),
  })
  .refine(({ at, visits }) => at !== null || visits !== null, { path: ['at'], message: 'end_required' });

/**
 * New parts of where a code leads; an absent part stays as it is, and null removes it. Rules, schedules and pauses of a
 * kept history may be sent back as they are.
 */
export const RoutingChange = z.object({
  /** All of them, in their order; with its `id` a rule stays the same one. */
  rules: z
    .array(RuleInput.safeExtend({ id: number }))
    .max(RULES_LIMIT, 'rules_too_many')
    .optional(),
  /** Its moment is in the future. */
  schedule: z.object({ at: moment, target }).nullable().optional(),
  pause: z.object({ message }).nullable().optional(),
  end: EndInput.nullable().optional(),
});
export type RoutingChange = z.infer<typeof RoutingChange>;

export const VariantView = z.object({ route: z.int(), target: z.string(), percent: z.int() });

/** See `Rule` in contract/routing-rules.ts. */
export const RuleView = z.object({
  id: z.int(),
  languages: z.array(z.string()),
  systems: z.array(z.enum(SYSTEMS)),
  countries: z.array(z.string()),
  weekdays: z.array(z.int()),
  from: z.string().nullable(),
  to: z.string().nullable(),
  startsOn: z.string().nullable(),
  endsOn: z.string().nullable(),
  timeZone: z.string().nullable(),
  variants: z.array(VariantView),
});

export const RoutingView = z.object({
  /** The first that matches answers; if none does, the content of the code. */
  rules: z.array(RuleView),
  schedule: z.object({ at: IsoDateTime, target: z.string() }).nullable(),
  pause: z.object({ message: z.string() }).nullable(),
  end: z
    .object({
      at: IsoDateTime.nullable(),
      visits: z.int().nullable(),
      message: z.string(),
      target: z.string().nullable(),
      route: z.int(),
      /** When the number of visits was reached. */
      reachedAt: IsoDateTime.nullable(),
    })
    .nullable(),
});

/** The same in short, for lists. */
export const RoutingState = z.object({
  rules: z.int(),
  isPaused: z.boolean(),
  hasEnded: z.boolean(),
  /** Whatever comes first; null if it has no end. */
  end: z.object({ at: IsoDateTime.nullable(), visits: z.int().nullable() }).nullable(),
  /** When another target takes over. */
  changesAt: IsoDateTime.nullable(),
});
export type RoutingState = z.infer<typeof RoutingState>;

/** Why a rule does not match; `unknown`: the visit does not say, and then no rule that asks for it matches. */
const Failed = z.object({
  condition: z.enum(['language', 'system', 'country', 'weekday', 'hours', 'dates']),
  reason: z.enum(['different', 'unknown', 'before', 'after']),
});

/** What a visit would get. */
export const Trial = z.object({
  at: IsoDateTime,
  answer: z.enum(['paused', 'ended', 'rule', 'schedule', 'content']),
  /** Id of the rule that answers. */
  rule: z.int().nullable(),
  /** Where the visit leads, one of these by their percents; empty if it gets a message or the page of the code. */
  variants: z.array(VariantView),
  /** For `paused` and `ended`; empty for ours. */
  message: z.string(),
  /** All rules in their order. `later`: it matches, but something before it answers. */
  rules: z.array(
    z.object({ id: z.int(), outcome: z.enum(['answers', 'later', 'differs']), failed: z.array(Failed) }),
  ),
});
export type Trial = z.infer<typeof Trial>;
