import type { IncomingMessage } from 'node:http';
import { headerOf } from '../request-target';
import { calledHost, isSameOrigin } from '../same-origin';

/** `visit`, `act`, `beacon`, `api` and `oauth` go to the host, everything else to the website. */
export type Destination = 'visit' | 'act' | 'beacon' | 'api' | 'oauth' | 'website';

/** Calls of programs, with an API key. */
const API = /^\/api\/v1\/[\w./-]*(?:\?.*)?$/;
/** Of these, what the website answers, as it draws. */
const DRAWN = /^\/api\/v1\/codes\/[\w-]+\/file\.(?:svg|png|pdf|jpeg)(?:\?.*)?$/;
const ASSISTANTS = /^\/mcp(?:\?.*)?$/;

/** Requests of programs for access to an account, and the browsers that they send here. */
const OAUTH =
  /^\/(?:oauth\/(?:authorize(?:\/[\w-]{1,100})?|token|revoke|register)|\.well-known\/oauth-(?:authorization-server|protected-resource(?:\/mcp|\/api\/v1)?))(?:\?.*)?$/;

const VISIT = /^\/[rl]\/[\w-]{1,64}(?:\?(.*))?$/i;
const ACT = /^\/e\/[\w-]{1,64}\/[\w-]{1,64}(?:\?.*)?$/;
const BEACON = /^\/b\/[\w-]{1,64}(?:\?.*)?$/;
/** The website's session cookie: only the website can read it, which identifies the owner's visits. */
const SESSION = /(?:^|;\s*)(?:__Host-)?session=[^;\s]/;

/** For operators only, served by each program itself. */
const PRIVATE = /^\/+metrics(?:[/.?;]|$)/i;

/** The website gives up on the host within 5 seconds; pages and files that it renders itself take longer. */
const PAGE_MS = 60_000;
/** A sheet of hundreds of looks is sent when the last one is drawn: as long as browsers wait for it. */
const SHEET_MS = 300_000;
const SHEET = /^\/user\/qrcodes\/sheet\/download(?:\?|$)/;

/** Time limit for the start of the website's response. */
export function websiteTimeoutOf(url: string): number {
  return SHEET.test(url) ? SHEET_MS : PAGE_MS;
}

/** Whether a browser is sent there, rather than a program. */
export function isForBrowsers(url: string): boolean {
  return url.startsWith('/oauth/authorize');
}

/** Whether the website answers a program, which reads no pages. */
export function isOfProgram(url: string): boolean {
  return DRAWN.test(url) || ASSISTANTS.test(url);
}

/** Whether a request may be a visit, whoever handles it. */
export function mayBeVisit(url: string): boolean {
  return /^\/[rl]\//i.test(url);
}

/** Whether a path is not for visitors, however it is encoded. */
export function isPrivatePath(url: string): boolean {
  try {
    return PRIVATE.test(decodeURIComponent(url.split('?')[0] ?? ''));
  } catch {
    return false;
  }
}

/** Who handles a request. Anything not clearly for the host goes to the website, which can forward any request. */
export function destinationOf(request: IncomingMessage): Destination {
  const { method = '', url = '', headers } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const visit = VISIT.exec(url);
  if (visit) {
    const isCounted = visit[1] !== undefined && /(?:^|&)counted=/.test(visit[1]);
    return isRead && !isCounted && !SESSION.test(headers.cookie ?? '') ? 'visit' : 'website';
  }
  if (isRead && DRAWN.test(url)) return 'website';
  if (API.test(url)) return 'api';
  if (OAUTH.test(url)) return 'oauth';
  if (BEACON.test(url)) return isRead || method === 'POST' || method === 'OPTIONS' ? 'beacon' : 'website';
  if (!ACT.test(url) || SESSION.test(headers.cookie ?? '')) return 'website';
  return isRead || (method === 'POST' && isSameOrigin((name) => headerOf(request, name), calledHost(headers)))
    ? 'act'
    : 'website';
}
