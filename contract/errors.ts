import { z } from 'zod';

/** Every error the host can return, with its HTTP status (RFC 9110), which is set nowhere else. */
export const ERROR_STATUS = {
  malformed: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  subscription_required: 402,
  forbidden: 403,
  not_found: 404,
  code_private: 404,
  code_unknown: 404,
  code_deleted: 404,
  code_blocked: 404,
  code_circular: 404,
  request_timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  invalid: 422,
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
  not_found: 'Not found.',
  code_private: 'This code is private.',
  code_unknown: 'This code does not exist.',
  code_deleted: 'This code was deleted.',
  code_blocked: 'This code was blocked.',
  code_circular: 'This code leads back to itself.',
  request_timeout: 'The request took too long to arrive.',
  conflict: 'This was changed or used already.',
  too_large: 'The request is too large.',
  unsupported_type: 'The body has a content type that is not read here.',
  invalid: 'Some fields need another look.',
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
