import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Rate limit key of an IP address. The holder of one IPv6 address has the 2^64 of its network (RFC 6177), which count
 * as one, or even a whole site with a prefix of 56 bits. An IPv4 address mapped to IPv6 (RFC 4291, section 2.5.5.2)
 * counts as the IPv4 address.
 */
export function ipRateLimitKey(ip: string, prefix: 56 | 64 = 64): string {
  if (isIP(ip) !== 6) return ip;
  const parsed = ipaddr.IPv6.parse(ip);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const [first, second, third, fourth = 0] = parsed.parts;
  const network = [first, second, third, prefix === 64 ? fourth : fourth & 0xff00];
  return `${network.map((group) => group?.toString(16)).join(':')}::/${prefix}`;
}
