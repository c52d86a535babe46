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

/** Cookie with the time zone that was chosen to count by. */
export const ZONE_COOKIE = 'time_zone';
/** Cookie with the device's own, for as long as none was chosen. Its script may run late and must not undo a choice. */
export const DEVICE_ZONE_COOKIE = 'device_zone';
