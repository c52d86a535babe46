import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import {
  CLIENT_IP_HEADER,
  INTERNAL_KEY_HEADER,
  OLD_CLIENT_IP_HEADER,
  VISIT_ID_HEADER,
  VISIT_RESENT_HEADER,
} from '#contract/internal-key';
import type { Destination } from './routing';

export interface ProxyHeaders {
  /** Lower-case name of the header with the client's IP address from a trusted proxy; null if there is none. */
  trustProxy: string | null;
  /** Lower-case name of the header with the visitor's country; null if there is none. */
  countryHeader: string | null;
  /** The first proves to website and host that a request comes from the gateway. */
  internalKeys: readonly string[];
}

/** Hop-by-hop headers (RFC 9110, 7.6.1), and those that only the gateway may set. */
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
  'expect',
  INTERNAL_KEY_HEADER,
  CLIENT_IP_HEADER,
  OLD_CLIENT_IP_HEADER,
  VISIT_ID_HEADER,
  VISIT_RESENT_HEADER,
  'x-client-country',
  'x-request-id',
  'x-accept-internal-redirect',
  'x-host-unavailable',
]);
/** Not sent to the host: visits of signed-in users go through the website. */
const PRIVATE = new Set(['cookie', 'authorization']);
/** Headers of a body, which is not forwarded to the host. */
const BODY_HEADERS = new Set(['content-length', 'content-type', 'content-encoding']);

/** Unique per gateway, so that a counter makes visit ids unique. */
const GATEWAY_ID = randomBytes(6).toString('base64url');
let visits = 0;

/** The id of a request, the same on every call: the one it came with, if valid, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && /^[\w-]{8,64}$/.test(given)) return given;
  const generated = randomUUID();
  headers['x-request-id'] = generated;
  return generated;
}

/** Headers of a request as alternating names and values, with the client's IP address and country if known. */
export function headersFor(
  destination: Destination,
  request: IncomingMessage,
  { trustProxy, countryHeader, internalKeys }: ProxyHeaders,
): string[] {
  const { headers, rawHeaders, socket } = request;
  const isForHost = destination !== 'website';
  const listed = headers.connection ? namesIn(headers.connection) : [];
  const passed: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const lower = name.toLowerCase();
    if (DROPPED.has(lower) || listed.includes(lower)) continue;
    if (isForHost && (PRIVATE.has(lower) || BODY_HEADERS.has(lower) || lower === 'accept')) continue;
    passed.push(name, rawHeaders[at + 1] as string);
  }
  passed.push('x-request-id', requestIdOf(request));
  passed.push(INTERNAL_KEY_HEADER, internalKeys[0] ?? '');
  passed.push(CLIENT_IP_HEADER, clientIpOf(headers, socket.remoteAddress ?? '', trustProxy));
  const country = countryHeader && headers[countryHeader];
  if (isForHost && typeof country === 'string') passed.push('x-client-country', country);
  if (destination === 'act') passed.push('accept', 'application/json');
  if (destination === 'visit') {
    passed.push('accept', '*/*', 'x-accept-internal-redirect', '1');
    visits += 1;
    passed.push(VISIT_ID_HEADER, `${GATEWAY_ID}${visits.toString(36)}`);
  }
  return passed;
}

function namesIn(connection: string): string[] {
  return connection
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== 'keep-alive' && name !== 'close');
}

/** The last entry by the trusted proxy, else the peer's IP address. */
function clientIpOf(headers: IncomingMessage['headers'], peer: string, trustProxy: string | null): string {
  const header = trustProxy && headers[trustProxy];
  const address = String(header ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  return address && isIP(address) ? address : peer;
}
