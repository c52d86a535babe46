import { useTranslation } from 'react-i18next';
import { DEFAULT_LOCALE, LOCALE_CODES, LOCALES, type Locale } from './locales';

/** The locale the page is shown in. */
export function useLocale(): Locale {
  const { i18n } = useTranslation();
  return LOCALE_CODES.find((code) => LOCALES[code].tag === i18n.language) ?? DEFAULT_LOCALE;
}
