import { isIP } from 'node:net';

/**
 * What a limit counts an address as. Whoever has one IPv6 address has the 2^64 of its network (RFC 6177): these count
 * as one. An IPv4 address written as IPv6 (RFC 4291, section 2.5.5.2) counts as itself.
 */
export function addressKey(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address.split('%')[0] ?? '');
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address, as numbers. */
function groupsOf(address: string): number[] {
  const [, start = '', ...bytes] = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address) ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  const plain =
    bytes.length > 0 ? `${start}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}` : address;
  const [head = [], tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const left = tail ? Array<string>(8 - head.length - tail.length).fill('0') : [];
  return [...head, ...left, ...(tail ?? [])].map((group) => Number.parseInt(group, 16));
}
