/**
 * The URL that a text is; null if it is none. For `URL.canParse`, which in Node.js 20 refuses names such as
 * `bücher.example` as soon as the code that calls it is compiled.
 */
export function parseUrl(text: string, base?: string | URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** The most origins that a key may name, and the characters of one: a name of 253 with its scheme and port. */
export const ORIGINS_PER_KEY = 10;
export const ORIGIN_LENGTH = 300;

const LOOPBACK = ['localhost', '127.0.0.1'];

/**
 * An origin (RFC 6454) as browsers send it: https, or http on this machine with its port, where pages are developed. Else
 * what is wrong with it, as a message code.
 */
export function readOrigin(entered: string): { origin: string } | { refused: OriginProblem } {
  if (entered.includes('*') || entered === 'null') return { refused: 'key_origin_unnamed' };
  const url = parseUrl(entered);
  if (url?.username !== '' || url.password !== '') return { refused: 'key_origin_invalid' };
  const isLocal = url.protocol === 'http:' && LOOPBACK.includes(url.hostname) && url.port !== '';
  if (url.protocol !== 'https:' && !isLocal) return { refused: 'key_origin_invalid' };
  // `url.search` and `url.hash` are empty for a lone `?` or `#`.
  return url.href === `${url.origin}/` ? { origin: url.origin } : { refused: 'key_origin_path' };
}

type OriginProblem = 'key_origin_unnamed' | 'key_origin_invalid' | 'key_origin_path';
