import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Rate limit key of an IP address. The holder of one IPv6 address has the 2^64 of its network (RFC 6177), which count
 * as one. An IPv4 address mapped to IPv6 (RFC 4291, section 2.5.5.2) counts as the IPv4 address.
 */
export function ipRateLimitKey(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const parsed = ipaddr.IPv6.parse(ip);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
