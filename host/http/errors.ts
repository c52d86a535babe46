import { ERROR_MESSAGE, ERROR_STATUS, type ErrorCode } from '#contract/errors';
import { DatabaseNotReady } from '#host/db/starting';
import { PoolRefusal, TaskKilled } from '#runtime/processes/pool-errors';
import type account from '../../locales/gb/account.json';
import type billing from '../../locales/gb/billing.json';
import type common from '../../locales/gb/common.json';
import type contact from '../../locales/gb/contact.json';
import type design from '../../locales/gb/design.json';
import type settings from '../../locales/gb/settings.json';
import type statistics from '../../locales/gb/statistics.json';
import type webhooks from '../../locales/gb/webhooks.json';

/** Only for programs: the clock of the payment sandbox, limits of a key, and many codes at once have no form. */
type Unworded = 'advance_invalid' | 'advance_too_long' | 'tag_of_key' | 'code_too_large' | 'route_unknown';

/** A mistake in a request: see `Problem`. */
export interface Mistake {
  pointer: string;
  code: string;
  /** In English, for programs: what they should have sent, if the schema says more than the code. */
  message?: string;
}

/** Why a field is refused; each code that people may see has a text. */
export type MessageCode =
  | keyof typeof account.errors
  | keyof typeof billing.errors
  | keyof typeof common.errors.codes
  | keyof typeof common.notices
  | keyof typeof contact.errors
  | keyof typeof design.errors
  | keyof typeof settings.errors
  | keyof typeof statistics.errors
  | keyof typeof webhooks.errors
  | `address_meant:${string}`
  | Unworded;

interface Details {
  fields?: Record<string, string[]>;
  mistakes?: Mistake[];
  retryAfterSeconds?: number;
  /** For programs, in place of what is said of every error of its kind. */
  detail?: string;
  /** The limit that is used up. */
  limit?: UsedLimit;
  /** The permission that a key or a token lacks. */
  scope?: 'change';
  holder?: Holder;
}

interface UsedLimit {
  name: string;
  points: number;
  windowSeconds: number;
}

/** Whose token or key it was. */
interface Holder {
  account: string;
  session?: string;
  key?: string;
}

/** An expected refusal. `fields` holds message codes by field name, see `mistakesOf`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly fields: Record<string, string[]> | undefined;
  /** The same with the place of each mistake, if it is known. */
  readonly mistakes: readonly Mistake[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly detail: string | undefined;
  readonly limit: UsedLimit | undefined;
  readonly scope: 'change' | undefined;
  /** The account of a token that is no longer valid, or of a key that may not make the call; only for the log. */
  readonly holder: Holder | undefined;

  constructor(code: ErrorCode, details: Details = {}) {
    super(ERROR_MESSAGE[code]);
    this.name = 'ApiError';
    this.code = code;
    this.fields = details.fields;
    this.mistakes = details.mistakes;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.detail = details.detail;
    this.limit = details.limit;
    this.scope = details.scope;
    this.holder = details.holder;
  }

  get status() {
    return ERROR_STATUS[this.code];
  }
}

/** Refuses one field with one message code. */
export function invalidField(field: string, code: MessageCode): ApiError {
  return new ApiError('invalid', { fields: { [field]: [code] } });
}

/** Everything that is wrong with a request, with its place; a field within others is named like `routing/end/at`. */
export function mistakesOf({ mistakes, fields = {} }: ApiError): Mistake[] {
  if (mistakes) return [...mistakes];
  return Object.entries(fields).flatMap(([field, codes]) =>
    codes.map((code) => ({ pointer: field === '' ? '' : `/${field}`, code })),
  );
}

const RETRY_BUSY_SECONDS = 10;

/** For a task that a process pool has no room for, or that a busy machine did not finish in time; else null. */
export function refusedByPool(thrown: unknown): ApiError | null {
  if (thrown instanceof PoolRefusal) {
    const { reason, retryAfterSeconds } = thrown;
    return new ApiError(reason === 'client' ? 'rate_limited' : 'unavailable', { retryAfterSeconds });
  }
  const isTimeout = thrown instanceof TaskKilled && thrown.reason === 'timeout';
  return isTimeout ? new ApiError('unavailable', { retryAfterSeconds: RETRY_BUSY_SECONDS }) : null;
}

/** Runs an action; returns the message code if it is refused, else null. */
export async function refusalOf(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return Object.values(error.fields ?? {}).flat()[0] ?? error.code;
  }
}

/** Whether the error asks the client to retry later, rather than reporting a fault. */
export function isRateLimited(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && thrown.code === 'rate_limited';
}

/** PostgreSQL's error codes for input that cannot be stored (its manual, appendix A). */
const UNSTORABLE = new Set(['22021', '22P02', '22P05']);
const UNSTORABLE_DETAIL =
  'A text has a character that cannot be stored (U+0000, or half of a surrogate pair), or an id is none.';

/** Maps a thrown error to an API error: a refusal, input that cannot be stored, a start in progress, or a bug. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DatabaseNotReady) return new ApiError('unavailable', { retryAfterSeconds: 5 });
    if ('code' in cause && UNSTORABLE.has(String(cause.code)))
      return new ApiError('malformed', { detail: UNSTORABLE_DETAIL });
  }
  return new ApiError('internal');
}

export function errorBody(code: ErrorCode, requestId: string, fields?: Record<string, string[]>) {
  return {
    message: ERROR_MESSAGE[code],
    status: 'error',
    code,
    requestId,
    ...(fields && { errors: fields }),
  };
}
