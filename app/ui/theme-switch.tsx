import { type FormEvent, Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { useAnnounce } from './announcer';
import { Icon } from './icon';
import { BackField, useFormSwitch } from './switch-form';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

interface Props {
  theme: Theme;
  /** Id of a form of the page. */
  form?: string | null | undefined;
}

/**
 * Three submit buttons. With scripts the page changes at once and the choice is saved in the background;
 * without, the buttons submit the page's form too, so that it keeps what was typed.
 */
export function ThemeSwitch({ theme, form }: Props) {
  const { t } = useTranslation();
  const announce = useAnnounce();
  const isHydrated = useHydrated();
  const formId = isHydrated ? undefined : (form ?? undefined);
  const formProps = useFormSwitch(formId);
  const [chosen, setChosen] = useState(theme);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    const { submitter } = event.nativeEvent as SubmitEvent;
    const value = THEMES.find((name) => submitter instanceof HTMLButtonElement && submitter.value === name);
    if (!value) return;
    event.preventDefault();
    const body = new URLSearchParams({ theme: value });
    setChosen(value);
    document.documentElement.dataset.theme = value;
    announce(`${t('theme.legend')}: ${t(`theme.${value}`)}`);
    // If this fails, this page keeps the new theme, and only the next one has the old.
    fetch('/theme', { method: 'POST', body, redirect: 'manual', keepalive: true }).catch(() => undefined);
  }

  const buttons = THEMES.map((name) => (
    <Fragment key={name}>
      <button type="submit" name="theme" value={name} aria-pressed={name === chosen} {...formProps}>
        <Icon name={ICONS[name]} />
        {t(`theme.${name}`)}
      </button>{' '}
    </Fragment>
  ));
  const choice = (
    <fieldset>
      <legend>{t('theme.legend')}</legend>
      {!formId && <BackField />}
      <div>{buttons}</div>
    </fieldset>
  );
  if (formId) return <div className="theme-switch">{choice}</div>;
  return (
    <form method="post" action="/theme" className="theme-switch" onSubmit={onSubmit}>
      {choice}
    </form>
  );
}
