import { z } from 'zod';
import type { ErrorCode } from './errors';
import { LOCALE_CODES } from './locales';

/** Who may make a call: anyone, a signed-in account, or an account whose paid or trial time is running. */
export type Access = 'public' | 'user' | 'subscriber';

/** What an API key may do; `change` includes `read`. */
export type KeyPermission = 'read' | 'change';

export type MediaType = 'text/csv' | 'image/png' | 'image/jpeg' | 'image/svg+xml' | 'application/pdf';

/** Calls below it are for API keys only. */
export const PUBLIC_API = '/api/v1';

/** One call of the host's API. `path` is written as in OpenAPI: `/api/qrcodes/{id}`. */
export interface Call {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: `/${string}`;
  summary: string;
  access: Access;
  /** Which API keys may make it: all, or those that may change things; none if absent. */
  key?: KeyPermission;
  /** Changes what does not belong to a code: refused to keys that are limited to a tag. */
  wholeAccount?: true;
  /** Where programs with a key find it. A call whose `path` begins like this exists only there. */
  publicPath?: `${typeof PUBLIC_API}/${string}`;
  /** A POST that changes nothing (RFC 9110, section 9.2.1) and is one only to keep its query out of the URL. */
  safe?: true;
  params?: z.ZodType;
  query?: z.ZodType;
  /** JSON body. */
  body?: z.ZodType;
  /** multipart/form-data body; text parts are strings, files are `File`. */
  form?: z.ZodType;
  /** Largest body in bytes; 64 kB when absent. */
  maxBodyBytes?: number;
  /** The whole JSON body of a success; undefined if the response is not JSON (an image, a redirect). */
  response?: z.ZodType;
  /** Of a response that is not JSON, if programs may make the call. */
  mediaType?: MediaType | readonly MediaType[];
  /** The website answers it, as it draws; the host only describes it. */
  answeredBy?: 'website';
  /** Its response has the `ETag` of a code, or it takes one as `If-Match`. */
  versions?: readonly ('ETag' | 'If-Match')[];
  /** Of a creation: what a dry run tells of what would be made. */
  trial?: z.ZodObject;
  /** Status of a success; 200 when absent. */
  status?: 200 | 201 | 202 | 204 | 302;
  errors: readonly ErrorCode[];
}

/** Declares a call and keeps its exact types for host and website. */
export function call<const C extends Call>(declared: C): C {
  return declared;
}

export type Params<C extends Call> = C extends { params: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;
export type Query<C extends Call> = C extends { query: infer S extends z.ZodType } ? z.output<S> : undefined;
export type Body<C extends Call> = C extends { body: infer S extends z.ZodType } ? z.output<S> : undefined;
export type Form<C extends Call> = C extends { form: infer S extends z.ZodType } ? z.output<S> : undefined;
export type ResponseOf<C extends Call> = C extends { response: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** Success envelope `{ data }`. */
export function dataOf<S extends z.ZodType>(schema: S) {
  return z.object({ data: schema });
}

/** Success envelope of a list: `{ data: [...], meta: { page, limit, total } }`. */
export function pageOf<S extends z.ZodType>(schema: S) {
  return z.object({ data: z.array(schema), meta: Pagination });
}

/** A part of a list of a call below `PUBLIC_API`: `nextCursor` leads to the next one, and is null in the last. */
export function listOf<S extends z.ZodType>(schema: S) {
  return z.object({ data: z.array(schema), hasMore: z.boolean(), nextCursor: z.string().nullable() });
}

/** The largest `integer` of PostgreSQL. */
const MAX_INTEGER = 2_147_483_647;

/** An opaque cursor of a list, which holds a positive integer. */
function cursorUpTo(largest: number) {
  return z.string().transform((text, context) => {
    const [, digits] = /^c([1-9]\d{0,15})$/.exec(atobOrEmpty(text)) ?? [];
    const position = Number(digits);
    if (position <= largest) return position;
    context.addIssue({ code: 'custom', message: 'cursor_invalid' });
    return z.NEVER;
  });
}

export const Cursor = cursorUpTo(MAX_INTEGER);
/** Of what is numbered for all accounts together, in a `bigint`. */
export const LongCursor = cursorUpTo(Number.MAX_SAFE_INTEGER);

export function cursorOf(position: number): string {
  return btoa(`c${position}`).replaceAll('=', '');
}

/** What programs send with a list: how much of it, and where to go on. */
export const ListQuery = listQuery(Cursor);

/** The same with cursors of another kind. */
export function listQuery<const C extends z.ZodType>(cursor: C) {
  return z.object({
    limit: pageLimit('limit_invalid').default(20).describe('Most entries in the answer.'),
    cursor: cursor.optional().describe('As it came in `nextCursor`; absent for the first part.'),
  });
}

/** How many entries a page has. */
export function pageLimit(message?: string) {
  return z.coerce.number(message).int(message).min(1, message).max(100, message);
}

function atobOrEmpty(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}

export const Pagination = z.object({
  page: z.int().min(1),
  limit: z.int().min(1),
  total: z.int().min(0),
});

/** Success without data; `message` is a code that the website translates. */
export const Done = z.object({ status: z.literal('success'), message: z.string() });

/** The same with a fixed message, whose name the website uses for its text. */
export function doneAs<const Message extends string>(message: Message) {
  return Done.extend({ message: z.literal(message) });
}

export function done<const Message extends string>(message: Message) {
  return { status: 'success' as const, message };
}

export const Id = z.uuid();
export const LocaleCode = z.enum(LOCALE_CODES, 'locale_unknown');
/** Idempotency key of a form, which takes effect once if sent twice. */
export const FormKey = z.string().regex(/^[\w-]{1,100}$/);
/** RFC 3339 in UTC. */
export const IsoDateTime = z.iso.datetime();
/** RFC 3339 with any offset, as sent; read in UTC. */
export const Moment = z.iso
  .datetime({ offset: true, error: 'moment_invalid' })
  .transform((moment) => new Date(moment).toISOString())
  .pipe(z.iso.datetime('moment_invalid'));
