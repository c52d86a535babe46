import { ERROR_MESSAGE, ERROR_STATUS, type ErrorCode } from '#contract/errors';

/** An expected refusal. `fields` holds message codes by field name. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly fields: Record<string, string[]> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    details: { fields?: Record<string, string[]>; retryAfterSeconds?: number } = {},
  ) {
    super(ERROR_MESSAGE[code]);
    this.name = 'ApiError';
    this.code = code;
    this.fields = details.fields;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  get status() {
    return ERROR_STATUS[this.code];
  }
}

/** Refuses one field with one message code. */
export function invalidField(field: string, code: string): ApiError {
  return new ApiError('invalid', { fields: { [field]: [code] } });
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
