import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Context } from 'hono';

/** Whose word about a visitor is believed. */
export interface Trusted {
  /** Peers that are websites of ours; see `websitesAt`. */
  websites: BlockList;
  /** Header in which a proxy names the client, its last entry being the one the proxy itself wrote; null for none. */
  trustProxy: string | null;
}

/** This machine, and the addresses and networks (`10.0.0.7`, `fd00::/8`) given; null when one is neither. */
export function websitesAt(places: string[]): BlockList | null {
  const websites = new BlockList();
  websites.addAddress('127.0.0.1');
  websites.addAddress('::1', 'ipv6');
  for (const place of places) {
    const [address = '', bits] = place.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (!isIP(address) || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return null;
    if (Number(bits ?? 0) > (family === 'ipv6' ? 128 : 32)) return null;
    if (bits === undefined) websites.addAddress(address, family);
    else websites.addSubnet(address, Number(bits), family);
  }
  return websites;
}

/** Address of the client: as a website of ours names it in `x-client-address`, else as the proxy does, else the peer. */
export function clientAddress(
  peer: string,
  header: (name: string) => string | undefined,
  { websites, trustProxy }: Trusted,
) {
  const named =
    saidByWebsite(peer, header('x-client-address'), websites) ??
    (trustProxy ? header(trustProxy)?.split(',').at(-1) : undefined);
  const address = named?.trim() ?? '';
  return isIP(address) ? address : peer;
}

/** Address of the client of a call. A call without a socket, as tests make them, counts as coming from this machine. */
export function addressOf(context: Context, { settings }: { settings: Trusted }): string {
  return clientAddress(peerOf(context), (name) => headerOf(context, name), settings);
}

/**
 * ISO 3166-1 code of the country a visitor comes from, as a website of ours or the proxy names it; empty where nobody
 * knows. `XX` and `T1` stand for an unknown place and for Tor (developers.cloudflare.com, IP geolocation).
 */
export function countryOf(
  context: Context,
  { settings }: { settings: Pick<Trusted, 'websites'> & { countryHeader: string | null } },
): string {
  const named =
    saidByWebsite(peerOf(context), headerOf(context, 'x-client-country'), settings.websites) ??
    (settings.countryHeader ? headerOf(context, settings.countryHeader) : undefined);
  const country = named?.trim().toUpperCase() ?? '';
  return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : '';
}

/** What is said, where a website of ours says it. */
function saidByWebsite(peer: string, said: string | undefined, websites: BlockList): string | undefined {
  if (said === undefined) return undefined;
  return websites.check(peer, isIP(peer) === 6 ? 'ipv6' : 'ipv4') ? said : undefined;
}

function peerOf(context: Context): string {
  const incoming = incomingOf(context);
  return incoming ? (incoming.socket.remoteAddress ?? '') : '127.0.0.1';
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
