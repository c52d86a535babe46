import type { AppLoadContext } from '@remix-run/node';
import type { Locale } from '#contract/locales';
import {
  createProxyCheck,
  resolveClientIp,
  resolveCountry,
  type TrustedSenders,
} from '#runtime/client-address';
import { REQUEST_ID_HEADER, resolveRequestId } from '#runtime/request-id';
import { env } from './env.server';
import { signalOf } from './pass-body.server';
import type { Theme } from './theme.server';

/** The request and context that Remix hands to a loader or an action. */
export interface RequestContext {
  request: Request;
  context: AppLoadContext;
}

/** State of one request of the browser, shared by its loaders, its action and the rendering. */
export interface Scope {
  requestId: string;
  clientIp: string;
  /** Aborted when the response has ended or the browser has disconnected; use it instead of the request's own. */
  signal: AbortSignal;
  /** Text fields posted with this request, so that a page about a failure can offer to send them again. */
  submitted?: [name: string, value: string][];
  /** Data of the account read so far, by call; cleared by any call that may change something. */
  reads?: Map<string, Promise<unknown>> | undefined;
  /** When calls to the host time out, in ms as `performance.now()`; set by the first call. */
  deadline?: number;
  /** Values that only this response may contain, such as the idempotency key of a form. */
  once?: string[];
  /** Language of the response, known once a form was read. */
  locale?: Locale;
  /** Chosen by a switch that submitted the page's form too; the form returns as typed, unvalidated. */
  switched?: { locale?: Locale; theme?: Theme };
  /** True if a file was posted with such a switch: no page can put it back into its form. */
  lostFile?: boolean;
  /** True for a page that only this visitor may see, so that it is not cached. */
  isPersonal?: boolean;
  /** How long a refused client has to wait, if known. */
  retryAfterSeconds?: number;
  /** True if the action refused the form, which the title of the page says. */
  failed?: boolean;
}

// remix-serve creates one context object per request and passes it to everything that handles the request.
const scopes = new WeakMap<AppLoadContext, Scope>();

export function scopeOf({ request, context }: RequestContext): Scope {
  let scope = scopes.get(context);
  if (!scope) {
    scope = {
      requestId: resolveRequestId(request.headers.get(REQUEST_ID_HEADER)),
      clientIp: clientIpOf(request),
      signal: signalOf(request),
    };
    scopes.set(context, scope);
  }
  return scope;
}

/** Who is trusted to name a visitor's IP address and country. */
export const trustedSenders: TrustedSenders = {
  internalKeys: env.internalKeys,
  isProxy: createProxyCheck(env.TRUSTED_PROXIES),
  trustProxy: env.TRUST_PROXY,
  countryHeader: env.COUNTRY_HEADER,
};

function clientIpOf({ headers }: Request): string {
  return resolveClientIp(headers.get('x-socket-address') ?? '', (name) => headers.get(name), trustedSenders);
}

/** ISO 3166-1 code of the visitor's country; empty if unknown. */
export function countryOf({ headers }: Request): string {
  return resolveCountry(headers.get('x-socket-address') ?? '', (name) => headers.get(name), trustedSenders);
}
