import { useTranslation } from 'react-i18next';
import { LOCALE_CODES, LOCALES, type Locale } from '~/i18n/locales';
import { BackField } from './back-field';
import { Dropdown } from './dropdown';
import { Icon } from './icon';

/** Posts, because it changes what is remembered; the answer is the same page in the other language. */
export function LanguageSwitch({ locale }: { locale: Locale }) {
  const { t } = useTranslation();
  const label = (
    <>
      <Icon name="globe" />
      <span className="sr-only">{t('nav.language')} </span>
      {LOCALES[locale].label}
    </>
  );
  return (
    <Dropdown id="languages" label={label}>
      <form method="post" action="/locale" className="languages">
        <BackField />
        {LOCALE_CODES.map((code) => (
          <button
            key={code}
            type="submit"
            name="lng"
            value={code}
            lang={LOCALES[code].html}
            aria-current={code === locale || undefined}
            className="nav-item"
          >
            {LOCALES[code].label}
          </button>
        ))}
      </form>
    </Dropdown>
  );
}
