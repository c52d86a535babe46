/** Browsers take a cookie of such a name over TLS alone, from this very host, and for all of it (RFC 6265bis, 4.1.3.2). */
export const HOST_PREFIX = '__Host-';

/** The value of a cookie that decides nothing but how pages look; one that another host may have planted comes second. */
export function findCookie(cookies: string, name: string): string | null {
  return valueIn(cookies, HOST_PREFIX + name) ?? valueIn(cookies, name);
}

function valueIn(cookies: string, name: string): string | null {
  const found = cookies.split(/;\s*/).find((cookie) => cookie.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? null;
}
