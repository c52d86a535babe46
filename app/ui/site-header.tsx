import { Link, NavLink, useLocation } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { Locale } from '#contract/locales';
import type { TextName } from '~/i18n/text-keys';
import { Dropdown, usePopover } from './dropdown';
import { Icon, type IconName } from './icon';
import { LanguageSwitch, useLanguageSwitch } from './language-switch';
import { Mark } from './module-art';

interface Props {
  user: { label: string } | null;
  locale: Locale;
  appName?: string | undefined;
  form?: string | null | undefined;
}

/** For signed-in users. */
const WORK_PAGES = ['dashboard', 'qrcodes', 'analytics', 'subscription'] as const;
const PUBLIC_PAGES = ['pricings', 'faq', 'contact'] as const;
const ACCOUNT_PAGES: [page: TextName<'common', 'nav'>, icon: IconName][] = [
  ['styles', 'code'],
  ['settings', 'settings'],
];

/** One line at every width. On small screens the links are in a popover, which works without scripts. */
export function SiteHeader({ user, locale, appName = 'Quadrille', form }: Props) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const menu = usePopover<HTMLElement>();
  const { onSubmit, problem } = useLanguageSwitch(locale);
  return (
    <header className="site-header">
      <div className="bar">
        <Link to="/" className="brand">
          <Mark />
          <span>{appName}</span>
        </Link>
        <nav ref={menu} id="menu" aria-label={t('nav.label')} {...{ popover: 'auto' }}>
          {user ? (
            <>
              <ul className="work-pages">
                {WORK_PAGES.map((page) => (
                  <li key={page}>
                    <NavLink to={`/user/${page}`} className="nav-item">
                      {t(`nav.${page}`)}
                    </NavLink>
                  </li>
                ))}
              </ul>
              <Dropdown id="help" label={t('nav.help')}>
                <PublicPages />
              </Dropdown>
            </>
          ) : (
            <PublicPages />
          )}
          <LanguageSwitch locale={locale} form={form} onSubmit={onSubmit} />
          {user ? (
            <UserMenu label={user.label} />
          ) : (
            <NavLink to="/login" className="nav-item">
              {t('nav.login')}
            </NavLink>
          )}
        </nav>{' '}
        <Link to={pathname === '/' ? '/#create' : '/create'} className="button create">
          <Icon name="plus" />
          <span>{t('nav.create')}</span>
        </Link>{' '}
        <button type="button" className="nav-item menu-button" {...{ popovertarget: 'menu' }}>
          <Icon name="menu" />
          {t('nav.menu')}
        </button>
      </div>
      {problem}
    </header>
  );
}

function PublicPages() {
  const { t } = useTranslation();
  return (
    <ul>
      {PUBLIC_PAGES.map((page) => (
        <li key={page}>
          <NavLink to={`/${page}`} className="nav-item">
            {t(`nav.${page}`)}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

function UserMenu({ label }: { label: string }) {
  const { t } = useTranslation();
  return (
    <div className="user-nav">
      <NavLink to="/user/dashboard" className="nav-item user-label">
        <Icon name="user" />
        <span>{label}</span>
      </NavLink>
      <Dropdown id="user-menu" label={<span className="sr-only">{t('nav.account')}</span>}>
        <ul>
          {ACCOUNT_PAGES.map(([page, icon]) => (
            <li key={page}>
              <NavLink to={`/user/${page}`} className="nav-item">
                <Icon name={icon} />
                {t(`nav.${page}`)}
              </NavLink>
            </li>
          ))}
        </ul>
        <form method="post" action="/logout">
          <button type="submit" className="nav-item">
            <Icon name="logout" />
            {t('nav.logout')}
          </button>
        </form>
      </Dropdown>
    </div>
  );
}
