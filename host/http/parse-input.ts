import type { z } from 'zod';
import type { ErrorCode } from '#contract/errors';
import { ApiError, type Mistake } from './errors';
import { expectationOf } from './expectations';

/** Throws what is wrong with a value; `start` is where pointers to mistakes begin. */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: ErrorCode,
  start = '/',
): z.output<S> {
  const parsed = tryParse(schema, value);
  if (parsed.success) return parsed.data;
  if (code !== 'invalid') throw new ApiError(code);
  // Any text may be the name of a field, also `constructor`.
  const fields = new Map<string, string[]>();
  const mistakes: Mistake[] = [];
  for (const { path, code, message } of parsed.error.issues.flatMap((issue) => refusalsOf(issue, start))) {
    const place = path.map(pointerPart).join('/');
    mistakes.push({ pointer: place === '' ? '' : `${start}${place}`, code, ...(message && { message }) });
    // Errors of nested fields, such as those of JSON in a form field, use the nested name.
    const field = String(path.findLast((part) => typeof part === 'string') ?? '');
    fields.set(field, [...new Set([...(fields.get(field) ?? []), code])]);
  }
  throw new ApiError('invalid', { fields: Object.fromEntries(fields), mistakes });
}

/** What an issue refuses: each unknown field by its own name. */
function refusalsOf(
  issue: z.core.$ZodIssue,
  start: string,
): { path: PropertyKey[]; code: string; message?: string | undefined }[] {
  if (issue.code !== 'unrecognized_keys') {
    const code = messageCode(issue);
    const isListed = code === 'invalid' || issue.code === 'invalid_value';
    return [{ path: issue.path, code, message: isListed ? expectationOf(issue) : undefined }];
  }
  return issue.keys.map((key) => {
    const isTrial = start === '?' && key === 'dry_run';
    return { path: [...issue.path, key], code: isTrial ? 'dry_run_unsupported' : 'field_unknown' };
  });
}

/** A step of a JSON Pointer (RFC 6901). */
function pointerPart(part: PropertyKey): string {
  return String(part).replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * Some zod rules access a value before they have checked that it is a string, and an object may have its own `length`
 * or a `toString` that throws: then every field with an object is refused.
 */
function tryParse<S extends z.ZodType>(schema: S, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const objects = Object.entries(value ?? {}).filter(([, field]) => typeof field === 'object');
    throw new ApiError('invalid', {
      fields: Object.fromEntries(objects.map(([name]) => [name, ['invalid']])),
    });
  }
}

/** Schemas contain message codes such as `content_required`; errors without one become `invalid`. */
function messageCode(issue: { message: string }): string {
  return /^[a-z0-9_]+$/.test(issue.message) ? issue.message : 'invalid';
}
