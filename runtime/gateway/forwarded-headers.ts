import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  COUNTRY_HEADER,
  resolveClientIp,
  resolveCountry,
  type TrustedSenders,
} from '#runtime/client-address';
import {
  CLIENT_IP_HEADER,
  COUNTED_HEADER,
  INTERNAL_KEY_HEADER,
  OLD_CLIENT_IP_HEADER,
  RESOURCE_HEADER,
  VISIT_ID_HEADER,
  VISIT_RESENT_HEADER,
} from '#runtime/internal-key';
import { REQUEST_ID_HEADER, resolveRequestId } from '#runtime/request-id';
import { headerOf } from '#runtime/request-target';
import { type Destination, isForBrowsers, mayBeVisit } from './routing';

/**
 * Hop-by-hop headers, and those that only the gateway may set. Others that `Connection` names are kept, unlike in RFC 9110,
 * section 7.6.1: a client could otherwise remove what its proxy or its browser has added, such as `Origin`.
 */
const DROPPED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  INTERNAL_KEY_HEADER,
  CLIENT_IP_HEADER,
  OLD_CLIENT_IP_HEADER,
  VISIT_ID_HEADER,
  VISIT_RESENT_HEADER,
  RESOURCE_HEADER,
  COUNTED_HEADER,
  COUNTRY_HEADER,
  REQUEST_ID_HEADER,
  'x-accept-internal-redirect',
  'x-host-unavailable',
]);
/** Not sent to the host: visits of signed-in users go through the website. */
const PRIVATE = new Set(['cookie', 'authorization']);
/** Headers of a body, which is forwarded to the host only for programs. */
const BODY_HEADERS = new Set(['content-length', 'content-type', 'content-encoding']);

/** Unique per gateway, so that a counter makes visit ids unique. */
const GATEWAY_ID = randomBytes(6).toString('base64url');
let visits = 0;

/** Gives a request an id, unless it came with a valid one; the same on every call. */
export function assignRequestId(request: IncomingMessage): string {
  const requestId = resolveRequestId(headerOf(request, REQUEST_ID_HEADER));
  request.headers[REQUEST_ID_HEADER] = requestId;
  return requestId;
}

/**
 * The headers to forward, as alternating names and values, with the client's IP address and country if known, and for a
 * visit with its number. The first of the internal keys proves to website and host that they come from the gateway.
 */
export function buildHeaders(
  destination: Destination,
  request: IncomingMessage,
  senders: TrustedSenders,
): string[] {
  const { rawHeaders } = request;
  const isForHost = destination !== 'website';
  const isOfProgram = destination === 'api' || destination === 'oauth';
  const passed: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const lower = name.toLowerCase();
    if (DROPPED.has(lower) || lower === senders.countryHeader) continue;
    // A program is known by its key or token alone, not by the cookies of a browser.
    if (isOfProgram && lower === 'cookie' && !isForBrowsers(request.url ?? '')) continue;
    if (isForHost && !isOfProgram && (PRIVATE.has(lower) || BODY_HEADERS.has(lower) || lower === 'accept'))
      continue;
    passed.push(name, rawHeaders[at + 1] as string);
  }
  passed.push(REQUEST_ID_HEADER, assignRequestId(request));
  passed.push(INTERNAL_KEY_HEADER, senders.internalKeys[0] ?? '');
  passed.push(CLIENT_IP_HEADER, clientIpOf(request, senders));
  const country = resolveCountry(...partiesOf(request, senders));
  if (country !== null) passed.push(COUNTRY_HEADER, country);
  if (destination === 'act') passed.push('accept', 'application/json');
  if (destination === 'visit') passed.push('accept', '*/*', 'x-accept-internal-redirect', '1');
  if (destination === 'visit' || (destination === 'website' && mayBeVisit(request.url ?? ''))) {
    visits += 1;
    passed.push(VISIT_ID_HEADER, `${GATEWAY_ID}${visits.toString(36)}`);
  }
  return passed;
}

export function clientIpOf(request: IncomingMessage, senders: TrustedSenders): string {
  return resolveClientIp(...partiesOf(request, senders));
}

function partiesOf(request: IncomingMessage, senders: TrustedSenders): Parameters<typeof resolveClientIp> {
  // Nobody sends requests with a key to the gateway.
  const trusted = { ...senders, internalKeys: [] };
  return [request.socket.remoteAddress ?? '', (name) => headerOf(request, name), trusted];
}
