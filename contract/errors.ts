import { z } from 'zod';

/** Every error the host can return, with its HTTP status (RFC 9110), which is set nowhere else. */
export const ERROR_STATUS = {
  malformed: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  subscription_required: 402,
  forbidden: 403,
  origin_not_allowed: 403,
  not_found: 404,
  code_private: 404,
  code_unknown: 404,
  code_deleted: 404,
  code_blocked: 404,
  code_circular: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  count_differs: 409,
  rotated_recently: 409,
  webhook_limit: 409,
  idempotency_running: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_type: 415,
  idempotency_mismatch: 422,
  file_unreadable: 422,
  invalid: 422,
  too_many: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Fixed texts; exception messages are never exposed. */
export const ERROR_MESSAGE: Record<ErrorCode, string> = {
  malformed: 'The request could not be read.',
  unauthenticated: 'Expired JWT Token',
  invalid_credentials: 'Invalid credentials.',
  subscription_required: 'A running subscription is needed for this.',
  forbidden: 'This is not allowed.',
  origin_not_allowed: 'This key does not name the origin of this page.',
  not_found: 'Not found.',
  code_private: 'This code is private.',
  code_unknown: 'This code does not exist.',
  code_deleted: 'This code was deleted.',
  code_blocked: 'This code was blocked.',
  code_circular: 'This code leads back to itself.',
  method_not_allowed: 'There is no such method at this address.',
  request_timeout: 'The request took too long to arrive.',
  conflict: 'This was changed or used already.',
  count_differs: 'More or fewer codes match than expected.',
  rotated_recently: 'The secret was replaced less than 24 hours ago.',
  webhook_limit: 'There are as many webhooks already as an account may have.',
  idempotency_running: 'A request with this idempotency key is still running.',
  precondition_failed: 'This was changed since it was read.',
  too_large: 'The request is too large.',
  unsupported_type: 'The body has a content type that is not read here.',
  idempotency_mismatch: 'This idempotency key was used for another request.',
  file_unreadable: 'No file of this code was read back.',
  invalid: 'Some fields need another look.',
  too_many: 'More than 1,000 codes match.',
  rate_limited: 'Too many attempts. Please wait a moment.',
  internal: 'Something went wrong on our side.',
  unavailable: 'The service is not available right now.',
};

/**
 * Error envelope. `errors` contains message codes by field name, some with a value behind a colon, such as
 * `address_meant:https://example.com`; `code` is an `ErrorCode`.
 */
export const ErrorBody = z.object({
  message: z.string(),
  status: z.string().default('error'),
  code: z.union([z.string(), z.number()]).optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  requestId: z.string().optional(),
});

/** What a program, or who writes it, can do; others than these say all in their title. */
const DETAILS: Partial<Record<ErrorCode, string>> = {
  malformed: 'The body is not valid JSON or not a valid form, or a header is malformed.',
  unauthenticated: 'Send "Authorization: Bearer qdr_…" with a key that is neither revoked nor past its end.',
  forbidden: 'This key may not make this call: it may only read, or is limited to a tag.',
  origin_not_allowed:
    'A web page called with a key that does not name its origin. Make a key that names it, or call from a server, without the header Origin.',
  subscription_required:
    'The account has no running subscription. Reading codes, and deleting them, needs none.',
  not_found: 'There is nothing with this id or at this address that the key finds.',
  method_not_allowed: 'The header Allow says which methods there are.',
  conflict: 'It was changed meanwhile, or what it is about is gone: read it again.',
  count_differs: 'Nothing was done. How many match now is in "errors".',
  rotated_recently:
    'Receivers need the present and the earlier secret for a day. Wait for as many seconds as Retry-After says.',
  webhook_limit: 'Delete one of the 10 that is no longer needed.',
  idempotency_running: 'Send the request again later: it then gets the response of the first one.',
  idempotency_mismatch: 'Use a new Idempotency-Key for every request; repeat a request without changing it.',
  precondition_failed: 'Read it again, and send the ETag of that response as If-Match.',
  file_unreadable:
    'Every file is read by decoders before it is handed out, and this one was not read. The reasons are in "errors".',
  unsupported_type:
    'Send JSON as application/json, and forms with a file as multipart/form-data, without a compression.',
  invalid: 'Every mistake is in "errors".',
  too_many: 'Send "part" to get them in parts, or a filter that fewer match.',
  rate_limited: 'Wait for as many seconds as Retry-After says.',
};
const TITLES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'A valid API key is needed.',
};

/** The title and the detail of a problem document, always in English. */
export function problemTexts(code: ErrorCode): { title: string; detail: string } {
  const title = TITLES[code] ?? ERROR_MESSAGE[code];
  return { title, detail: DETAILS[code] ?? title };
}

/**
 * Error of a call below `PUBLIC_API` (RFC 9457). `errors` has every mistake: `pointer` is a JSON Pointer into the body,
 * or `?` and the name of a parameter, or empty if a mistake concerns several fields; `code` is a message code.
 */
export const Problem = z.object({
  type: z.url(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  requestId: z.string(),
  errors: z.array(z.object({ pointer: z.string(), code: z.string(), message: z.string() })),
});
export type Problem = z.infer<typeof Problem>;

/** Media type of problem documents. */
export const PROBLEM_TYPE = 'application/problem+json';

export function problemOf(
  code: ErrorCode,
  { publicUrl, requestId, errors = [] }: { publicUrl: string; requestId: string; errors?: Problem['errors'] },
): Problem {
  const type = `${publicUrl}/developers/errors#${code}`;
  return { type, ...problemTexts(code), status: ERROR_STATUS[code], code, requestId, errors };
}

const OAUTH_ERRORS: Partial<Record<ErrorCode, string>> = {
  internal: 'server_error',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
};

/** Error of an endpoint of OAuth, as its clients read it (RFC 6749, section 5.2; RFC 7591, section 3.2.2). */
export function oauthErrorOf(code: ErrorCode, detail = ERROR_MESSAGE[code]) {
  return { error: OAUTH_ERRORS[code] ?? 'invalid_request', error_description: detail };
}

/** The challenge to a program whose token, if it sent one, is not valid; it names where to ask for one (RFC 9728, section 5.1). */
export function bearerChallenge(publicUrl: string, resource: string, token: string | undefined): string {
  const metadata = metadataOf(publicUrl, resource);
  return token === undefined ? `Bearer ${metadata}` : `Bearer error="invalid_token", ${metadata}`;
}

/** The same for a key or a token that lacks a permission (RFC 6750 §3.1). */
export function scopeChallenge(publicUrl: string, resource: string, scope: string): string {
  const metadata = metadataOf(publicUrl, resource);
  return `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`;
}

function metadataOf(publicUrl: string, resource: string): string {
  return `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource${resource}"`;
}
