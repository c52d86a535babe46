import { useLocation, useNavigate, useSubmit } from '@remix-run/react';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { LOCALE_CODES, LOCALES, type Locale } from '#contract/locales';
import { useAnnounce } from './announcer';
import { holdPage } from './background-refresh';
import { useBeforePaint } from './before-paint';
import { Dropdown } from './dropdown';
import { SHOWN_ERRORS } from './form';
import type { FailureCode } from './form-route';
import { Icon } from './icon';
import { LoadFailure } from './notices';
import { KEEPS_ACTION_DATA } from './page-action-data';
import { captureFields } from './restored-fields';
import { BackField, useFormSwitch } from './switch-form';

/**
 * Part of a route's handle: id of the form whose fields are submitted along with a language or theme switch, unless
 * another form of the page has just been refused; null if the page has no form now.
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
      <span className="language">{LOCALES[locale].label}</span>
    </>
  );
  const buttons = LOCALE_CODES.map((code) => (
    <LanguageButton key={code} code={code} isCurrent={code === locale} form={formId} />
  ));
  return (
    <Dropdown id="languages" label={label}>
      {formId ? (
        <div className="languages">
          {/* Enter in a field activates the form's first submit button, which must not be a language. Text browsers
              show it, but not without content. */}
          <button type="submit" form={formId} hidden aria-label={t('form.send')} /> {buttons}
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

/**
 * Saves the choice, then reloads the page's data in that language. Fields keep their contents; while loading
 * fails, the page stays and `problem` shows why. A form that shows errors is posted again, as without scripts, and so
 * is one with `data-resubmit`, whose page exists only as the response to a POST. What is shown only once is marked with
 * `data-once`.
 */
export function useLanguageSwitch(locale: Locale): {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  problem: ReactNode;
} {
  const navigate = useNavigate();
  const submit = useSubmit();
  const announce = useAnnounce();
  const { key } = useLocation();
  const [failure, setFailure] = useState<FailureCode | null>(null);
  const opener = useRef<Element | null>(null);
  const loading = useRef<{ from: Locale; end: (isChanged: boolean) => void } | null>(null);

  // Before paint, so that the user cannot type before fields are restored. Any navigation ends the switch.
  useBeforePaint(() => {
    if (!loading.current) return;
    const { from, end } = loading.current;
    loading.current = null;
    end(locale !== from);
    setFailure(null);
    if (locale !== from) announce(LOCALES[locale].label);
  }, [locale, key, announce]);

  function load(chosen: Locale): void {
    loading.current?.end(false);
    const path = pathWithoutLanguage();
    const stopCapture = captureFields();
    const release = holdPage(window.location.pathname, setFailure);
    const end = (isChanged: boolean) => {
      release();
      stopCapture(isChanged);
    };
    loading.current = { from: locale, end };
    const inPlace = { replace: true, preventScrollReset: true };
    const form = document.querySelector<HTMLFormElement>('main form[data-resubmit]') ?? findRefusedForm();
    const state = document.querySelector('main [data-once]') ? KEEPS_ACTION_DATA : null;
    if (form) {
      const again = withoutFiles(new FormData(form));
      again.set('lng', chosen);
      submit(again, { ...inPlace, method: 'post', action: actionOf(path) });
    } else navigate(path, { ...inPlace, state });
  }

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!(submitter instanceof HTMLButtonElement)) return;
    event.preventDefault();
    const chosen = submitter.value as Locale;
    if (chosen === locale && !loading.current) return;
    opener.current = submitter;
    setFailure(null);
    const found = await saveChoice(chosen);
    if (found) setFailure(found);
    else load(chosen);
  }

  const problem = failure && (
    <LoadFailure failure={failure} opener={opener.current} onClose={() => setFailure(null)} />
  );
  return { onSubmit, problem };
}

/** Remix addresses the action of the home page by `?index`. */
function actionOf(path: string): string {
  return path.replace(/^\/(?:\?|$)/, '/?index&').replace(/&$/, '');
}

/** The form that shows errors, if it posts to its own page. */
function findRefusedForm(): HTMLFormElement | undefined {
  const { href, pathname } = window.location;
  const shown = document.querySelectorAll<HTMLFormElement>(`main form:has(> [name=${SHOWN_ERRORS}])`);
  return [...shown].find((form) => new URL(form.getAttribute('action') ?? '', href).pathname === pathname);
}

/** Files stay in their fields. */
function withoutFiles(form: FormData): FormData {
  for (const [name, value] of [...form]) if (value instanceof File) form.delete(name);
  return form;
}

/** Returns why the choice was not saved; null on success. */
async function saveChoice(chosen: Locale): Promise<FailureCode | null> {
  const body = new URLSearchParams({ lng: chosen });
  try {
    const { type } = await fetch('/locale', { method: 'POST', body, redirect: 'manual' });
    return type === 'opaqueredirect' ? null : 'unavailable';
  } catch {
    return 'network';
  }
}

/** Also without the fragment: with one, the router would only scroll within the page. */
function pathWithoutLanguage(): string {
  const { pathname, search } = window.location;
  const query = new URLSearchParams(search);
  query.delete('lng');
  query.delete('index');
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}
