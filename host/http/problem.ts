import type { Context } from 'hono';
import { PUBLIC_API } from '#contract/call';
import { bearerChallenge, PROBLEM_TYPE, type Problem, problemOf, scopeChallenge } from '#contract/errors';
import { type ApiError, mistakesOf } from '#host/http/errors';
import account from '../../locales/gb/account.json';
import common from '../../locales/gb/common.json';
import design from '../../locales/gb/design.json';
import statistics from '../../locales/gb/statistics.json';
import webhooks from '../../locales/gb/webhooks.json';
import { bearerOf } from './caller';
import { CALLS_PER_KEY } from './key-calls';

/** Mistakes that only programs make. */
const ONLY_OF_PROGRAMS: Record<string, string> = {
  // Choices of people in forms, whose texts say what can be seen there.
  preset_unknown: 'Send the name of a file that the call for logo presets lists.',
  logo_unknown:
    'Send a kind (none, preset or upload) and what it needs: the name of a preset, or the id of a logo of yours.',
  countries_invalid: 'Send a list of countries by ISO 3166-1, in capitals, such as FR.',
  country_invalid: 'Send a country by ISO 3166-1, in capitals, such as FR.',
  languages_invalid: 'Send a list of languages by ISO 639, in small letters, such as fr.',
  language_invalid: 'Send a language by ISO 639, in small letters, such as fr.',
  weekdays_invalid: 'Send a list of days from 1 for Monday to 7 for Sunday.',
  hours_invalid: 'Send a time of day such as 17:30.',
  moment_invalid: 'Send a date and time such as 2026-12-24T18:00:00Z, or with another offset.',
  time_zone_invalid: 'Send a name of the IANA time zone database, such as Europe/Paris.',
  code_invalid: 'Send the id of a code.',
  range_incomplete: 'Send both from and to.',
  period_ambiguous: 'Send either period, or from and to.',
  webhook_description_required: 'Send a text, which may be empty.',
  webhook_description_invalid: 'Send a text of one line.',
  webhook_description_too_long: 'Send at most 100 characters.',
  cursor_invalid: 'Send a cursor as it came in nextCursor.',
  limit_invalid: 'Send a whole number from 1 to 100.',
  dry_run_invalid: 'Send true or false.',
  dry_run_unsupported: 'Only calls that make something can be tried.',
  field_unknown: 'There is no field or parameter with this name here.',
  filter_required: 'This filter matches all codes in use: send their number as expected, or show: all.',
  count_differs: '{{count}} codes match now.',
  route_unknown: 'The rule has no variant with this route.',
  option_unknown: 'Send one of the values that are listed for this field.',
  tag_of_key: 'This key is limited to this tag, so it cannot take it away.',
  ids_required: 'Send either ids or a filter.',
  ids_too_many: 'Send at most 100 ids.',
  style_required: 'Send a style, or a logo.',
  tag_required: 'Send a tag.',
  codes_required: 'Send a list of codes.',
  codes_too_many: 'Send at most 1,000 codes.',
  code_too_large: 'Send at most 64 kB for a code.',
};
const MESSAGES: Record<string, string> = {
  ...common.errors.codes,
  ...account.errors,
  ...statistics.errors,
  ...design.errors,
  ...webhooks.errors,
  ...ONLY_OF_PROGRAMS,
};

/** Answers a refusal of a call for programs as a problem document (RFC 9457). */
export function respondWithProblem(
  context: Context,
  error: ApiError,
  { publicUrl, requestId }: { publicUrl: string; requestId: string },
): Response {
  const { code, status } = error;
  const errors = mistakesOf(error).map(({ pointer, code, message }) => ({
    pointer,
    code,
    message: messageOf(code, message),
  }));
  if (code === 'unauthenticated')
    context.header('WWW-Authenticate', bearerChallenge(publicUrl, PUBLIC_API, bearerOf(context)));
  if (error.scope) context.header('WWW-Authenticate', scopeChallenge(publicUrl, PUBLIC_API, error.scope));
  const problem = problemOf(code, { publicUrl, requestId, errors });
  if (error.detail) problem.detail = error.detail;
  if (error.limit && error.limit.name !== CALLS_PER_KEY.name) nameLimit(context, problem, error);
  return context.body(JSON.stringify(problem), status, { 'Content-Type': PROBLEM_TYPE });
}

/** A limit of its own, beside that of the key (draft-ietf-httpapi-ratelimit-headers). */
function nameLimit(context: Context, problem: Problem, { limit, retryAfterSeconds = 0 }: ApiError): void {
  if (!limit) return;
  const { name, points, windowSeconds } = limit;
  const most = points.toLocaleString('en');
  problem.detail = `The limit "${name}" is used up: ${most} in ${windowSeconds / 60} minutes. ${problem.detail}`;
  context.header('RateLimit', `"${name}";r=0;t=${retryAfterSeconds}`);
}

/** What a schema expects says more than a text for people; some codes have a value behind a colon. */
function messageOf(full: string, expected: string | undefined): string {
  const [, code = full, value = ''] = /^([^:]*):(.*)$/s.exec(full) ?? [];
  const text = ONLY_OF_PROGRAMS[code] ?? expected ?? MESSAGES[code] ?? 'This value is not accepted.';
  return text.replace(/\{\{\w+\}\}/g, value);
}
