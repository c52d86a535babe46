import type { IncomingMessage } from 'node:http';
import { headerOf } from '../request-target';
import { calledHost, isSameOrigin } from '../same-origin';

/** `visit`, `act` and `beacon` go to the host, everything else to the website. */
export type Destination = 'visit' | 'act' | 'beacon' | 'website';

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
  if (BEACON.test(url)) return isRead || method === 'POST' || method === 'OPTIONS' ? 'beacon' : 'website';
  if (!ACT.test(url) || SESSION.test(headers.cookie ?? '')) return 'website';
  return isRead || (method === 'POST' && isSameOrigin((name) => headerOf(request, name), calledHost(headers)))
    ? 'act'
    : 'website';
}
