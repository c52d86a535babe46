import type { InitOptions } from 'i18next';

export type Messages = Record<string, Record<string, unknown>>;

/** The same on server and browser, as hydration would otherwise show other texts. */
export function i18nOptions(tag: string): InitOptions {
  return {
    lng: tag,
    load: 'currentOnly',
    defaultNS: 'common',
    initImmediate: false,
    returnNull: false,
    // React escapes already.
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  };
}
