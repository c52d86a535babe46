import { data } from '@remix-run/node';
import type { z } from 'zod';
import type { Call, ResponseOf } from '#contract/call';
import { ERROR_MESSAGE, ErrorBody } from '#contract/errors';
import { readWhole } from '#runtime/fetch-whole';
import {
  CLIENT_IP_HEADER,
  COUNTED_HEADER,
  INTERNAL_KEY_HEADER,
  RESOURCE_HEADER,
} from '#runtime/internal-key';
import { isUncounted, UNCOUNTED_HEADERS } from '#runtime/uncounted';
import { env } from './env.server';
import { endSession } from './guards.server';
import { HostError } from './host-error.server';
import { log } from './log.server';
import { passBody } from './pass-body.server';
import type { Scope, UserScope } from './scope.server';

/** For all calls of one request together, so that the response takes at most five seconds. */
const HOST_MS = 4_500;
/** For a call with a file, which the host reads in a process that it may have to start first. */
const FILE_MS = 20_000;

/** What a call sends. A call of an account needs a token, which the scope of a signed-in user has. */
type Sent<C extends Call, S extends Scope> = (C extends { params: infer P extends z.ZodType }
  ? { params: z.input<P> }
  : object) &
  (C extends { query: infer Q extends z.ZodType } ? { query?: z.input<Q> } : object) &
  (C extends { body: infer B extends z.ZodType } ? { body: z.input<B> } : object) &
  (C extends { form: z.ZodType } ? { form: FormData } : object) &
  (C['access'] extends 'public'
    ? { token?: string | undefined }
    : S extends UserScope
      ? { token?: string }
      : { token: string });
type SentArgs<C extends Call, S extends Scope> =
  object extends Sent<C, S> ? [sent?: Sent<C, S>] : [sent: Sent<C, S>];

/**
 * Makes one call of the contract and returns its parsed body. Throws `HostError` for a refusal, a redirect to
 * the login page if the token is no longer valid, and a 503 page if the host does not respond in time. If
 * several loaders of a request read the same data of an account, the call is made once.
 */
export async function callHost<const C extends Call, S extends Scope>(
  scope: S,
  call: C,
  ...args: SentArgs<C, S>
): Promise<ResponseOf<C>> {
  const sent = withToken(scope, call, args);
  if (call.method !== 'GET') {
    // Whatever was read before may have changed.
    if (!call.safe) scope.reads = undefined;
    return fetchBody(scope, call, sent);
  }
  if (!sent.token) return fetchBody(scope, call, sent);
  scope.reads ??= new Map();
  const key = JSON.stringify([call.name, sent]);
  const reading = scope.reads.get(key) ?? fetchBody(scope, call, sent);
  scope.reads.set(key, reading);
  return reading as Promise<ResponseOf<C>>;
}

/** The same for calls that return a file: the successful response itself, read in full. */
export async function fetchHost<const C extends Call, S extends Scope>(
  scope: S,
  call: C,
  ...args: SentArgs<C, S>
): Promise<Response> {
  return fetchWhole(scope, call, withToken(scope, call, args));
}

/** The same on behalf of a program: the response as it is, refusals too. Throws if there is none. */
export async function askHost(scope: UserScope, call: Call, sent: LooseSent): Promise<Response> {
  return send(scope, call, withToken(scope, call, [sent]), readWhole);
}

/**
 * The same for responses that take long or never end: only the time until they begin is limited. If the
 * browser disconnects, or `stop` is aborted, the call is aborted too, and the body ends without an error.
 */
export async function streamHost<const C extends Call, S extends Scope>(
  scope: S,
  call: C,
  sent: Sent<C, S>,
  stop?: AbortSignal,
): Promise<Response> {
  const leaving = new AbortController();
  const readIfRefused = async (response: Response, signal: AbortSignal) =>
    response.ok ? response : readWhole(response, signal);
  const full = withToken(scope, call, [sent]);
  const response = await throwIfRefused(scope, full, await send(scope, call, full, readIfRefused, leaving));
  const leave = () => leaving.abort();
  const signals = [scope.signal, ...(stop ? [stop] : [])];
  for (const signal of signals) signal.addEventListener('abort', leave, { once: true });
  if (signals.some(({ aborted }) => aborted)) leave();
  const removeListeners = () => {
    for (const signal of signals) signal.removeEventListener('abort', leave);
  };
  return new Response(
    response.body && passBody(scope.request, response.body, leaving.signal, removeListeners),
    response,
  );
}

function withToken({ user }: Scope, call: Call, [sent = {}]: [LooseSent?]): LooseSent {
  const token = sent.token ?? (call.access === 'public' ? undefined : user?.token);
  return token === undefined ? sent : { ...sent, token };
}

async function fetchBody<const C extends Call>(
  scope: Scope,
  call: C,
  sent: LooseSent,
): Promise<ResponseOf<C>> {
  const response = await fetchWhole(scope, call, sent);
  const body: unknown = await response.json().catch(() => null);
  const parsed = call.response?.safeParse(body);
  if (!parsed?.success) {
    log.error({ call: call.name, err: parsed?.error }, 'the response of the host violates the contract');
    throw unavailable(scope);
  }
  return parsed.data as ResponseOf<C>;
}

async function fetchWhole(scope: Scope, call: Call, sent: LooseSent): Promise<Response> {
  return throwIfRefused(scope, sent, await send(scope, call, sent, readWhole));
}

async function throwIfRefused(scope: Scope, sent: LooseSent, response: Response): Promise<Response> {
  if (response.ok || response.status === 302) return response;
  if (response.status === 401 && sent.token) {
    throw await endSession(scope);
  }
  if (response.status >= 500) throw unavailable(scope);
  const body: unknown = await response.json().catch(() => null);
  const refusal = ErrorBody.safeParse(body).data ?? { message: '', status: 'error' };
  const error = new HostError(response.status, refusal, response.headers.get('retry-after'));
  if (error.retryAfterSeconds) scope.retryAfterSeconds = error.retryAfterSeconds;
  throw error;
}

type LooseSent = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  form?: FormData;
  token?: string | undefined;
  headers?: Record<string, string>;
};

async function send(
  scope: Scope,
  call: Call,
  sent: LooseSent,
  read: (response: Response, signal: AbortSignal) => Promise<Response>,
  abort = new AbortController(),
): Promise<Response> {
  // An invalid parameter cannot name anything, but might turn the path into that of another call.
  if (call.params?.safeParse(sent.params).success === false) {
    throw new HostError(404, { message: ERROR_MESSAGE.not_found, status: 'error', code: 'not_found' });
  }
  const { requestId, clientIp, signal } = scope;
  const hasFile = carriesFile(sent);
  if (hasFile) scope.deadline = performance.now() + FILE_MS;
  scope.deadline ??= performance.now() + HOST_MS;
  const forProgram = programHeaders(scope, sent);
  scope.isCounted ||= RESOURCE_HEADER in forProgram;
  const timer = setTimeout(() => abort.abort(), Math.max(0, scope.deadline - performance.now()));
  const leave = () => abort.abort();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    const response = await fetch(urlOf(scope, call, sent), {
      method: call.method,
      redirect: 'manual',
      signal: abort.signal,
      headers: {
        Accept: 'application/json',
        'X-Request-Id': requestId,
        [CLIENT_IP_HEADER]: clientIp,
        [INTERNAL_KEY_HEADER]: env.internalKeys[0] ?? '',
        ...forProgram,
        ...originOf(scope),
        'User-Agent': scope.request.headers.get('user-agent') ?? '',
        ...(sent.token && { Authorization: `Bearer ${sent.token}` }),
        ...(sent.body !== undefined && { 'Content-Type': 'application/json' }),
        ...sent.headers,
      },
      ...(sent.body !== undefined && { body: JSON.stringify(sent.body) }),
      ...(sent.form && { body: sent.form }),
    });
    return await read(response, abort.signal);
  } catch (error) {
    if (!signal.aborted) log.warn({ call: call.name, requestId, err: error }, 'no response from the host');
    throw unavailable(scope);
  } finally {
    clearTimeout(timer);
    // The time for a file does not count against the other calls.
    if (hasFile) delete scope.deadline;
    signal.removeEventListener('abort', leave);
  }
}

/** Of a page that calls with a key. Assistants are checked where they come in. */
function originOf({ program, request }: Scope): { Origin?: string } {
  const origin = program === 'api' ? request.headers.get('origin') : null;
  return origin === null ? {} : { Origin: origin };
}

/** What is asked for a program; all calls for one request of it count once. */
function programHeaders({ program, isCounted }: Scope, { token }: LooseSent): Record<string, string> {
  if (!program || token === undefined) return {};
  return { [RESOURCE_HEADER]: program, ...(isCounted && { [COUNTED_HEADER]: '1' }) };
}

function carriesFile({ form }: LooseSent): boolean {
  return [...(form?.values() ?? [])].some((value) => typeof value !== 'string');
}

function urlOf({ program }: Scope, call: Call, { params, query, token }: LooseSent): URL {
  // Access tokens are taken below the public path only.
  const declared = program && token !== undefined ? (call.publicPath ?? call.path) : call.path;
  const path = declared.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));
  const url = new URL(path, env.HOST_URL);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** 503 page; after a POST it contains what was typed, so that the form can be sent again from there. */
function unavailable({ submitted, requestId }: Scope) {
  return data({ submitted: submitted ?? null, requestId }, { status: 503, headers: { 'Retry-After': '30' } });
}

/** Whether something was thrown because the host gave no usable response. */
export function isUnavailable(thrown: unknown): boolean {
  const { init } = (thrown ?? {}) as { init?: ResponseInit | null };
  return init?.status === 503;
}

/** Forwards an image from the host; errors keep their status and have no body. */
export async function proxyFile(response: Promise<Response>, cacheControl: string): Promise<Response> {
  try {
    const file = await response;
    return new Response(file.body, {
      headers: {
        'Content-Type': file.headers.get('content-type') ?? 'application/octet-stream',
        'Cache-Control': cacheControl,
        // An SVG opened as a page of its own must not run scripts.
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        ...(isUncounted((name) => file.headers.get(name)) && UNCOUNTED_HEADERS),
      },
    });
  } catch (thrown) {
    if (thrown instanceof HostError) return new Response(null, { status: thrown.status });
    throw thrown;
  }
}
