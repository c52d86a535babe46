import { z } from 'zod';
import { IsoDateTime, Moment } from './call';
import { CONTENT_LIMIT, tidy } from './contents/text-rules';
import {
  END_VISITS_LIMIT,
  MESSAGE_LIMIT,
  messageProblem,
  RULE_COUNTRIES_LIMIT,
  RULE_LANGUAGES_LIMIT,
  RULES_LIMIT,
  ruleProblems,
  SYSTEMS,
  TYPED_MESSAGE,
  VARIANTS_LIMIT,
} from './routing-rules';
import { TimeZone } from './time-zones';

const languages = z.string('languages_invalid').regex(/^[a-z]{2,3}$/, 'languages_invalid');
const countries = z.string('countries_invalid').regex(/^[A-Z]{2}$/, 'countries_invalid');
const hour = z
  .string('hours_invalid')
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'hours_invalid')
  .meta({ maxLength: 5 });
const day = z.iso.date('date_invalid');
/** Checked like the content of a link. */
const target = z.string().meta({ maxLength: CONTENT_LIMIT, description: 'A web address, as of a link.' });
/** Of a variant that keeps its target; the host numbers new ones. */
const number = z
  .int()
  .min(1)
  .max(1_000_000)
  .optional()
  .describe('As it was read, if it is to stay the same one; absent for a new one.');

/** Whole ones; `ruleProblems` says which is not. */
const percent = z.number().meta({ type: 'integer', minimum: 1, maximum: 100 }).default(100);

function sorted<Value extends string | number>(values: Value[]): Value[] {
  return [...new Set(values)].sort();
}

/** A rule as it is sent. */
export const RuleInput = z
  .object({
    languages: z
      .array(languages)
      .max(100, 'languages_too_many')
      .meta({ maxItems: RULE_LANGUAGES_LIMIT })
      .transform(sorted)
      .default([])
      .describe('ISO 639 in small letters, such as `fr`; empty for any.'),
    systems: z
      .array(z.enum(SYSTEMS, 'systems_invalid'))
      .meta({ maxItems: SYSTEMS.length })
      .transform((systems) => SYSTEMS.filter((system) => systems.includes(system)))
      .default([])
      .describe('Operating systems; empty for any.'),
    countries: z
      .array(countries)
      .max(300, 'countries_too_many')
      .meta({ maxItems: RULE_COUNTRIES_LIMIT })
      .transform(sorted)
      .default([])
      .describe('ISO 3166-1 in capitals, such as `FR`; empty for any.'),
    weekdays: z
      .array(z.int('weekdays_invalid').min(1, 'weekdays_invalid').max(7, 'weekdays_invalid'))
      .meta({ maxItems: 7 })
      .transform(sorted)
      .default([])
      .describe('1 is Monday, 7 Sunday; empty for any.'),
    from: hour.nullable().default(null).describe('A time of day, `HH:MM`; with `to`.'),
    to: hour.nullable().default(null).describe('`HH:MM`; before `from`, it is that of the next day.'),
    startsOn: day.nullable().default(null).describe('The first day, `YYYY-MM-DD`.'),
    endsOn: day.nullable().default(null).describe('The last day, `YYYY-MM-DD`.'),
    timeZone: TimeZone.nullable()
      .default(null)
      .describe(
        'Of the days and times, which need one: a name of the IANA database, such as `Europe/Paris`.',
      ),
    variants: z
      .array(z.object({ target, percent, route: number }))
      .meta({ minItems: 1, maxItems: VARIANTS_LIMIT })
      .describe('Where visits lead; their percents add up to 100.'),
  })
  .superRefine((rule, context) => {
    for (const { path, code } of ruleProblems(rule))
      context.addIssue({ code: 'custom', path, message: code });
  });
export type RuleInput = z.infer<typeof RuleInput>;

const message = z
  .string()
  .max(TYPED_MESSAGE, 'message_too_long')
  .meta({ maxLength: MESSAGE_LIMIT, description: 'To visitors; empty for ours.' })
  .superRefine((text, context) => {
    const problem = messageProblem(text);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .transform(tidy)
  .default('');

const AS_READ = 'As it may be read; changes nothing.';
const EndInput = z
  .object({
    at: Moment.nullable().default(null).describe('A date and time in the future.'),
    visits: z
      .int('visits_invalid')
      .min(1, 'visits_invalid')
      .max(END_VISITS_LIMIT, 'visits_invalid')
      .nullable()
      .default(null)
      .describe('More than the code has now, and only while its visits are counted.'),
    message,
    target: target.nullable().default(null),
    route: z.int().optional().describe(AS_READ),
    reachedAt: IsoDateTime.nullable().optional().describe(AS_READ),
  })
  .refine(({ at, visits }) => at !== null || visits !== null, { path: ['at'], message: 'end_required' })
  .transform(({ route: _route, reachedAt: _reachedAt, ...end }) => end);

/**
 * New parts of where a code leads; an absent part stays as it is, and null removes it. Rules, schedules and pauses of a
 * kept history may be sent back as they are.
 */
export const RoutingChange = z.object({
  rules: z
    .array(RuleInput.safeExtend({ id: number }))
    .max(RULES_LIMIT, 'rules_too_many')
    .optional()
    .describe(
      'All of them, in their order; the first that matches answers. With its `id` a rule stays the same one.',
    ),
  schedule: z
    .object({ at: Moment.describe('In the future.'), target })
    .nullable()
    .optional()
    .describe('Where the code leads from a moment on; null takes it away.'),
  pause: z.object({ message }).nullable().optional().describe('Visitors get the message; null ends it.'),
  end: EndInput.nullable()
    .optional()
    .describe(
      'After a moment or a number of visits, whatever comes first, visitors get the message or are led to the target.',
    ),
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
