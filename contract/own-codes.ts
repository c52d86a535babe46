import { posix } from 'node:path';
import { hostnameOf, isLoopbackName } from './own-addresses';
import { parseUrl } from './urls';

/** A code as one of our addresses names it. `act` is the action: `r` and `l` visit the code. */
export interface NamedCode {
  act: 'r' | 'l' | 'e' | 'b';
  /** As typed; such a code need not exist. */
  slug: string;
  /** What follows in the path. */
  rest: string;
  query: URLSearchParams;
}

const CODE_PATH = /^\/([rlbe])\/([^/]*)(.*)$/is;
/** How often a path may be percent-encoded: each proxy on the way might decode it once more. */
const ESCAPED = 3;
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|\[::\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

/**
 * Finds the code that an address opens, however it is spelled: in case, escapes, dots, slashes, port or another name of
 * this machine, or as the target of a redirect by one of our pages. `addresses` are those at which codes open.
 */
export function createOwnCodeFinder(addresses: readonly string[]): (link: string) => NamedCode | null {
  const own = addresses.map((address) => new URL(address));
  const ports = new Set(['80', '443', ...own.map(portOf)]);

  function find(link: string, isNested = false): NamedCode | null {
    const url = parseUrl(link);
    const site = url && own.find((address) => isSameSite(url, address));
    if (!url || !site || !ports.has(portOf(url))) return null;
    const path = plainPath(url.pathname);
    for (const base of own.filter((address) => isSameSite(url, address)).map(basePath)) {
      const [, act, slug, rest] = path.toLowerCase().startsWith(base)
        ? (CODE_PATH.exec(path.slice(base.length)) ?? [])
        : [];
      if (act !== undefined && slug !== undefined && rest !== undefined) {
        return { act: act.toLowerCase() as NamedCode['act'], slug, rest, query: url.searchParams };
      }
    }
    // A page may redirect to an address in its query, as the login does.
    if (isNested) return null;
    for (const value of url.searchParams.values()) {
      const nested = parseUrl(value, url);
      const next = nested && find(nested.href, true);
      if (next) return next;
    }
    return null;
  }

  return find;
}

function isSameSite(url: URL, own: URL): boolean {
  const [name, ownName] = [hostnameOf(url), hostnameOf(own)];
  return name === ownName || (isLoopbackName(ownName) && (isLoopbackName(name) || EVERY_ADDRESS.test(name)));
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** In lower case, without the slash at its end. */
function basePath({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '').toLowerCase();
}

function plainPath(pathname: string): string {
  let path = pathname;
  for (let turn = 0; turn < ESCAPED; turn += 1) {
    try {
      path = decodeURIComponent(path);
    } catch {
      break;
    }
  }
  return posix.normalize(path.replaceAll('\\', '/'));
}
