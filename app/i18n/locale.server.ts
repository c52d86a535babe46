import { RemixI18Next } from 'remix-i18next/server';
import { findCookie } from './cookie-names';
import { DEFAULT_LOCALE, isLocale, LOCALE_CODES, type Locale, localeOfTag } from './locales';

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
  return browserLocale(request.headers.get('accept-language') ?? '');
}

/** Tries every range of Accept-Language by descending weight (RFC 4647 lookup), not only the first. */
export function browserLocale(header: string): Locale | null {
  const ranges = header
    .slice(0, 1000)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)/.exec(parameter)?.[1]).find(Boolean);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { tag } of ranges) {
    const locale = localeOfTag(tag);
    if (locale) return locale;
  }
  return null;
}
