import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { LOCALE_CODES, LOCALES, type Locale } from '~/i18n/locales';
import { Dropdown } from './dropdown';
import { Icon } from './icon';
import { BackField, useFormSwitch } from './switch-form';

/** In the handle of a route: id of the form whose typed fields go along when language or theme are switched there. */
export interface FormHandle {
  form?: string | ((data: unknown) => string | null);
}

interface Props {
  locale: Locale;
  /** Id of a form of the page. */
  form?: string | null | undefined;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
}

/**
 * Posts, because it changes what is remembered; the answer is the same page in the other language. Without scripts the
 * buttons send the page's form along, so that what was typed comes back; with them the page stays and its words change.
 */
export function LanguageSwitch({ locale, form, onSubmit }: Props) {
  const { t } = useTranslation();
  const isHydrated = useHydrated();
  const takes = !isHydrated && form ? form : undefined;
  const label = (
    <>
      <Icon name="globe" />
      <span className="sr-only">{t('nav.language')} </span>
      {LOCALES[locale].label}
    </>
  );
  const buttons = LOCALE_CODES.map((code) => (
    <LanguageButton key={code} code={code} isCurrent={code === locale} form={takes} />
  ));
  return (
    <Dropdown id="languages" label={label}>
      {takes ? (
        <div className="languages">
          {/* Enter in a field presses the first button that sends its form, which must not be a language. */}
          <button type="submit" form={takes} hidden>
            {t('form.send')}
          </button>{' '}
          {buttons}
        </div>
      ) : (
        <form method="post" action="/locale" className="languages" onSubmit={onSubmit}>
          <BackField />
          {buttons}
        </form>
      )}
    </Dropdown>
  );
}

interface ButtonProps {
  code: Locale;
  isCurrent: boolean;
  form: string | undefined;
}

function LanguageButton({ code, isCurrent, form }: ButtonProps) {
  const takesForm = useFormSwitch(form, { lng: code });
  return (
    <>
      <button
        type="submit"
        name="lng"
        value={code}
        lang={LOCALES[code].html}
        aria-current={isCurrent || undefined}
        className="nav-item"
        {...takesForm}
      >
        {LOCALES[code].label}
      </button>{' '}
    </>
  );
}
