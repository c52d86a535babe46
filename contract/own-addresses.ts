import { parseUrl } from './urls';

/** What a Host header names: one of our own hosts, with or without TLS, a foreign one, or none at all. */
export type HostVerdict = 'own-https' | 'own-http' | 'foreign' | 'malformed';

const HOST_FORMAT = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;
const REMEMBERED = 100;

/** True for names and addresses of the machine itself, as `URL` writes them. */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** True for an address of the product that no other machine can reach. */
export function isLoopbackAddress(address: string): boolean {
  return isLoopbackName(hostnameOf(new URL(address)));
}

/**
 * Checks Host headers against the addresses of the product and loopback. Ports are ignored: behind a proxy or in a
 * container they legitimately differ.
 */
export function createHostCheck(addresses: readonly string[]): (header: string) => HostVerdict {
  const own = new Map<string, HostVerdict>();
  for (const address of addresses.map((text) => new URL(text))) {
    const isHttps = address.protocol === 'https:' && own.get(hostnameOf(address)) !== 'own-http';
    own.set(hostnameOf(address), isHttps ? 'own-https' : 'own-http');
  }
  const remembered = new Map<string, HostVerdict>();

  return (header) => {
    const known = remembered.get(header);
    if (known) return known;
    const verdict = judge(header);
    if (verdict.startsWith('own') && remembered.size < REMEMBERED) remembered.set(header, verdict);
    return verdict;
  };

  function judge(header: string): HostVerdict {
    const [, port = '0'] = HOST_FORMAT.exec(header) ?? ['', 'none'];
    const url = Number(port) <= 65_535 ? parseUrl(`http://${header}`) : null;
    if (!url) return 'malformed';
    const name = hostnameOf(url);
    return own.get(name) ?? (isLoopbackName(name) ? 'own-http' : 'foreign');
  }
}

/** Checks whether a Host header names the domain of `url`, if it is none of the other addresses. */
export function createDomainCheck(
  url: string | undefined,
  others: readonly string[],
): (header: string) => boolean {
  const name = url === undefined ? '' : hostnameOf(new URL(url));
  if (name === '' || others.some((other) => hostnameOf(new URL(other)) === name)) return () => false;
  return (header) => {
    const url = parseUrl(`http://${header}`);
    return url !== null && hostnameOf(url) === name;
  };
}

/** Without the trailing dot that a name may have (RFC 1034, section 3.1). */
export function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}
