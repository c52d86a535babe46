import { z } from 'zod';
import { type Call, Cursor, cursorOf, listOf, Pagination, PUBLIC_API } from '#contract/call';
import type { ErrorCode } from '#contract/errors';
import { OwnerProof } from '#contract/second-factor';
import { strictly } from '#contract/strictly';

/** Errors of every call that keys may make, in addition to those it declares. */
const KEY_ERRORS: ErrorCode[] = ['unauthenticated', 'forbidden', 'origin_not_allowed', 'rate_limited'];
const ONCE_ERRORS: ErrorCode[] = ['malformed', 'idempotency_running', 'idempotency_mismatch'];

/** Whether a path is for programs, which get other errors and headers. */
export function isPublicPath(path: string): boolean {
  return path.startsWith(`${PUBLIC_API}/`);
}

/** Whether a call exists only for programs. */
export function isOnlyPublic(call: Call): boolean {
  return isPublicPath(call.path);
}

/** A POST that makes something: it can be tried with `dry_run`. */
export function isCreation(call: Call): boolean {
  return call.method === 'POST' && call.status === 201;
}

/** Whether a call takes an `Idempotency-Key`: each POST that changes something. */
export function isDoneOnce(call: Call): boolean {
  return call.method === 'POST' && !call.safe;
}

/** A call as programs make it, with cursors for pages; null if it has no public path. */
export function publishedCall(call: Call): Call | null {
  const path = isOnlyPublic(call) ? call.path : call.publicPath;
  if (path === undefined) return null;
  const errors = new Set([
    ...call.errors,
    ...KEY_ERRORS,
    ...(isDoneOnce(call) ? ONCE_ERRORS : []),
    ...(call.versions?.includes('If-Match') ? (['precondition_failed'] as const) : []),
  ]);
  const { body, form, ...others } = call;
  return {
    ...others,
    ...bodyOf(body),
    ...(form && { form: strictly(form) }),
    name: isOnlyPublic(call) ? call.name : `${call.name}WithKey`,
    path,
    errors: [...errors],
    query: queryOf(call),
    ...(call.response && { response: publicResponse(call.response) }),
  };
}

/** Without what proves an owner: programs have a key in its place. Fields that it does not have are refused. */
function bodyOf(body: z.ZodType | undefined): { body?: z.ZodType } {
  if (!body) return {};
  if (!(body instanceof z.ZodObject && 'currentPassword' in body.shape)) return { body: strictly(body) };
  const sent = body.omit(PROOF);
  return Object.keys(sent.shape).length > 0 ? { body: strictly(sent) } : {};
}

const PROOF = Object.fromEntries(Object.keys(OwnerProof.shape).map((name) => [name, true])) as Record<
  keyof typeof OwnerProof.shape,
  true
>;

const DryRun = z
  .stringbool('dry_run_invalid')
  .meta({ enum: ['true', 'false'], description: 'Whether the request is only checked, and nothing is made.' })
  .default(false);

/** Parameters that are unknown or cannot be read are refused. */
function queryOf(call: Call): z.ZodType {
  if (isCreation(call)) return z.strictObject({ dry_run: DryRun });
  if (!call.query) return z.strictObject({});
  if (!(call.query instanceof z.ZodObject && 'page' in call.query.shape)) return strictly(call.query);
  const { page: _, ...others } = call.query.shape as Record<string, z.ZodType>;
  const uncaught = Object.entries(others).map(([name, field]) => [name, withoutCatch(field)]);
  const query = z.strictObject({ ...Object.fromEntries(uncaught), cursor: Cursor.default(1) });
  return query.transform(({ cursor, ...others }) => ({ ...others, page: cursor }));
}

/** With its fallback only if it is absent. */
function withoutCatch(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodCatch ? (field.unwrap() as z.ZodType).default(field.parse(undefined)) : field;
}

/** Lists look the same everywhere, short ones too; what is no page of a list keeps its `meta`. */
function publicResponse(response: z.ZodType): z.ZodType {
  if (response instanceof z.ZodArray) return listOf(response.element as z.ZodType);
  const shape = response instanceof z.ZodObject ? response.shape : {};
  if (!(shape.data instanceof z.ZodArray) || 'nextCursor' in shape) return response;
  const { data, meta, ...others } = shape;
  const isWhole = meta instanceof z.ZodObject && !('page' in meta.shape);
  return listOf(data.element as z.ZodType).extend({ ...others, ...(isWhole && { meta }) });
}

type Body = Record<string, unknown>;

/** The body of a success as programs get it: see `publicResponse`. */
export function publicBody(body: Body | unknown[]): Body {
  const whole = { hasMore: false, nextCursor: null };
  if (Array.isArray(body)) return { data: body, ...whole };
  if (!Array.isArray(body.data) || 'nextCursor' in body) return body;
  const { meta, ...others } = body;
  const pages = Pagination.safeParse(meta).data;
  if (!pages) return { ...body, ...whole };
  const hasMore = pages.page * pages.limit < pages.total;
  return { ...others, hasMore, nextCursor: hasMore ? cursorOf(pages.page + 1) : null };
}
