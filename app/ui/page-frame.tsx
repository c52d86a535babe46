import { useLocation } from '@remix-run/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Locale } from '#contract/locales';
import { Announcer, RouteAnnouncer } from './announcer';
import { Notices, NoticesProvider, type NoticeView } from './notices';
import { SiteFooter } from './site-footer';
import { SiteHeader } from './site-header';

/** Pages that signed-in people work on, which are wider than those that are read. */
const WORK_PATH = /^\/(?:user|create)(?:\/|$)/;

interface Props {
  user: { label: string } | null;
  locale: Locale;
  theme: 'system' | 'light' | 'dark';
  notices: NoticeView[];
  /** Ids of what the page lists, whose rows show the notices about them. */
  rows?: string[] | undefined;
  appName?: string | undefined;
  /** Id of the form whose fields are submitted along with a language or theme switch. */
  form?: string | null | undefined;
  /** Comes before everything else, even the skip link. */
  banner?: ReactNode;
  children: ReactNode;
}

export function PageFrame({
  user,
  locale,
  theme,
  notices,
  rows = [],
  appName,
  form,
  banner,
  children,
}: Props) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const isWork = user !== null && WORK_PATH.test(pathname);
  return (
    <Announcer>
      {banner}
      <a href="#main" className="skip-link">
        {t('skip')}
      </a>
      <SiteHeader user={user} locale={locale} appName={appName} form={form} />
      <main id="main" tabIndex={-1} className={isWork ? 'work' : undefined}>
        <NoticesProvider notices={notices} rows={rows}>
          <Notices />
          {children}
        </NoticesProvider>
      </main>
      <SiteFooter isShort={isWork} theme={theme} appName={appName} form={form} />
      <RouteAnnouncer />
    </Announcer>
  );
}
