import { useEffect, useRef } from 'react';
import { DEVICE_ZONE_COOKIE, HOST_PREFIX, ZONE_COOKIE } from './cookie-names';

const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * Where no zone was chosen yet, whoever is signed in is told moments, and figures by days, in the device's own;
 * `refresh` loads the page's data anew.
 */
export function useBrowserZone(isSignedIn: boolean, refresh: () => void): void {
  const isAsked = useRef(false);
  useEffect(() => {
    if (isAsked.current || !isSignedIn) return;
    isAsked.current = true;
    rememberZone().then(
      (isNew) => isNew && refresh(),
      // Cookies may be forbidden; the zone of the language is a good guess too.
      () => undefined,
    );
  }, [isSignedIn, refresh]);
}

/** False where a zone is known already, or where the browser is too old to be asked. */
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
