import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hostnameOf, isLoopbackName } from '#contract/own-addresses';
import { parseUrl } from '#contract/urls';

/** Why an address that somebody typed is not asked; `not_public` also for names that only mean something inside a network. */
export type AddressProblem = 'invalid' | 'not_https' | 'credentials' | 'not_public';

/** Top-level names of networks of one's own (RFC 6761, 6762, 8375, 9476, and those in use without one). */
const LOCAL_NAME =
  /(?:^|\.)(?:local|internal|intranet|private|corp|home|lan|localdomain|alt|onion|arpa|test|invalid)$/;

/** Ranges within unicast that are nobody's server on the internet, or lead into one's own network. */
const CLOSED = [
  // Wire server of a cloud, which hands out secrets.
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range) => ipaddr.parseCIDR(range));
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** What is wrong with an address, as far as can be told without asking DNS. */
export function addressProblem(address: string): AddressProblem | null {
  const url = parseUrl(address);
  if (!url) return 'invalid';
  if (url.protocol !== 'https:') return 'not_https';
  if (url.username !== '' || url.password !== '') return 'credentials';
  const name = hostnameOf(url);
  const ip = literalOf(url);
  if (ip !== null) return isPublicIp(ip) ? null : 'not_public';
  const isNamed =
    name.includes('.') && !name.endsWith('.') && !isLoopbackName(name) && !LOCAL_NAME.test(name);
  return isNamed ? null : 'not_public';
}

/** The IP address that a URL has instead of a name. */
export function literalOf(url: URL): string | null {
  // `URL` has already read the decimal, octal and hexadecimal spellings.
  const name = hostnameOf(url).replace(/^\[|\]$/g, '');
  return isIP(name) === 0 ? null : name;
}

/** Whether an IP address is one of the public internet; those that embed another one are not. */
export function isPublicIp(text: string): boolean {
  // Without a zone, which names an interface of this machine.
  if (isIP(text) === 0 || text.includes('%')) return false;
  const ip = ipaddr.parse(text);
  if (ip.range() !== 'unicast' || CLOSED.some((range) => isWithin(ip, range))) return false;
  return ip.kind() === 'ipv4' || isWithin(ip, GLOBAL_UNICAST);
}

function isWithin(ip: ipaddr.IPv4 | ipaddr.IPv6, range: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return ip.kind() === range[0].kind() && ip.match(range as never);
}
