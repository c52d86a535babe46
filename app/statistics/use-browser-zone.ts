import { useRevalidator } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { DEVICE_ZONE_COOKIE, ZONE_COOKIE } from './zone-cookie';

const YEAR_MS = 365 * 24 * 3_600_000;

/** Where no zone was chosen yet, the device's own is remembered, and the figures are counted by its days. */
export function useBrowserZone(): void {
  const { revalidate } = useRevalidator();
  const isAsked = useRef(false);
  useEffect(() => {
    if (isAsked.current) return;
    isAsked.current = true;
    rememberZone().then(
      (isNew) => isNew && revalidate(),
      // Cookies may be forbidden; the zone of the language is a good guess too.
      () => undefined,
    );
  }, [revalidate]);
}

/** False where a zone is known already, or where the browser is too old to be asked. */
async function rememberZone(): Promise<boolean> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  if (!timeZone || !('cookieStore' in window)) return false;
  if ((await cookieStore.get(ZONE_COOKIE)) ?? (await cookieStore.get(DEVICE_ZONE_COOKIE))) return false;
  await cookieStore.set({
    name: DEVICE_ZONE_COOKIE,
    value: encodeURIComponent(timeZone),
    expires: Date.now() + YEAR_MS,
    sameSite: 'lax',
  });
  return true;
}
