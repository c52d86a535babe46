import type { InitOptions, i18n, PostProcessorModule } from 'i18next';
import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { elideArticles } from '#contract/date-words';
import { isLocale, type Locale } from '#contract/locales';
import { groupedIfCount } from './grouped';

export type Messages = Record<string, Record<string, unknown>>;

const ELISION: PostProcessorModule = { type: 'postProcessor', name: 'elision', process: elideArticles };

/** The same on server and browser, as hydration would otherwise show other texts. */
export function startI18n(instance: i18n, tag: string, options: InitOptions): void {
  instance.use(ELISION).init({
    lng: tag,
    load: 'currentOnly',
    defaultNS: 'common',
    initImmediate: false,
    returnNull: false,
    interpolation: {
      // React escapes already.
      escapeValue: false,
      alwaysFormat: true,
      format: (value, _format, _tag, options) =>
        groupedIfCount(value, tag, options?.interpolationkey) as string,
    },
    react: { useSuspense: false },
    ...(tag === 'it' && { postProcess: ELISION.name }),
    ...options,
  });
}

const ELEMENT_ID = 'messages';

interface PageMessages {
  locale: Locale;
  /** Address of the page's texts, which changes with them. */
  path: string;
}

/** Set on the server only; the browser reads the same from the page. */
export const PageMessagesContext = createContext<PageMessages | null>(null);

/** Preloads the texts before the script that needs them. */
export function PageMessagesLink() {
  const path = useContext(PageMessagesContext)?.path ?? pathInPage();
  return <link id={ELEMENT_ID} rel="preload" as="fetch" crossOrigin="anonymous" href={path} />;
}

/** The page's language; known even if the root loader failed. */
export function usePageLocale(): Locale {
  return useContext(PageMessagesContext)?.locale ?? localeInPage();
}

/** The texts with which the server rendered the page, for hydration. */
export async function fetchPageMessages(): Promise<{ locale: Locale; messages: Messages }> {
  const response = await fetch(pathInPage());
  if (!response.ok) throw new Error(`The texts of the page answered ${response.status}`);
  return { locale: localeInPage(), messages: (await response.json()) as Messages };
}

function pathInPage(): string {
  return document.getElementById(ELEMENT_ID)?.getAttribute('href') ?? '';
}

function localeInPage(): Locale {
  const locale = pathInPage().split('/')[2];
  return isLocale(locale) ? locale : 'gb';
}

/** Adds the texts that arrived with a navigation, before the page that needs them renders. */
export function useArrivedMessages(tag: string, messages: Messages | null): void {
  const { i18n } = useTranslation();
  for (const [namespace, texts] of Object.entries(messages ?? {})) {
    if (!i18n.hasResourceBundle(tag, namespace)) i18n.addResourceBundle(tag, namespace, texts);
  }
}

/** Adds the error texts of a refused form; not on the server, whose shared instances have them all. */
export function useArrivedErrors(texts: Record<string, string> | undefined): void {
  const { i18n } = useTranslation();
  if (texts && typeof document !== 'undefined') {
    i18n.addResourceBundle(i18n.language, 'common', { errors: { codes: texts } }, true, true);
  }
}
