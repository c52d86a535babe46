/**
 * Browsers accept a cookie with this prefix only over TLS, from this exact host and for all its paths (RFC
 * 6265bis, 4.1.3.2).
 */
export const HOST_PREFIX = '__Host-';

/**
 * The value of a cookie that only affects how pages look; one that another host may have set comes second.
 */
export function findCookie(cookies: string, name: string): string | null {
  return valueIn(cookies, HOST_PREFIX + name) ?? valueIn(cookies, name);
}

function valueIn(cookies: string, name: string): string | null {
  const found = cookies.split(/;\s*/).find((cookie) => cookie.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? null;
}
