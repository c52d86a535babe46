import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Context } from 'hono';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/**
 * Address of the client. A website on the same machine names it in `x-client-address`; a proxy names it in the
 * header of the TRUST_PROXY setting, whose last entry is the one the proxy itself wrote. Nothing else is believed.
 */
export function clientAddress(
  peer: string,
  header: (name: string) => string | undefined,
  trustProxy: string | null,
) {
  const named =
    (LOOPBACK.has(peer) ? header('x-client-address') : undefined) ??
    (trustProxy ? header(trustProxy)?.split(',').at(-1) : undefined);
  const address = named?.trim() ?? '';
  return isIP(address) ? address : peer;
}

/** Address of the client of a call. A call without a socket, as tests make them, counts as coming from this machine. */
export function addressOf(
  context: Context,
  { settings }: { settings: { trustProxy: string | null } },
): string {
  const incoming = incomingOf(context);
  const peer = incoming ? (incoming.socket.remoteAddress ?? '') : '127.0.0.1';
  return clientAddress(peer, (name) => headerOf(context, name), settings.trustProxy);
}

/**
 * ISO 3166-1 code of the country a visitor comes from, as the website on the same machine or the proxy names it; empty
 * where nobody knows. `XX` and `T1` stand for an unknown place and for Tor (developers.cloudflare.com, IP geolocation).
 */
export function countryOf(
  context: Context,
  { settings }: { settings: { countryHeader: string | null } },
): string {
  const peer = incomingOf(context)?.socket.remoteAddress ?? '127.0.0.1';
  const named =
    (LOOPBACK.has(peer) ? headerOf(context, 'x-client-country') : undefined) ??
    (settings.countryHeader ? headerOf(context, settings.countryHeader) : undefined);
  const country = named?.trim().toUpperCase() ?? '';
  return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : '';
}

/** One request header, read from Node's own object where there is one: faster than through `Headers`. */
export function headerOf(context: Context, name: string): string | undefined {
  const incoming = incomingOf(context);
  if (!incoming) return context.req.header(name);
  const value = incoming.headers[name];
  return typeof value === 'string' ? value : value?.join(', ');
}

function incomingOf(context: Context): IncomingMessage | undefined {
  return (context.env as { incoming?: IncomingMessage } | undefined)?.incoming;
}
