import { type Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';
import {
  type Body,
  type Call,
  type Form,
  Id,
  type Params,
  type Query,
  type ResponseOf,
} from '#contract/call';
import { type AnyInput, answerProgram } from '#host/http/answer-program';
import { type Authenticate, bearerOf, type Caller } from '#host/http/caller';
import { ApiError } from '#host/http/errors';
import { authenticateKey, keyOf, type PublicApi, requireWithinTag } from '#host/http/key-calls';
import { parse } from '#host/http/parse-input';
import { isOnlyPublic, isPublicPath, publishedCall } from '#host/http/published';
import type { RateUsage } from '#host/http/rate-limit';
import { bodyLimits, readForm, readJson } from '#host/http/request-body';

export interface HostContext {
  Variables: {
    requestId: string;
    log: Logger;
    clientIp: string;
    /** Name of the call in the contract, once it is known. */
    call?: string;
    /** Set for a visit of which nothing may be kept. */
    isUncounted?: boolean;
    /** What is left of the limit of the API key. */
    usage?: RateUsage;
    /** Of the page that calls, if its API key names it. */
    namedOrigin?: string;
  };
}

interface Input<C extends Call> {
  params: Params<C>;
  query: Query<C>;
  body: Body<C>;
  form: Form<C>;
  caller: C['access'] extends 'public' ? undefined : Caller;
  context: Context<HostContext>;
  log: Logger;
  /** The client's IP address, from a trusted source. */
  clientIp: string;
  /** Whether a creation is only to be checked: nothing may be left of it. */
  isTrial: boolean;
  /** The same for a request that is sent again, as its first answer got lost; null if its sender did not ask for it. */
  once: string | null;
}

/** Returns the JSON body of a success, or a Response if the call is not JSON. */
type Handle<C extends Call> = (input: Input<C>) => Promise<ResponseOf<C> | Response>;

export interface Router {
  app: Hono<HostContext>;
  /** Every call mounted so far, for the OpenAPI document. */
  calls: readonly Call[];
  /**
   * Adds a call to the OpenAPI document only; its route is written by hand, because microseconds matter, or the website
   * answers it.
   */
  document(call: Call): void;
  mount<const C extends Call>(call: C, handle: Handle<C>): void;
}

/**
 * Mounts contract calls on a Hono app: access, input, output, and the OpenAPI entry. Calls with a public path are mounted
 * there as well, for API keys only.
 */
export function createRouter(authenticate: Authenticate, api?: PublicApi): Router {
  const app = new Hono<HostContext>();
  const calls: Call[] = [];

  function document(call: Call): void {
    calls.push(call);
  }

  function mount<const C extends Call>(call: C, handle: Handle<C>): void {
    if (!isOnlyPublic(call)) {
      mountOne(call, async (input) => {
        const result = await handle(input as unknown as Input<C>);
        if (result instanceof Response) return result;
        return input.context.json(result as unknown as object, call.status === 201 ? 201 : 200);
      });
    }
    const published = api && publishedCall(call);
    if (published)
      mountOne(published, (input) => answerProgram(api, published, handle as unknown as Handle<Call>, input));
  }

  function mountOne(call: Call, answer: (input: AnyInput) => Promise<Response>): void {
    document(call);
    app.on(call.method, honoPath(call.path), async (context) => {
      context.set('call', call.name);
      let caller: Caller | undefined;
      let read: { params?: unknown; query?: unknown; body?: unknown } = {};
      try {
        caller = await callerOf(call, context);
        read = await readInput(call, context);
        if (call.access === 'subscriber' && !caller?.isSubscribed)
          throw new ApiError('subscription_required');
        if (api && caller?.tag) await requireWithinTag(api.keys, call, caller, read.params);
        return await answer({
          caller,
          ...read,
          ...scope(context),
          context,
          isTrial: false,
          once: null,
        } as AnyInput);
      } catch (thrown) {
        const { code } = (read.query ?? read.body ?? {}) as { code?: unknown };
        auditRefusal(thrown, { call, caller, code, context, ...scope(context) });
        throw thrown;
      }
    });
  }

  async function callerOf(call: Call, context: Context<HostContext>): Promise<Caller | undefined> {
    const isForPrograms = isPublicPath(call.path);
    if (call.access === 'public' && !isForPrograms) return undefined;
    // Programs have a key or an access token, whatever it looks like; everyone else a session.
    const secret = api && (isForPrograms ? bearerOf(context) : keyOf(context));
    if (secret)
      return authenticateKey(api, call, secret, context, {
        onCount: (usage) => context.set('usage', usage),
        onNamed: (origin) => context.set('namedOrigin', origin),
      });
    if (isForPrograms) throw new ApiError('unauthenticated');
    return authenticate(bearerOf(context));
  }

  return { app, calls, document, mount };
}

function scope(context: Context<HostContext>) {
  return { log: context.get('log'), clientIp: context.get('clientIp') };
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

async function readInput(call: Call, context: Context<HostContext>) {
  const limits = { ...bodyLimits(call.maxBodyBytes), isTyped: isPublicPath(call.path) };
  return {
    params: call.params && parse(call.params, context.req.param(), 'not_found'),
    query: call.query && parse(call.query, context.req.query(), 'invalid', '?'),
    body: call.body && parse(call.body, await readJson(context, limits), 'invalid'),
    form: call.form && parse(call.form, await readForm(context, limits), 'invalid'),
  };
}

const MAX_CHARACTERS = 100;

interface RefusedCall {
  call: Call;
  caller: Caller | undefined;
  /** The requested code of statistics, from the query or the body; anything that is no id is not logged. */
  code: unknown;
  context: Context;
  log: Logger;
  /** IP address of the client. */
  clientIp: string;
}

/**
 * Logs each refused authorisation (OWASP ASVS 5.0, 16.3.2), with the request id of its logger: an invalid token, an
 * ended subscription, or an object that does not exist or belongs to somebody else, which get the same response.
 */
function auditRefusal(thrown: unknown, { call, caller, code, context, log, clientIp }: RefusedCall): void {
  if (!(thrown instanceof ApiError)) return;
  const requested = requestedIds(context, code);
  const namesObject = call.access !== 'public' && Object.keys(requested).length > 0;
  const isRefusal =
    ['unauthenticated', 'subscription_required', 'forbidden', 'origin_not_allowed'].includes(thrown.code) ||
    (thrown.status === 404 && namesObject);
  if (!isRefusal) return;
  const { accountId: account, sessionId: session, key } = caller ?? {};
  const who = key ? { account, key: key.id } : caller ? { account, session } : thrown.holder;
  log.info(
    { audit: 'access_refused', reason: thrown.code, call: call.name, ...who, ...requested, clientIp },
    'audit',
  );
}

/** Records the refusal of a request to a route that is no contract call, by the route's pattern. */
export function auditRefusedRequest(context: Context, reason: string): void {
  const { log, clientIp } = scope(context);
  log.info({ audit: 'access_refused', reason, call: routePath(context), clientIp }, 'audit');
}

/** The path parameters of a call, which may contain anything. */
function requestedIds(context: Context, code: unknown): { requested?: Record<string, string> } {
  const id = Id.safeParse(code).data;
  const ids = Object.entries({ ...context.req.param(), ...(id && { code: id }) });
  if (ids.length === 0) return {};
  return {
    requested: Object.fromEntries(ids.map(([name, value]) => [name, value.slice(0, MAX_CHARACTERS)])),
  };
}
