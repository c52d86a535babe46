import { useTranslation } from 'react-i18next';
import { LOCALE_CODES, LOCALES, type Locale } from '~/i18n/locales';

/** Static description of a route: which texts name it. `page` is `namespace:key` of `{ title, description }`. */
export interface PageHandle {
  page: string | ((data: unknown) => { key: string; values: Record<string, string | number> });
}

interface Site {
  locale: Locale;
  appName: string;
  publicUrl: string;
  hasFailed: boolean;
}

interface Props {
  page: PageHandle['page'] | undefined;
  data: unknown;
  status: number;
  pathname: string;
  site: Site | undefined;
}

/** Title, description, robots, canonical and language alternates; everything in the head that depends on the page. */
export function PageHead({ page, data, status, pathname, site }: Props) {
  const { t } = useTranslation();
  const { key, values } = typeof page === 'function' ? page(data) : { key: page, values: {} };
  const appName = site?.appName ?? 'Quadrille';
  const name = key ? t(`${key}.title`, values) : t(status === 404 ? 'errors.404.title' : 'errors.500.title');
  const prefix = site?.hasFailed ? `${t('form.errorPrefix')} ` : '';
  const description = key ? t(`${key}.description`, { ...values, defaultValue: '' }) : '';
  const isPrivate = pathname.startsWith('/user/') || status !== 200;
  const address = `${site?.publicUrl ?? ''}${pathname === '/' ? '' : pathname}`;
  return (
    <>
      <title>{`${prefix}${name} – ${appName}`}</title>
      {description && <meta name="description" content={description} />}
      <meta name="robots" content={isPrivate ? 'noindex, nofollow' : 'index, follow'} />
      {!isPrivate && site && (
        <>
          <link rel="canonical" href={address || '/'} />
          {LOCALE_CODES.map((code) => (
            <link
              key={code}
              rel="alternate"
              hrefLang={LOCALES[code].tag}
              href={`${address || '/'}?lng=${code}`}
            />
          ))}
        </>
      )}
    </>
  );
}
