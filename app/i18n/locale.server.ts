import { RemixI18Next } from 'remix-i18next/server';
import { DEFAULT_LOCALE, isLocale, LOCALE_CODES, type Locale } from '#contract/locales';
import { preferredLocale } from '#runtime/accept-language';

const detector = new RemixI18Next({
  detection: {
    supportedLanguages: [...LOCALE_CODES],
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

function findLocale({ url, headers }: Request): Locale {
  const requested = new URL(url).searchParams.get('lng');
  if (isLocale(requested)) return requested;
  return preferredLocale(headers.get('cookie') ?? '', headers.get('accept-language') ?? undefined);
}
