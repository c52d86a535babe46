import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { AppLoadContext } from '@remix-run/node';
import { CLIENT_IP_HEADER, INTERNAL_KEY_HEADER, isInternalKey } from '#contract/internal-key';
import type { Locale } from '~/i18n/locales';
import { env } from './env.server';
import type { Theme } from './theme.server';

/** The request and context that Remix hands to a loader or an action. */
export interface RequestContext {
  request: Request;
  context: AppLoadContext;
}

/** What belongs to one request of the browser, shared by all its loaders, its action and the rendering. */
export interface Scope {
  requestId: string;
  clientIp: string;
  /** Text fields posted with this request, so that a page about a failure can offer to send them again. */
  submitted?: [name: string, value: string][];
  /** What was read of the account, by call; forgotten as soon as the host is asked to change something. */
  reads?: Map<string, Promise<unknown>> | undefined;
  /** When the answer must be there, on the clock of `performance`; set by the first call of the host. */
  deadline?: number;
  /** Values in this page that no other answer may carry, such as the key of a form. */
  once?: string[];
  /** Language of the answer, known once a form was read. */
  locale?: Locale;
  /** What was chosen by a button that sends a page's form along with it, so that the page comes back with the form filled in but not validated. */
  switched?: { locale?: Locale; theme?: Theme };
  /** True once a chosen file came along with such a switch: no page can put it back into its form. */
  lostFile?: boolean;
  /** True for a page that nobody else is ever shown, so that it is not kept to be shown again. */
  isPersonal?: boolean;
  /** How long whoever is refused has to wait, where that is known. */
  retryAfterSeconds?: number;
  /** True once the action refused the form, for the title of the page. */
  failed?: boolean;
}

// remix-serve makes one fresh context object per request and hands the same one to everything that serves it.
const scopes = new WeakMap<AppLoadContext, Scope>();

export function scopeOf({ request, context }: RequestContext): Scope {
  let scope = scopes.get(context);
  if (!scope) {
    scope = { requestId: readRequestId(request) ?? randomUUID(), clientIp: clientIpOf(request) };
    scopes.set(context, scope);
  }
  return scope;
}

function readRequestId(request: Request): string | null {
  const given = request.headers.get('x-request-id');
  return given && /^[\w-]{8,64}$/.test(given) ? given : null;
}

/** As the gateway names it, else what the trusted proxy wrote last into its header, else the socket's. */
function clientIpOf({ headers }: Request): string {
  const isFromGateway = isInternalKey(headers.get(INTERNAL_KEY_HEADER) ?? undefined, env.internalKeys);
  const named =
    (isFromGateway && headers.get(CLIENT_IP_HEADER)) ||
    (env.TRUST_PROXY && headers.get(env.TRUST_PROXY)?.split(',').at(-1)?.trim());
  return named && isIP(named) ? named : (headers.get('x-socket-address') ?? '');
}
