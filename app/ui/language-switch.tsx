import { useNavigate, useSubmit } from '@remix-run/react';
import { type FormEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { LOCALE_CODES, LOCALES, type Locale } from '~/i18n/locales';
import { useAnnounce } from './announcer';
import { Dropdown } from './dropdown';
import { Icon } from './icon';
import { captureFields } from './restored-fields';
import { BackField, useFormSwitch } from './switch-form';

/** In the handle of a route: id of the form whose typed fields go along when language or theme are switched there. */
export interface FormHandle {
  form?: string | ((data: unknown) => string | null);
}

interface Props {
  locale: Locale;
  /** Id of a form of the page. */
  form?: string | null | undefined;
}

/**
 * Posts, because it changes what is remembered; the answer is the same page in the other language. Without scripts the
 * buttons send the page's form along, so that what was typed comes back; with them the page stays and its words change.
 */
export function LanguageSwitch({ locale, form }: Props) {
  const { t } = useTranslation();
  const isHydrated = useHydrated();
  const onSubmit = useSwitch(locale);
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

/**
 * Saves the choice, then loads the page's data anew in that language; fields keep what they hold. A page that only a
 * post answers marks its form with `data-answer`: that goes along, as it does without scripts.
 */
function useSwitch(locale: Locale) {
  const navigate = useNavigate();
  const submit = useSubmit();
  const announce = useAnnounce();
  const putBack = useRef<(() => void) | null>(null);

  useEffect(() => {
    if (!putBack.current) return;
    putBack.current();
    putBack.current = null;
    announce(LOCALES[locale].label);
  }, [locale, announce]);

  return (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!(submitter instanceof HTMLButtonElement)) return;
    event.preventDefault();
    if (submitter.value === locale) return;
    const body = new URLSearchParams({ lng: submitter.value });
    const form = event.currentTarget;
    fetch('/locale', { method: 'POST', body, redirect: 'manual' }).then(
      () => {
        putBack.current = captureFields();
        const path = pathWithoutLanguage();
        const inPlace = { replace: true, preventScrollReset: true };
        const answer = document.querySelector<HTMLFormElement>('main form[data-answer]');
        if (!answer) return navigate(path, inPlace);
        const again = new FormData(answer);
        again.set('lng', submitter.value);
        submit(again, { ...inPlace, method: 'post', action: path });
      },
      () => form.submit(),
    );
  };
}

/** Without the fragment too: with one, the framework would take this for a jump within the page. */
function pathWithoutLanguage(): string {
  const { pathname, search } = window.location;
  const query = new URLSearchParams(search);
  query.delete('lng');
  query.delete('index');
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}
