// What the pages use of i18next and react-i18next, in a twentieth of their size: the browser's build has it in the place
// of both (vite.config.ts), the server the libraries themselves.
import type { InitOptions, PostProcessorModule } from 'i18next';
import { type ReactNode, useMemo, useSyncExternalStore } from 'react';
import { groupedIfCount } from './grouped';

type Texts = { [key: string]: unknown };
type Values = Record<string, unknown> & {
  count?: number;
  ns?: string;
  defaultValue?: string;
};

const bundles = new Map<string, Texts>();
const listeners = new Set<() => void>();
let defaultNamespace = 'common';
let postProcess: ((text: string) => string) | undefined;
let plurals: Intl.PluralRules;

const bundleKey = (language: string, namespace: string) => `${language}/${namespace}`;

const i18n = {
  language: '',

  use({ process }: PostProcessorModule) {
    postProcess = (text) => process(text, '', {}, i18n);
    return i18n;
  },

  init({ lng = '', resources, defaultNS, postProcess: isProcessed }: InitOptions): void {
    if (!isProcessed) postProcess = undefined;
    if (typeof defaultNS === 'string') defaultNamespace = defaultNS;
    for (const [language, namespaces] of Object.entries(resources ?? {}))
      for (const [namespace, texts] of Object.entries(namespaces))
        i18n.addResourceBundle(language, namespace, texts as Texts);
    i18n.changeLanguage(lng);
  },

  changeLanguage(language: string): void {
    i18n.language = language;
    plurals = new Intl.PluralRules(language);
    for (const tell of listeners) tell();
  },

  hasResourceBundle: (language: string, namespace: string) => bundles.has(bundleKey(language, namespace)),

  /** Adds to the texts that are there; `isDeep` to those within them too. */
  addResourceBundle(language: string, namespace: string, texts: Texts, isDeep = false): void {
    const key = bundleKey(language, namespace);
    const known = bundles.get(key) ?? {};
    bundles.set(key, isDeep ? merge(known, texts) : { ...known, ...texts });
  },
};

export default i18n;

function merge(known: Texts, added: Texts): Texts {
  const merged = { ...known };
  for (const [key, value] of Object.entries(added)) {
    const old = merged[key];
    merged[key] = isTexts(old) && isTexts(value) ? merge(old, value) : value;
  }
  return merged;
}

function isTexts(value: unknown): value is Texts {
  return typeof value === 'object' && value !== null;
}

/** The first of the keys that there is a text for; else the default, or the last key. */
function translate(hookNamespace: string, keys: string | string[], values: Values): string {
  let last = '';
  for (const key of [keys].flat()) {
    const [, namespace = values.ns ?? hookNamespace, path = key] = /^([^:]+):(.*)$/s.exec(key) ?? [];
    last = path;
    const text = find(namespace, path, values.count);
    if (text !== undefined) return interpolate(text, values);
  }
  return values.defaultValue === undefined ? last : interpolate(values.defaultValue, values);
}

function find(namespace: string, path: string, count: number | undefined): string | undefined {
  const texts = bundles.get(bundleKey(i18n.language, namespace));
  const forms = count === undefined ? [path] : [`${path}_${plurals.select(count)}`, path];
  for (const form of forms) {
    let found: unknown = texts;
    for (const part of form.split('.')) found = isTexts(found) ? found[part] : undefined;
    if (typeof found === 'string') return found;
  }
  return undefined;
}

function interpolate(text: string, values: Values): string {
  const filled = text.replace(/\{\{(\w+)\}\}/g, (all, name: string) =>
    Object.hasOwn(values, name) ? String(groupedIfCount(values[name], i18n.language, name) ?? '') : all,
  );
  return postProcess?.(filled) ?? filled;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTranslation(namespace = defaultNamespace) {
  const language = useSyncExternalStore(
    subscribe,
    () => i18n.language,
    () => i18n.language,
  );
  return useMemo(() => {
    // With the language, as what is made of texts in effects and memos depends on `t`.
    const t = (keys: string | string[], values: Values = {}) => translate(namespace, keys, values);
    return { t, i18n, language };
  }, [namespace, language]);
}

export function I18nextProvider({ children }: { children: ReactNode }) {
  return children;
}
