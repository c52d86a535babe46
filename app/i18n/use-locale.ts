import { useRouteLoaderData } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { DEFAULT_LOCALE, LOCALE_CODES, LOCALES, type Locale } from './locales';

/** The locale the page is shown in. */
export function useLocale(): Locale {
  const { i18n } = useTranslation();
  return LOCALE_CODES.find((code) => LOCALES[code].tag === i18n.language) ?? DEFAULT_LOCALE;
}

/** The zone of all times shown to a signed-in user, and of the statistics. */
export function useTimeZone(): string {
  const root = useRouteLoaderData('root') as { user?: { timeZone: string } | null } | undefined;
  return root?.user?.timeZone ?? 'UTC';
}

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
