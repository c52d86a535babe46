import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import {
  readInternalHeader,
  resolveClientIp,
  resolveCountry,
  type TrustedSenders,
} from '#runtime/client-address';
import { COUNTED_HEADER, RESOURCE_HEADER, VISIT_ID_HEADER, VISIT_RESENT_HEADER } from '#runtime/internal-key';
import { REQUEST_ID_HEADER, resolveRequestId } from '#runtime/request-id';

/** Where IP addresses are registered. Nothing about an address is remembered. */
export interface Countries {
  /** ISO 3166-1 code of the country in which an IP address is registered; empty if unknown. Never throws. */
  find(ip: string): string;
  /** When the data was compiled; null if there is none. */
  asOf: Date | null;
}

/** The client's IP address of a call. A call without a socket, as in tests, counts as coming from this machine. */
export function clientIpOf(context: Context, { settings }: { settings: TrustedSenders }): string {
  return resolveClientIp(peerOf(context), (name) => headerOf(context, name), settings);
}

/** ISO 3166-1 code of a visitor's country, as a trusted sender names it, else by the IP address; empty if unknown. */
export function countryOf(
  context: Context,
  { settings, countries }: { settings: TrustedSenders; countries: Countries },
): string {
  const named = resolveCountry(peerOf(context), (name) => headerOf(context, name), settings);
  return named ?? countries.find(clientIpOf(context, { settings }));
}

/** The id of a visit from the gateway, and whether it is resent; null for visits that come another way. */
export function sentVisitOf(
  context: Context,
  { settings }: { settings: Pick<TrustedSenders, 'internalKeys'> },
): { id: string; isResent: boolean } | null {
  const header = (name: string) => headerOf(context, name);
  const id = readInternalHeader(header, VISIT_ID_HEADER, settings);
  return id === undefined ? null : { id, isResent: header(VISIT_RESENT_HEADER) !== undefined };
}

/** What an access token that comes with a request has to be for. */
export function resourceOf(
  context: Context,
  { settings }: { settings: Pick<TrustedSenders, 'internalKeys'> },
): 'api' | 'mcp' {
  const named = readInternalHeader((name) => headerOf(context, name), RESOURCE_HEADER, settings);
  return named === 'mcp' ? 'mcp' : 'api';
}

/** Whether a call of the website is part of a request that has counted against the limit of its key. */
export function isCounted(
  context: Context,
  { settings }: { settings: Pick<TrustedSenders, 'internalKeys'> },
): boolean {
  return readInternalHeader((name) => headerOf(context, name), COUNTED_HEADER, settings) !== undefined;
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
export function readRequestId(context: Context): string {
  return resolveRequestId(headerOf(context, REQUEST_ID_HEADER));
}
