import { useEffect, useRef } from 'react';
import { DEVICE_ZONE_COOKIE, HOST_PREFIX, ZONE_COOKIE } from './cookie-names';

const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Until a time zone is chosen, a signed-in user sees times and daily figures in that of the device. `refresh`
 * reloads the page's data.
 */
export function useBrowserZone(isSignedIn: boolean, refresh: () => void): void {
  const hasRun = useRef(false);
  useEffect(() => {
    if (hasRun.current || !isSignedIn) return;
    hasRun.current = true;
    rememberZone().then(
      (isNew) => isNew && refresh(),
      // Cookies may be blocked; the zone of the language is a good guess too.
      () => undefined,
    );
  }, [isSignedIn, refresh]);
}

/** False if a zone is already known, or if the browser has no `cookieStore`. */
async function rememberZone(): Promise<boolean> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  if (!timeZone || !('cookieStore' in window)) return false;
  const prefix = window.location.protocol === 'https:' ? HOST_PREFIX : '';
  for (const name of [ZONE_COOKIE, DEVICE_ZONE_COOKIE]) {
    if (await cookieStore.get(prefix + name)) return false;
  }
  await cookieStore.set({
    name: prefix + DEVICE_ZONE_COOKIE,
    value: encodeURIComponent(timeZone),
    expires: Date.now() + YEAR_MS,
    sameSite: 'lax',
  });
  return true;
}
