import { createContext, useContext } from 'react';
import { isLocale, type Locale } from './locales';
import type { Messages } from './options';

const ELEMENT_ID = 'messages';

interface PageMessages {
  locale: Locale;
  /** Address of the page's texts; a new address for every change of them. */
  path: string;
}

/** Set on the server only; the browser reads the same from the page. */
export const PageMessagesContext = createContext<PageMessages | null>(null);

/** Has the texts on their way before the script that needs them. */
export function PageMessagesLink() {
  const path = useContext(PageMessagesContext)?.path ?? pathInPage();
  return <link id={ELEMENT_ID} rel="preload" as="fetch" crossOrigin="anonymous" href={path} />;
}

/** The page's language; known even where root's own loader failed. */
export function usePageLocale(): Locale {
  return useContext(PageMessagesContext)?.locale ?? localeInPage();
}

/** The words the server used, for hydration to start with. */
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
