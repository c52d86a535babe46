import { useEffect, useRef } from 'react';

/**
 * Stores the browser's time zone in an account that has none, which every device then uses. `accountId` is null when
 * there is nothing to store; `refresh` reloads the page's data.
 */
export function useBrowserZone(accountId: string | null, refresh: () => void): void {
  const tried = useRef<string>();
  useEffect(() => {
    if (accountId === null || tried.current === accountId) return;
    tried.current = accountId;
    storeZone().then(
      (isStored) => isStored && refresh(),
      // The connection is lost: the next page that is opened tries again.
      () => undefined,
    );
  }, [accountId, refresh]);
}

async function storeZone(): Promise<boolean> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  if (!timeZone) return false;
  const body = new URLSearchParams({ timeZone });
  // An expired session redirects to the login page, which is left to the reader's next step.
  const { status } = await fetch('/user/time-zone', { method: 'POST', body, redirect: 'manual' });
  return status === 204;
}
