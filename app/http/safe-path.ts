/**
 * A path on this site, or the fallback: a redirect target from outside must never lead elsewhere. Browsers read
 * backslashes, tabs and `//` as the start of another host, so all of those are refused.
 */
export function safePath(target: unknown, fallback = '/'): string {
  if (typeof target !== 'string' || target.length > 2000 || !target.startsWith('/')) return fallback;
  if (/[\p{Cc}\\]/u.test(target) || !URL.canParse(target, 'http://site.invalid')) return fallback;
  const url = new URL(target, 'http://site.invalid');
  if (url.origin !== 'http://site.invalid' || url.pathname.startsWith('//')) return fallback;
  return url.pathname + url.search + url.hash;
}
