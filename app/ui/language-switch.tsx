import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { LOCALE_CODES, LOCALES, type Locale } from '~/i18n/locales';
import { Dropdown } from './dropdown';
import { Icon } from './icon';
import { BackField, useFormSwitch } from './switch-form';

/**
 * Part of a route's handle: id of the form whose fields are submitted along with a language or theme switch.
 */
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
 * Posts, because it changes the saved language; the response is the same page in that language. Without
 * scripts the buttons submit the page's form too, so that it keeps what was typed; with scripts only the
 * texts of the page change.
 */
export function LanguageSwitch({ locale, form, onSubmit }: Props) {
  const { t } = useTranslation();
  const isHydrated = useHydrated();
  const formId = !isHydrated && form ? form : undefined;
  const label = (
    <>
      <Icon name="globe" />
      <span className="sr-only">{t('nav.language')} </span>
      {LOCALES[locale].label}
    </>
  );
  const buttons = LOCALE_CODES.map((code) => (
    <LanguageButton key={code} code={code} isCurrent={code === locale} form={formId} />
  ));
  return (
    <Dropdown id="languages" label={label}>
      {formId ? (
        <div className="languages">
          {/* Enter in a field activates the form's first submit button, which must not be a language. */}
          <button type="submit" form={formId} hidden>
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
  const formProps = useFormSwitch(form, { lng: code });
  return (
    <>
      <button
        type="submit"
        name="lng"
        value={code}
        lang={LOCALES[code].html}
        aria-current={isCurrent || undefined}
        className="nav-item"
        {...formProps}
      >
        {LOCALES[code].label}
      </button>{' '}
    </>
  );
}
