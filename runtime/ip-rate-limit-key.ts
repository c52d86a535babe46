import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The networks of an IP address that limits apply to, narrowest first: of an IPv6 address the /64, /56 and /48, as a
 * holder of one of these may use all of its addresses (RFC 6177). An IPv4 address, also one mapped to IPv6 (RFC 4291,
 * section 2.5.5.2), is a network of its own. Anything else is returned as it is.
 */
export function networksOf(ip: string): [narrowest: string, ...wider: string[]] {
  if (isIP(ip) !== 6) return [ip];
  const parsed = ipaddr.IPv6.parse(ip);
  if (parsed.isIPv4MappedAddress()) return [parsed.toIPv4Address().toString()];
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
  const network = (groups: number[], bits: number) =>
    `${groups.map((group) => group.toString(16)).join(':')}::/${bits}`;
  return [network([a, b, c, d], 64), network([a, b, c, d & 0xff00], 56), network([a, b, c], 48)];
}

/** Rate limit key of an IP address: its narrowest network, or the one with a prefix of 56 bits, such as a household. */
export function ipRateLimitKey(ip: string, prefix: 56 | 64 = 64): string {
  const [link, household = link] = networksOf(ip);
  return prefix === 56 ? household : link;
}
