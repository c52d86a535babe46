import type { Context } from 'hono';
import type { Call } from '#contract/call';
import type { Caller } from './caller';
import { ApiError } from './errors';
import {
  claimRequest,
  fingerprintOf,
  type Once,
  readIdempotencyKey,
  releaseRequest,
  storeAnswer,
} from './idempotency';
import { CALLS_PER_KEY, type PublicApi } from './key-calls';
import { isCreation, isDoneOnce, publicBody } from './published';
import type { RateUsage } from './rate-limit';
import { headerOf } from './request-headers';

/** A request after its checks, whichever call it is of. */
export interface AnyInput {
  caller: Caller | undefined;
  params?: unknown;
  query?: unknown;
  body?: unknown;
  form?: unknown;
  context: Context;
  isTrial: boolean;
  once: string | null;
}

type Handle = (input: never) => Promise<unknown>;

/** Answers a call of a program: lists with cursors; changes once, or only tried. */
export async function answerProgram(
  api: PublicApi,
  call: Call,
  handle: Handle,
  input: AnyInput,
): Promise<Response> {
  const { context, query } = input;
  const act = async (details: Partial<AnyInput>) => handle({ ...input, ...details } as never);
  const status = call.status === 201 ? 201 : 200;
  if (!isDoneOnce(call)) return respond(context, await act({}), status);
  const idempotencyKey = readIdempotencyKey(headerOf(context, 'idempotency-key'));
  if (isCreation(call) && (query as { dry_run?: boolean }).dry_run) {
    const tried = (await act({ isTrial: true })) as { data?: unknown };
    return context.json({ data: null, dryRun: true, ...call.trial?.parse(tried.data) });
  }
  if (idempotencyKey === undefined) return respond(context, await act({}), status);
  const { params, body, form } = input;
  const fingerprint = await fingerprintOf({ params, body, form });
  const once = { keyId: input.caller?.key?.id ?? '', path: context.req.path, idempotencyKey, fingerprint };
  return actOnce(api, { once, context, status }, (name) => act({ once: name }));
}

async function actOnce(
  { orm, now, seal, unseal }: PublicApi,
  { once, context, status }: { once: Once; context: Context; status: 200 | 201 },
  act: (name: string) => Promise<unknown>,
): Promise<Response> {
  const owner = `answer:${once.keyId} ${once.path}`;
  const claimed = await claimRequest(orm, once, now());
  if ('answer' in claimed) {
    const { body, etag } = claimed.answer;
    if (etag !== null) context.header('ETag', etag);
    context.header('Idempotent-Replayed', 'true');
    return context.body(unseal(body, owner), status, { 'Content-Type': 'application/json' });
  }
  let result: unknown;
  try {
    result = await act(claimed.name);
  } catch (thrown) {
    // After any other error it may have taken effect: tried again with the same name, it does not do so twice.
    if (thrown instanceof ApiError) await releaseRequest(orm, once);
    throw thrown;
  }
  const response = respond(context, result, status);
  const answer = {
    status: response.status,
    body: seal(await response.clone().text(), owner),
    etag: response.headers.get('ETag'),
  };
  await storeAnswer(orm, once, answer);
  return response;
}

function respond(context: Context, result: unknown, status: 200 | 201): Response {
  if (result instanceof Response) return result;
  const body = publicBody(result as Record<string, unknown>);
  if (typeof body.nextCursor === 'string' && context.req.method === 'GET')
    context.header('Link', `<${nextUrl(context, body.nextCursor)}>; rel="next"`);
  return context.json(body, status);
}

/** Relative to the address of the request (RFC 8288, section 3.1). */
function nextUrl(context: Context, cursor: string): string {
  const query = new URLSearchParams(context.req.query());
  query.set('cursor', cursor);
  return `?${query}`;
}

/** Headers of every answer to a program (draft-ietf-httpapi-ratelimit-headers). */
export function setLimitHeaders(headers: Headers, usage: RateUsage | undefined): void {
  const { points, windowSeconds } = CALLS_PER_KEY;
  headers.set('RateLimit-Policy', `"default";q=${points};w=${windowSeconds}`);
  if (usage) headers.append('RateLimit', `"default";r=${usage.remaining};t=${usage.resetSeconds}`);
}
