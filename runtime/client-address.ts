import { BlockList, isIP } from 'node:net';
import { CLIENT_IP_HEADER, INTERNAL_KEY_HEADER, isInternalKey, OLD_CLIENT_IP_HEADER } from './internal-key';

/** Who is trusted to name a client's IP address and country. */
export interface TrustedSenders {
  /** Keys of our own gateways and websites. */
  internalKeys: readonly string[];
  /** Whether a peer is one of our proxies, the only ones whose headers count. */
  isProxy: (peer: string) => boolean;
  /** Lower-case name of the header in which proxies send the client's IP address; null if there is none. */
  trustProxy: string | null;
  /** Lower-case name of the header in which they send the client's country; null if there is none. */
  countryHeader: string | null;
}

export type HeaderReader = (name: string) => string | null | undefined;

export const COUNTRY_HEADER = 'x-client-country';
const LOOPBACK = ['127.0.0.0/8', '::1/128'];
/** Peers whose verdict is remembered: mostly the proxies themselves. */
const REMEMBERED = 1_000;

/** Checks whether a peer is in one of these networks, or on this machine. */
export function createProxyCheck(networks: readonly string[] = []): (peer: string) => boolean {
  const proxies = new BlockList();
  for (const network of [...LOOPBACK, ...networks]) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  const remembered = new Map<string, boolean>();

  return (peer) => {
    const known = remembered.get(peer);
    if (known !== undefined) return known;
    const version = isIP(peer);
    const verdict = version !== 0 && proxies.check(peer, version === 6 ? 'ipv6' : 'ipv4');
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(peer, verdict);
    return verdict;
  };
}

/**
 * The client's IP address: as sent by one of our programs, else by the proxy, else the peer's. Of several in the proxy's
 * header the last counts, the one that the proxy itself wrote.
 */
export function resolveClientIp(peer: string, header: HeaderReader, trusted: TrustedSenders): string {
  const named =
    readInternalHeader(header, CLIENT_IP_HEADER, trusted) ??
    readInternalHeader(header, OLD_CLIENT_IP_HEADER, trusted) ??
    readProxyHeader(peer, header, trusted.trustProxy, trusted)?.split(',').at(-1);
  const clientIp = named?.trim() ?? '';
  return isIP(clientIp) ? clientIp : peer;
}

/**
 * ISO 3166-1 code of a client's country, as sent by one of our programs or the proxy; empty if they say that it is
 * unknown, null if they say nothing. `XX` and `T1` mean an unknown country and Tor (developers.cloudflare.com, IP
 * geolocation).
 */
export function resolveCountry(peer: string, header: HeaderReader, trusted: TrustedSenders): string | null {
  const value =
    readInternalHeader(header, COUNTRY_HEADER, trusted) ??
    readProxyHeader(peer, header, trusted.countryHeader, trusted);
  if (value === undefined) return null;
  const country = value.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : '';
}

/** The value of a header, if one of our programs wrote it. */
export function readInternalHeader(
  header: HeaderReader,
  name: string,
  { internalKeys }: Pick<TrustedSenders, 'internalKeys'>,
): string | undefined {
  const value = header(name) ?? undefined;
  return value !== undefined && isInternalKey(header(INTERNAL_KEY_HEADER) ?? undefined, internalKeys)
    ? value
    : undefined;
}

function readProxyHeader(
  peer: string,
  header: HeaderReader,
  name: string | null,
  { isProxy }: TrustedSenders,
): string | undefined {
  return name !== null && isProxy(peer) ? (header(name) ?? undefined) : undefined;
}
