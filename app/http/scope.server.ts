import { randomUUID } from 'node:crypto';
import type { AppLoadContext } from '@remix-run/node';
import { RemixI18Next } from 'remix-i18next/server';
import { DEFAULT_LOCALE, isLocale, LOCALE_CODES, type Locale } from '#contract/locales';
import { preferredLocale } from '#runtime/accept-language';
import {
  createProxyCheck,
  resolveClientIp,
  resolveCountry,
  type TrustedSenders,
} from '#runtime/client-address';
import { REQUEST_ID_HEADER, resolveRequestId } from '#runtime/request-id';
import { isDataRequest } from './data-request.server';
import { env } from './env.server';
import { signalOf } from './pass-body.server';
import { isLive, readSession, type Session } from './session.server';
import { readTheme, type Theme } from './theme.server';
import { readVisitor, type Visitor } from './visitor.server';

/** The request and context that Remix hands to a loader or an action. */
export interface RequestArgs {
  request: Request;
  context: AppLoadContext;
}

/** One request of the browser, read once and shared by its loaders, its action and the rendering. */
export interface Scope extends Readonly<RequestArgs> {
  readonly url: URL;
  readonly requestId: string;
  readonly clientIp: string;
  /** Aborted when the response has ended or the browser has disconnected; use it instead of the request's own. */
  readonly signal: AbortSignal;
  /** Whether the router requests data, rather than the browser a document. */
  readonly isDataRequest: boolean;
  readonly locale: Locale;
  readonly theme: Theme;
  /** The session, expired or not; `'broken'` if its cookie is invalid, null if there is none. */
  readonly session: Session | 'broken' | null;
  /** The session if signed in, null otherwise. */
  readonly user: Session | null;
  readonly visitor: Visitor;
  /** Text fields posted with this request, so that a page about a failure can offer to send them again. */
  submitted?: [name: string, value: string][];
  /** Data of the account read so far, by call; cleared by any call that may change something. */
  reads?: Map<string, Promise<unknown>> | undefined;
  /** Set for a program, which has a key or an access token for this in place of a session. */
  program?: 'api' | 'mcp';
  /** Whether a call of this program has counted against its limit: further ones for its request do not. */
  isCounted?: boolean;
  /** When calls to the host time out, in ms as `performance.now()`; set by the first call. */
  deadline?: number;
  /** Values that only this response may contain. */
  once?: OneTimeValue[];
  /** Chosen by a switch that submitted the page's form too; the form returns as typed, unvalidated. */
  switched?: { locale?: Locale; theme?: Theme };
  /** Message codes by field, as the form showed them when it was submitted by such a switch. */
  shownErrors?: Record<string, string[]> | undefined;
  /** Id of the posted form, if it has one. */
  formId?: string | undefined;
  /** True if a file was posted with such a switch: no page can put it back into its form. */
  lostFile?: boolean;
  /** True for a page that only this visitor may see, so that it is not cached. */
  isPersonal?: boolean;
  /** How long a refused client has to wait, if known. */
  retryAfterSeconds?: number;
  /** True if the form was refused, which the title of the page says. */
  failed?: boolean | Promise<boolean>;
}

/** The idempotency key of a form, for example. */
export interface OneTimeValue {
  value: string;
  /** Makes the value of another response; without it, only a loader can. */
  renew?: () => string;
}

/** The request of a signed-in user. */
export type UserScope = Scope & { readonly user: Session };

export function isSignedIn(scope: Scope): scope is UserScope {
  return scope.user !== null;
}

/** A key with which a form of the page takes effect once. */
export function newFormKey(scope: Scope): string {
  const value = randomUUID();
  scope.once = [...(scope.once ?? []), { value, renew: randomUUID }];
  return value;
}

// remix-serve creates one context object per request and passes it to everything that handles the request.
const scopes = new WeakMap<AppLoadContext, Promise<Scope>>();

export function readScope({ request, context }: RequestArgs): Promise<Scope> {
  const scope = scopes.get(context) ?? scopeOf({ request, context });
  scopes.set(context, scope);
  return scope;
}

async function scopeOf({ request, context }: RequestArgs): Promise<Scope> {
  const signal = signalOf(request);
  const [locale, session, visitor] = await Promise.all([
    getLocale(request),
    readSession(request),
    readVisitor(request),
  ]);
  return {
    request,
    context,
    url: new URL(request.url),
    requestId: resolveRequestId(request.headers.get(REQUEST_ID_HEADER)),
    clientIp: clientIpOf(request),
    signal,
    isDataRequest: isDataRequest(request),
    locale,
    theme: readTheme(request),
    session,
    user: isLive(session) ? session : null,
    visitor,
  };
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

/** ISO 3166-1 code of the visitor's country; empty if the proxy does not know it, null if it says nothing. */
export function countryOf({ headers }: Request): string | null {
  return resolveCountry(headers.get('x-socket-address') ?? '', (name) => headers.get(name), trustedSenders);
}

const detector = new RemixI18Next({
  detection: {
    supportedLanguages: [...LOCALE_CODES],
    fallbackLanguage: DEFAULT_LOCALE,
    order: ['custom'],
    findLocale: async (request) => findLocale(request),
  },
});

/** `?lng=`, then the saved locale, then the browser's languages in their order, then the default. */
async function getLocale(request: Request): Promise<Locale> {
  const locale = await detector.getLocale(request);
  return isLocale(locale) ? locale : DEFAULT_LOCALE;
}

function findLocale({ url, headers }: Request): Locale {
  const requested = new URL(url).searchParams.get('lng');
  if (isLocale(requested)) return requested;
  return preferredLocale(headers.get('cookie') ?? '', headers.get('accept-language') ?? undefined);
}
