import { createContext, useContext } from 'react';
import type { Locale } from './locales';
import type { Messages } from './options';

const ELEMENT_ID = 'messages';

interface Inline {
  locale: Locale;
  messages: Messages;
}

/** Set on the server only; the browser reads the same from the page. */
export const InlineMessages = createContext<Inline | null>(null);

/** The texts of this page, so that hydration starts with the words the server used. */
export function InlineMessagesData() {
  const inline = useContext(InlineMessages);
  const json = inline ? JSON.stringify(inline) : inlineJson();
  return <data id={ELEMENT_ID} hidden value={json} suppressHydrationWarning />;
}

/** Known even where root's own loader failed. */
export function useInlineLocale(): Locale {
  return useContext(InlineMessages)?.locale ?? readInlineMessages().locale;
}

export function readInlineMessages(): Inline {
  return JSON.parse(inlineJson()) as Inline;
}

function inlineJson(): string {
  return document.getElementById(ELEMENT_ID)?.getAttribute('value') ?? '';
}
