/** What a Host header says: an address of ours that is reached by TLS or not, somebody else's, or nothing at all. */
export type HostVerdict = 'own-https' | 'own-http' | 'foreign' | 'malformed';

const HOST_FORM = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;
const REMEMBERED = 100;

/** True for names and addresses of the machine itself, as `URL` writes them. */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** True for an address of the product that no other machine can reach. */
export function isLoopbackAddress(address: string): boolean {
  return isLoopbackName(nameOf(new URL(address)));
}

/**
 * Judges Host headers by the addresses the product is reached at; loopback always belongs to them. Ports make no
 * difference: those behind a proxy or a container are nobody's mistake.
 */
export function createHostCheck(addresses: readonly string[]): (header: string) => HostVerdict {
  const own = new Map<string, HostVerdict>();
  for (const address of addresses.map((text) => new URL(text))) {
    const isHttps = address.protocol === 'https:' && own.get(nameOf(address)) !== 'own-http';
    own.set(nameOf(address), isHttps ? 'own-https' : 'own-http');
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
    const [, port = '0'] = HOST_FORM.exec(header) ?? ['', 'none'];
    if (!(Number(port) <= 65_535) || !URL.canParse(`http://${header}`)) return 'malformed';
    const name = nameOf(new URL(`http://${header}`));
    return own.get(name) ?? (isLoopbackName(name) ? 'own-http' : 'foreign');
  }
}

/** Without the dot that a name may end in (RFC 1034, section 3.1). */
export function nameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}
