import { z } from 'zod';
import type { ResponseOf } from '#contract/call';
import type { getCode, updateCode } from '#contract/codes';
import { localText, momentOf } from '#contract/local-time';
import { TYPED_MESSAGE } from '#contract/routing-rules';
import { RoutingChange } from '#contract/routing-schemas';
import { TimeZone } from '#contract/time-zones';
import type { NewNotice } from '~/http/flash.server';
import { zoneInWords } from './rule-words.server';

type Loaded = ResponseOf<typeof getCode>['data'];
type Change = z.input<typeof updateCode.body>;

/** When a code pauses, ends or changes, with times as the inputs of a form take them. */
export function timingOf({ code, routing }: Pick<Loaded, 'code' | 'routing'>, timeZone: string) {
  const inputOf = (at: string | null | undefined) => (at ? localText(timeZone, Date.parse(at)) : '');
  return {
    timeZone,
    zone: zoneInWords(timeZone),
    rules: code.routing?.rules ?? 0,
    pause: routing?.pause ?? null,
    end: routing?.end && {
      ...routing.end,
      hasEnded: code.routing?.hasEnded === true,
      input: inputOf(routing.end.at),
    },
    schedule: routing?.schedule && { ...routing.schedule, input: inputOf(routing.schedule.at) },
  };
}
export type TimingView = ReturnType<typeof timingOf>;

/** Names of the fields of the forms below. */
export const TIMING_FIELDS = ['at', 'visits', 'target', 'message', 'timeZone', ...keysOf(RoutingChange)];

const text = z.string().max(TYPED_MESSAGE, 'text_too_long').default('');
const message = z.string().max(TYPED_MESSAGE, 'message_too_long').default('');
/** By the clock of a zone, both of the same form. */
const local = { at: text, timeZone: TimeZone };

/** What a code has now. */
type Stored = Loaded['routing'] | undefined;

const PauseForm = z.object({ message }).transform((pause): Change => ({ routing: { pause } }));

const endForm = (stored: Stored) =>
  z
    .object({ ...local, visits: text, target: text, message })
    .transform(({ visits, target, message, ...typed }, context): Change => {
      const digits = visits.replace(/[\s.,’']/g, '');
      const count = /^\d{1,10}$/.test(digits) ? Number(digits) : null;
      if (digits !== '' && count === null) addIssue(context, 'visits', 'visits_invalid');
      const moment = typed.at === '' ? null : momentIn(typed, stored?.end?.at, context);
      return { routing: { end: { at: moment, visits: count, message, target: target.trim() || null } } };
    });

const scheduleForm = (stored: Stored) =>
  z.object({ ...local, target: text }).transform(({ target, ...typed }, context): Change => {
    const moment = momentIn(typed, stored?.schedule?.at, context);
    return { routing: { schedule: { at: moment ?? '', target } } };
  });

/** The stored moment if the form shows it: it may have seconds, or be the second one with this local time. */
function momentIn(
  { at, timeZone }: { at: string; timeZone: string },
  stored: string | null | undefined,
  context: z.core.$RefinementCtx,
): string | null {
  const shown = at.slice(0, 16);
  if (stored && localText(timeZone, Date.parse(stored)) === shown) return stored;
  const moment = momentOf(timeZone, shown);
  if (moment === null) addIssue(context, 'at', 'moment_invalid');
  return moment === null ? null : new Date(moment).toISOString();
}

function addIssue(context: z.core.$RefinementCtx, field: string, message: string): void {
  context.addIssue({ code: 'custom', path: [field], message });
}

/** A form that only has its intent. */
const change = (routing: RoutingChange) => z.object({}).transform((): Change => ({ routing }));

/** Forms by their intent. */
export function timingForms(stored: Stored): [intent: string, schema: z.ZodType<Change>][] {
  return [
    ['pause', PauseForm],
    ['resume', change({ pause: null })],
    ['end', endForm(stored)],
    ['endless', change({ end: null })],
    ['schedule', scheduleForm(stored)],
    ['unschedule', change({ schedule: null })],
  ];
}

/** Brings back a part as it is in the history: JSON, or nothing. */
export function restoreForm(part: keyof RoutingChange): z.ZodType<Change> {
  return z.object({ [part]: z.string().default('') }).transform((form, context): Change => {
    const before = form[part] ?? '';
    const none = part === 'rules' ? [] : null;
    const read = RoutingChange.safeParse({ [part]: before === '' ? none : parseJson(before) });
    if (read.success) return { routing: read.data };
    addIssue(context, part, 'parameters_invalid');
    return z.NEVER;
  });
}

/** The part of where a code leads that a form names; undefined if it names none. */
export function restoredPart(form: FormData): keyof RoutingChange | undefined {
  return keysOf(RoutingChange).find((part) => form.has(part));
}

function keysOf(schema: typeof RoutingChange): (keyof RoutingChange)[] {
  return Object.keys(schema.shape) as (keyof RoutingChange)[];
}

/** The text itself, which no schema accepts, if it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a change did. */
export function timingNotice({ routing = {} }: Change): NewNotice | null {
  const type = 'success';
  if (routing.pause !== undefined) return { type, key: routing.pause ? 'code_paused' : 'code_resumed' };
  if (routing.end !== undefined) return { type, key: routing.end ? 'code_end_saved' : 'code_end_removed' };
  if (routing.schedule !== undefined)
    return { type, key: routing.schedule ? 'code_scheduled' : 'code_unscheduled' };
  return routing.rules ? { type, key: 'rules_restored' } : null;
}
