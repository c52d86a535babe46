import { useTranslation } from 'react-i18next';
import { DARK, LIGHT } from '#contract/colours';
import { DEFAULT_LOCALE, isLocale, LOCALE_CODES, LOCALES, type Locale } from '#contract/locales';
import { type Messages, useArrivedMessages } from '~/i18n/page-messages';
import type { PageKey, TitleKey } from '~/i18n/text-keys';
import { errorTextsOf } from './error-page';

/**
 * A key of texts with their values, or the texts themselves if only the loader has them. A personal page is
 * for one visitor, at a private address: it has no canonical address, language alternates or preview card. One that is
 * not listed must not be found either.
 */
type PageTexts =
  | { key: PageKey; values: Record<string, string | number>; isPersonal?: true; isUnlisted?: true }
  | { title: string; description: string };

/** Part of a route's handle: which texts, `{ title, description }`, name its page. */
export interface PageHandle {
  page: PageKey | ((data: unknown) => PageTexts);
  /** Whether all visitors without cookies but their choices get the same page, so that it may be shared. */
  isPublic?: boolean;
  /** Whether the page reloads itself until something has ended; where scripts run, they follow it instead. */
  reloads?: (data: unknown) => boolean;
  /** Where the page leads by itself. Scripts must load it as a document. */
  leadsTo?: (data: unknown) => string | null;
  /** Ids of what the page lists, whose rows show the notices about them (`RowNotice`). */
  rows?: (data: unknown) => string[];
}

const RELOAD_SECONDS = 3;

interface Site {
  locale: Locale;
  appName: string;
  publicUrl: string;
  hasFailed: boolean;
  /** Texts that arrived with a client-side navigation. */
  messages?: Messages | null;
  theme?: 'system' | 'light' | 'dark';
}

interface Props {
  page: PageHandle['page'] | undefined;
  reloads?: boolean | undefined;
  leadsTo?: string | null | undefined;
  data: unknown;
  status: number;
  pathname: string;
  search: string;
  site: Site | undefined;
}

const PAPER = { light: LIGHT.paper, dark: DARK.paper };

/** Title, description, robots, canonical and language alternates; everything in the head that depends on the page. */
export function PageHead({ page, reloads, leadsTo, data, status, pathname, search, site }: Props) {
  const { t } = useTranslation();
  // The head renders before the page, and would have no texts yet.
  useArrivedMessages(LOCALES[site?.locale ?? DEFAULT_LOCALE].tag, site?.messages ?? null);
  const appName = site?.appName ?? 'Quadrille';
  const prefix = site?.hasFailed ? `${t('form.errorPrefix')} ` : '';
  const texts = typeof page === 'function' ? page(data) : { key: page, values: {} };
  const { title: name, description } = 'title' in texts ? texts : wordsOf(texts);
  const isPersonal = 'isPersonal' in texts;

  function wordsOf({ key, values }: { key: PageKey | undefined; values: Record<string, string | number> }) {
    if (!key) return { title: t(`${errorTextsOf(status)}.title`), description: '' };
    const of = (text: string) => (key.endsWith(':') ? `${key}${text}` : `${key}.${text}`);
    return {
      title: t(of('title') as TitleKey, values),
      description: t(of('description'), { ...values, defaultValue: '' }),
    };
  }

  const isPrivate = pathname.startsWith('/user/') || status !== 200 || 'isUnlisted' in texts;
  return (
    <>
      <title>{`${prefix}${name} – ${appName}`}</title>
      {description && <meta name="description" content={description} />}
      <meta name="robots" content={isPrivate ? 'noindex, nofollow' : 'index, follow'} />
      {!isPrivate && !isPersonal && site && (
        <PublicHead site={site} pathname={pathname} search={search} name={name} description={description} />
      )}
      {reloads && (
        <noscript>
          <meta httpEquiv="refresh" content={String(RELOAD_SECONDS)} />
        </noscript>
      )}
      {leadsTo && <meta httpEquiv="refresh" content={`0; url=${leadsTo}`} />}
      <SiteLook theme={site?.theme ?? 'system'} />
    </>
  );
}

interface PublicProps {
  site: Site;
  pathname: string;
  search: string;
  name: string;
  description: string;
}

/** For search engines and link previews: one address per page and language, and a preview card. */
function PublicHead({ site, pathname, search, name, description }: PublicProps) {
  const address = site.publicUrl + pathname;
  const requested = new URLSearchParams(search).get('lng');
  const canonical = isLocale(requested) ? `${address}?lng=${requested}` : address;
  const { tag } = LOCALES[site.locale];
  return (
    <>
      <link rel="canonical" href={canonical} />
      <link rel="alternate" hrefLang="x-default" href={address} />
      {LOCALE_CODES.map((code) => (
        <link key={code} rel="alternate" hrefLang={LOCALES[code].html} href={`${address}?lng=${code}`} />
      ))}
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site.appName} />
      <meta
        property="og:locale"
        content={tag.includes('-') ? tag.replace('-', '_') : `${tag}_${tag.toUpperCase()}`}
      />
      <meta property="og:title" content={name} />
      {description && <meta property="og:description" content={description} />}
      <meta property="og:url" content={canonical} />
      <meta property="og:image" content={`${site.publicUrl}/og.png`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

/** Icons, and colours for the browser's own interface. */
function SiteLook({ theme }: { theme: 'system' | 'light' | 'dark' }) {
  return (
    <>
      <meta name="color-scheme" content={theme === 'system' ? 'light dark' : theme} />
      {theme === 'system' ? (
        <>
          <meta name="theme-color" content={PAPER.light} media="(prefers-color-scheme: light)" />
          <meta name="theme-color" content={PAPER.dark} media="(prefers-color-scheme: dark)" />
        </>
      ) : (
        <meta name="theme-color" content={PAPER[theme]} />
      )}
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      <link rel="manifest" href="/manifest.webmanifest" />
    </>
  );
}
