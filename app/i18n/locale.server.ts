import { RemixI18Next } from 'remix-i18next/server';
import { acceptedLocale } from '#contract/locales';
import { findCookie } from './cookie-names';
import { DEFAULT_LOCALE, isLocale, LOCALE_CODES, type Locale } from './locales';

const detector = new RemixI18Next({
  detection: {
    supportedLanguages: LOCALE_CODES,
    fallbackLanguage: DEFAULT_LOCALE,
    order: ['custom'],
    findLocale: async (request) => findLocale(request),
  },
});

/** `?lng=`, then the saved locale, then the browser's languages in their order, then the default. */
export async function getLocale(request: Request): Promise<Locale> {
  const locale = await detector.getLocale(request);
  return isLocale(locale) ? locale : DEFAULT_LOCALE;
}

function findLocale(request: Request): Locale | null {
  const requested = new URL(request.url).searchParams.get('lng');
  if (isLocale(requested)) return requested;
  const saved = findCookie(request.headers.get('cookie') ?? '', 'lng');
  if (isLocale(saved)) return saved;
  return acceptedLocale(request.headers.get('accept-language') ?? undefined);
}
