import type { Context } from 'hono';
import { PUBLIC_API } from '#contract/call';
import { bearerChallenge, PROBLEM_TYPE, problemOf } from '#contract/errors';
import { type ApiError, mistakesOf } from '#host/http/errors';
import account from '../../locales/gb/account.json';
import common from '../../locales/gb/common.json';
import design from '../../locales/gb/design.json';
import statistics from '../../locales/gb/statistics.json';
import webhooks from '../../locales/gb/webhooks.json';
import { bearerOf } from './caller';

/** Mistakes that only programs make. */
const ONLY_OF_PROGRAMS: Record<string, string> = {
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
  const errors = mistakesOf(error).map((mistake) => ({ ...mistake, message: messageOf(mistake.code) }));
  if (code === 'unauthenticated')
    context.header('WWW-Authenticate', bearerChallenge(publicUrl, PUBLIC_API, bearerOf(context)));
  const problem = problemOf(code, { publicUrl, requestId, errors });
  return context.body(JSON.stringify(problem), status, { 'Content-Type': PROBLEM_TYPE });
}

/** Some codes have a value behind a colon. */
function messageOf(full: string): string {
  const [, code = full, value = ''] = /^([^:]*):(.*)$/s.exec(full) ?? [];
  return (MESSAGES[code] ?? 'This value is not accepted.').replace(/\{\{\w+\}\}/g, value);
}
