import { useTranslation } from 'react-i18next';
import type { Messages } from './options';

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
