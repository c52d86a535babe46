import i18next, { type i18n } from 'i18next';
import { FALLBACK_LOCALE, LOCALE_CODES, LOCALES, type Locale } from './locales';
import { i18nOptions, type Messages } from './options';

const files = import.meta.glob<Messages[string]>('/locales/*/*.json', { eager: true, import: 'default' });

const all = new Map<Locale, Messages>(
  LOCALE_CODES.map((code) => [
    code,
    Object.fromEntries(
      Object.entries(files)
        .filter(([path]) => path.startsWith(`/locales/${code}/`))
        .map(([path, texts]) => [path.slice(path.lastIndexOf('/') + 1, -'.json'.length), texts]),
    ),
  ]),
);

const instances = new Map<Locale, i18n>(LOCALE_CODES.map((code) => [code, createInstance(code)]));

/** One shared instance per locale; its language is never changed. */
export function i18nOf(locale: Locale): i18n {
  return instances.get(locale) as i18n;
}

/** The texts of some namespaces, for the browser. */
export function messagesOf(locale: Locale, namespaces: string[]): Messages {
  const texts = all.get(locale) ?? {};
  return Object.fromEntries(namespaces.flatMap((name) => (texts[name] ? [[name, texts[name]]] : [])));
}

function createInstance(locale: Locale): i18n {
  const instance = i18next.createInstance();
  const { tag } = LOCALES[locale];
  instance.init({
    ...i18nOptions(tag),
    fallbackLng: LOCALES[FALLBACK_LOCALE].tag,
    resources: {
      [LOCALES[FALLBACK_LOCALE].tag]: all.get(FALLBACK_LOCALE) ?? {},
      [tag]: all.get(locale) ?? {},
    },
  });
  return instance;
}
