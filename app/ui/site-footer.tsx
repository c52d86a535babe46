import { Link } from '@remix-run/react';
import { type FormEvent, Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import type { TextName } from '~/i18n/text-keys';
import { useAnnounce } from './announcer';
import { Icon } from './icon';
import { Mark } from './module-art';
import { BackField, useFormSwitch } from './switch-form';

interface Props {
  /** One line of links instead of all. */
  isShort?: boolean;
  theme: 'system' | 'light' | 'dark';
  appName?: string | undefined;
  /** Id of a form of the page. */
  form?: string | null | undefined;
}

type TextKey = `footer.${TextName<'common', 'footer'>}` | `nav.${TextName<'common', 'nav'>}`;

const COLUMNS: [title: TextKey, links: [text: TextKey, to: string][]][] = [
  [
    'footer.services',
    [
      ['nav.create', '/create'],
      ['footer.advantages', '/#advantages'],
      ['footer.how', '/#how'],
      ['nav.pricings', '/pricings'],
      ['footer.manage', '/contact'],
      ['footer.myCodes', '/user/qrcodes'],
    ],
  ],
  [
    'footer.learn',
    [
      ['nav.contact', '/contact'],
      ['nav.faq', '/faq'],
      ['footer.developers', '/developers'],
      ['footer.legal', '/legal-notices'],
      ['footer.terms', '/terms-of-sales'],
      ['footer.cookies', '/cookie-policy'],
      ['footer.privacy', '/privacy-policy'],
    ],
  ],
  [
    'footer.questions',
    [
      ['footer.howToCreate', '/faq#how-to-create'],
      ['footer.howToModify', '/faq#how-to-modify'],
      ['footer.kinds', '/faq#kinds-of-codes'],
      ['footer.howToTrack', '/faq#how-to-track'],
    ],
  ],
  [
    'footer.contract',
    [
      ['footer.cancel', '/cancel-contract'],
      ['footer.withdraw', '/withdraw'],
      ['footer.cookieSettings', '/cookies'],
    ],
  ],
];

const WORK_LINKS: [text: TextKey, to: string][] = [
  ['nav.pricings', '/pricings'],
  ['nav.faq', '/faq'],
  ['nav.contact', '/contact'],
  ['footer.cancel', '/cancel-contract'],
  ['footer.withdraw', '/withdraw'],
  ['footer.legal', '/legal-notices'],
  ['footer.terms', '/terms-of-sales'],
  ['footer.privacy', '/privacy-policy'],
  ['footer.cookies', '/cookie-policy'],
  ['footer.cookieSettings', '/cookies'],
];

// Names of brands, the same in every language.
const CARDS = ['Visa', 'Mastercard', 'CB', 'Amex'];

export function SiteFooter({ isShort = false, theme, appName = 'Quadrille', form }: Props) {
  const { t } = useTranslation();
  if (isShort) {
    return (
      <footer className="site-footer site-footer--work">
        <nav aria-label={t('footer.label')}>
          <FooterLinks links={WORK_LINKS} />
        </nav>
        <ThemeSwitch theme={theme} form={form} />
      </footer>
    );
  }
  return (
    <footer className="site-footer">
      <div className="columns">
        {COLUMNS.map(([title, links]) => (
          <nav key={title} aria-labelledby={title.replace('.', '-')}>
            <h2 id={title.replace('.', '-')}>{t(title)}</h2>
            <FooterLinks links={links} />
          </nav>
        ))}
      </div>
      <div className="imprint">
        <p className="brand">
          <Mark />
          {appName}
        </p>
        <div className="cards">
          <span className="sr-only">{t('footer.cards')}</span>
          <ul>
            {CARDS.map((card) => (
              <li key={card}>{card}</li>
            ))}
          </ul>
        </div>
        <ThemeSwitch theme={theme} form={form} />
      </div>
    </footer>
  );
}

function FooterLinks({ links }: { links: [text: TextKey, to: string][] }) {
  const { t } = useTranslation();
  return (
    <ul>
      {links.map(([text, to]) => (
        <li key={text}>
          <Link to={to}>{t(text)}</Link>
        </li>
      ))}
    </ul>
  );
}

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

interface ThemeSwitchProps {
  theme: Theme;
  /** Id of a form of the page. */
  form?: string | null | undefined;
}

/**
 * Three submit buttons. With scripts the page changes at once and the choice is saved in the background;
 * without, the buttons submit the page's form too, so that it keeps what was typed.
 */
function ThemeSwitch({ theme, form }: ThemeSwitchProps) {
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
    announce(t('labelled', { label: t('theme.legend'), value: t(`theme.${value}`) }));
    // If this fails, this page keeps the new theme, and only the next one has the old.
    fetch('/theme', { method: 'POST', body, redirect: 'manual', keepalive: true }).catch(() => undefined);
  }

  const buttons = THEMES.map((name) => (
    <Fragment key={name}>
      <button type="submit" name="theme" value={name} aria-pressed={name === chosen} {...formProps}>
        <Icon name={ICONS[name]} />
        <span>{t(`theme.${name}`)}</span>
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
