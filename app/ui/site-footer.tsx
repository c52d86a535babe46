import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import type { TextName } from '~/i18n/text-keys';
import { Mark } from './module-art';
import { ThemeSwitch } from './theme-switch';

interface Props {
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

// Names of brands, the same in every language.
const CARDS = ['Visa', 'Mastercard', 'CB', 'Amex'];

export function SiteFooter({ theme, appName = 'Quadrille', form }: Props) {
  const { t } = useTranslation();
  return (
    <footer className="site-footer">
      <div className="columns">
        {COLUMNS.map(([title, links]) => (
          <nav key={title} aria-labelledby={title.replace('.', '-')}>
            <h2 id={title.replace('.', '-')}>{t(title)}</h2>
            <ul>
              {links.map(([text, to]) => (
                <li key={text}>
                  <Link to={to}>{t(text)}</Link>
                </li>
              ))}
            </ul>
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
