import { createHash } from 'node:crypto';
import i18next, { type i18n } from 'i18next';
import { FALLBACK_LOCALE, LOCALE_CODES, LOCALES, type Locale } from '#contract/locales';
import { type Messages, startI18n } from './page-messages';
import { splitCode } from './text-keys';

/** Files of locales/<code>/ that a page needs besides `common`; the first matching prefix decides. */
const NAMESPACES: ReadonlyArray<readonly [prefix: string, namespaces: readonly string[]]> = [
  ['/create', ['design', 'look']],
  ['/user/qrcodes/zip', ['files']],
  ['/user/qrcodes/sheet', ['files']],
  ['/user/qrcodes/', ['codes', 'design', 'look', 'routing', 'statistics']],
  ['/user/qrcodes', ['codes', 'design']],
  ['/user/styles/', ['codes', 'design', 'look']],
  ['/user/styles', ['codes', 'design']],
  ['/user/analytics', ['statistics']],
  ['/user/settings/webhooks', ['webhooks', 'settings', 'account']],
  ['/report', ['statistics']],
  ['/user/settings', ['settings', 'account']],
  ['/user/authorize', ['authorize', 'settings', 'account']],
  ['/user/dashboard', ['dashboard', 'statistics']],
  ['/user/signed-out', ['account']],
  ['/user/subscription', ['billing']],
  ['/subscribe', ['billing']],
  ['/payment-success', ['billing']],
  ['/cancel-contract', ['billing']],
  ['/withdraw', ['billing']],
  ['/money-back', ['billing']],
  ['/declaration', ['billing']],
  ['/confirm-order', ['billing']],
  ['/login', ['account']],
  ['/onboarding', ['account']],
  ['/forgot-password', ['account']],
  ['/reset-password', ['account']],
  ['/confirm-email', ['account']],
  ['/mails-off', ['account']],
  ['/pricings', ['pricing']],
  ['/contact', ['contact']],
  ['/developers', ['developers']],
  ['/cookies', ['consent']],
  ['/r/', ['landing']],
  ['/l/', ['landing']],
];

const HOME = ['home', 'design'] as const;

export function namespacesOf(pathname: string): string[] {
  const path = pathname.toLowerCase();
  if (path === '/') return ['common', ...HOME];
  const [, namespaces] = NAMESPACES.find(([prefix]) => path.startsWith(prefix)) ?? ['', []];
  return ['common', ...namespaces];
}

/** Includes the texts of the look form, which may be open when the home page switches its language. */
export function navigationNamespaces(pathname: string): string[] {
  return pathname === '/' ? ['common', ...HOME, 'look'] : namespacesOf(pathname);
}

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

const WITHOUT_ERRORS = ['design', 'account', 'settings', 'billing', 'webhooks'];

const forBrowser = new Map<Locale, Messages>(
  [...all].map(([code, texts]) => [
    code,
    Object.fromEntries(Object.entries(texts).map(([name, content]) => [name, withoutErrors(name, content)])),
  ]),
);

const instances = new Map<Locale, i18n>(LOCALE_CODES.map((code) => [code, createInstance(code)]));

/** One shared instance per locale; its language is never changed. */
export function i18nOf(locale: Locale): i18n {
  return instances.get(locale) as i18n;
}

/** The texts of some namespaces for the browser, without those that `errorTexts` adds to a refused form. */
export function messagesOf(locale: Locale, namespaces: string[]): Messages {
  const texts = forBrowser.get(locale) ?? {};
  return Object.fromEntries(namespaces.flatMap((name) => (texts[name] ? [[name, texts[name]]] : [])));
}

/** Only for lists from `namespacesOf`, as browsers could request any number of others. */
const paths = new Map<string, string>();

/** Address of these texts: the names of the namespaces and a hash of the contents. */
export function messagesPath(locale: Locale, namespaces: string[]): string {
  const name = namespaces.join('+');
  const known = paths.get(`${locale}/${name}`);
  if (known) return known;
  const path = `/messages/${locale}/${fileName(name, JSON.stringify(messagesOf(locale, namespaces)))}`;
  paths.set(`${locale}/${name}`, path);
  return path;
}

function fileName(name: string, json: string): string {
  return `${name}.${createHash('sha256').update(json).digest('hex').slice(0, 12)}.json`;
}

/** The texts of a file name from `messagesPath`; null if it is invalid. */
export function messagesFile(locale: Locale, file: string): { json: string; isCurrent: boolean } | null {
  const namespaces = /^([a-z+-]{1,200})\.[0-9a-f]{12}\.json$/.exec(file)?.[1]?.split('+');
  if (!namespaces?.every((name, place) => all.get(locale)?.[name] && namespaces.indexOf(name) === place))
    return null;
  const json = JSON.stringify(messagesOf(locale, namespaces));
  return { json, isCurrent: fileName(namespaces.join('+'), json) === file };
}

/** Texts for message codes, as worded on pages with these namespaces; values are filled in on display. */
export function errorTexts(locale: Locale, namespaces: string[], codes: string[]): Record<string, string> {
  const { tag } = LOCALES[locale];
  const find = (namespace: string, key: string): unknown => i18nOf(locale).getResource(tag, namespace, key);
  return Object.fromEntries(
    [...codes, 'invalid'].flatMap((full) => {
      const [code] = splitCode(full);
      const own = namespaces.map((namespace) => find(namespace, `errors.${code}`));
      const text = [...own, find('common', `errors.codes.${code}`)].find(
        (found) => typeof found === 'string',
      );
      return typeof text === 'string' ? [[code, text]] : [];
    }),
  );
}

/** The text of one message code, with what was probably meant, as `errorTexts` finds it; null if there is none. */
export function errorText(locale: Locale, namespaces: string[], full: string): string | null {
  const [code, meant = ''] = splitCode(full);
  const text = errorTexts(locale, namespaces, [full])[code];
  return text?.replace('{{meant}}', () => meant) ?? null;
}

function createInstance(locale: Locale): i18n {
  const instance = i18next.createInstance();
  const { tag } = LOCALES[locale];
  startI18n(instance, tag, {
    fallbackLng: LOCALES[FALLBACK_LOCALE].tag,
    resources: {
      [LOCALES[FALLBACK_LOCALE].tag]: all.get(FALLBACK_LOCALE) ?? {},
      [tag]: all.get(locale) ?? {},
    },
  });
  // The library would work these out anew for each text: 4 % of the time of a page.
  const tags = instance.services.languageUtils.toResolveHierarchy(tag);
  instance.services.languageUtils.toResolveHierarchy = () => tags;
  return instance;
}

function withoutErrors(namespace: string, texts: Messages[string]): Messages[string] {
  const { errors, ...others } = texts;
  if (WITHOUT_ERRORS.includes(namespace)) return others;
  if (namespace !== 'common') return texts;
  const { codes: _codes, ...pages } = errors as Record<string, unknown>;
  return { ...others, errors: pages };
}
