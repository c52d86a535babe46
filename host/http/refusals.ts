import type { Context } from 'hono';
import type { Logger } from 'pino';
import { type Call, Id } from '#contract/call';
import { ApiError } from '#host/http/errors';
import type { Caller } from '#host/http/mount';

const MOST_CHARACTERS = 100;

interface RefusedCall {
  call: Call;
  caller: Caller | undefined;
  /** Of the code that figures are asked of, in the query or the body; whatever is no id is left out of the log. */
  code: unknown;
  context: Context;
  log: Logger;
  /** IP address of the client. */
  clientIp: string;
}

/**
 * One log line for each refused authorisation (OWASP ASVS 5.0, 16.3.2), with the request id of its logger: a token that
 * does not hold, a subscription that is over, or something that is not there or somebody else's, which are one answer.
 */
export function auditRefusal(
  thrown: unknown,
  { call, caller, code, context, log, clientIp }: RefusedCall,
): void {
  if (!(thrown instanceof ApiError)) return;
  const named = namedIn(context, code);
  const isAboutSomething = call.access !== 'public' && Object.keys(named).length > 0;
  const isRefusal =
    ['unauthenticated', 'subscription_required', 'forbidden'].includes(thrown.code) ||
    (thrown.status === 404 && isAboutSomething);
  if (!isRefusal) return;
  const who = caller ? { account: caller.accountId, session: caller.sessionId } : thrown.holder;
  log.info(
    { audit: 'access_refused', reason: thrown.code, call: call.name, ...who, ...named, clientIp },
    'audit',
  );
}

/** What a call is about; anything may stand there. */
function namedIn(context: Context, code: unknown): { asked?: Record<string, string> } {
  const id = Id.safeParse(code).data;
  const asked = Object.entries({ ...context.req.param(), ...(id && { code: id }) });
  if (asked.length === 0) return {};
  return { asked: Object.fromEntries(asked.map(([name, value]) => [name, value.slice(0, MOST_CHARACTERS)])) };
}
