import { useRouteLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { DEFAULT_LOCALE, LOCALE_CODES, LOCALES, type Locale } from '#contract/locales';

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
