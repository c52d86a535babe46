import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Context } from 'hono';
import {
  CLIENT_IP_HEADER,
  INTERNAL_KEY_HEADER,
  isInternalKey,
  OLD_CLIENT_IP_HEADER,
  VISIT_ID_HEADER,
  VISIT_RESENT_HEADER,
} from '#contract/internal-key';

/** What is trusted to name a visitor's IP address and country. */
interface Trusted {
  /** Keys of our own gateways and websites. */
  internalKeys: readonly string[];
  /** Header with the client from a proxy, whose last entry is the one the proxy itself wrote; null if there is none. */
  trustProxy: string | null;
}

type HeaderReader = (name: string) => string | undefined;

/** The client's IP address: as sent by one of our programs, else by the proxy, else the peer's. */
export function resolveClientIp(peer: string, header: HeaderReader, { internalKeys, trustProxy }: Trusted) {
  const named =
    readInternalHeader(header, CLIENT_IP_HEADER, internalKeys) ??
    readInternalHeader(header, OLD_CLIENT_IP_HEADER, internalKeys) ??
    (trustProxy ? header(trustProxy)?.split(',').at(-1) : undefined);
  const clientIp = named?.trim() ?? '';
  return isIP(clientIp) ? clientIp : peer;
}

/** The client's IP address of a call. A call without a socket, as in tests, counts as coming from this machine. */
export function clientIpOf(context: Context, { settings }: { settings: Trusted }): string {
  return resolveClientIp(peerOf(context), (name) => headerOf(context, name), settings);
}

/**
 * ISO 3166-1 code of a visitor's country, as sent by one of our programs or the proxy; empty if unknown. `XX` and `T1`
 * mean an unknown country and Tor (developers.cloudflare.com, IP geolocation).
 */
export function countryOf(
  context: Context,
  { settings }: { settings: Pick<Trusted, 'internalKeys'> & { countryHeader: string | null } },
): string {
  const header = (name: string) => headerOf(context, name);
  const value =
    readInternalHeader(header, 'x-client-country', settings.internalKeys) ??
    (settings.countryHeader ? header(settings.countryHeader) : undefined);
  const country = value?.trim().toUpperCase() ?? '';
  return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : '';
}

/** The id of a visit from the gateway, and whether it is resent; null for visits that come another way. */
export function sentVisitOf(
  context: Context,
  { settings }: { settings: Pick<Trusted, 'internalKeys'> },
): { id: string; isResent: boolean } | null {
  const header = (name: string) => headerOf(context, name);
  const id = readInternalHeader(header, VISIT_ID_HEADER, settings.internalKeys);
  return id === undefined ? null : { id, isResent: header(VISIT_RESENT_HEADER) !== undefined };
}

/** The value of a header, if one of our programs wrote it. */
function readInternalHeader(header: HeaderReader, name: string, keys: readonly string[]): string | undefined {
  const value = header(name);
  return value !== undefined && isInternalKey(header(INTERNAL_KEY_HEADER), keys) ? value : undefined;
}

/** The IP address of the socket's peer. */
export function peerOf(context: Context): string {
  const incoming = incomingOf(context);
  return incoming ? (incoming.socket.remoteAddress ?? '') : '127.0.0.1';
}

/** A request header, read from Node's own object if there is one, which is faster than `Headers`. */
export function headerOf(context: Context, name: string): string | undefined {
  const incoming = incomingOf(context);
  if (!incoming) return context.req.header(name);
  const value = incoming.headers[name];
  return typeof value === 'string' ? value : value?.join(', ');
}

function incomingOf(context: Context): IncomingMessage | undefined {
  return (context.env as { incoming?: IncomingMessage } | undefined)?.incoming;
}

/** The id that a request came with, if valid, or a new one. */
export function requestIdOf(context: Context): string {
  const given = headerOf(context, 'x-request-id');
  return given !== undefined && /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
}
