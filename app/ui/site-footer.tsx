import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Mark } from './mark';
import { ThemeSwitch } from './theme-switch';

interface Props {
  theme: 'system' | 'light' | 'dark';
  appName?: string | undefined;
}

const COLUMNS: [title: string, links: [text: string, to: string][]][] = [
  [
    'services',
    [
      ['create', '/create'],
      ['advantages', '/#advantages'],
      ['how', '/#how'],
      ['pricings', '/pricings'],
      ['manage', '/contact'],
      ['qrcodes', '/user/qrcodes'],
    ],
  ],
  [
    'learn',
    [
      ['contact', '/contact'],
      ['faq', '/faq'],
      ['legal', '/legal-notices'],
      ['terms', '/terms-of-sales'],
      ['cookies', '/cookie-policy'],
      ['privacy', '/privacy-policy'],
    ],
  ],
  [
    'questions',
    [
      ['howToCreate', '/faq#how-to-create'],
      ['howToModify', '/faq#how-to-modify'],
      ['kinds', '/faq#kinds-of-codes'],
      ['howToTrack', '/faq#how-to-track'],
    ],
  ],
  [
    'contract',
    [
      ['cancel', '/cancel-contract'],
      ['withdraw', '/withdraw'],
      ['cookieSettings', '/cookies'],
    ],
  ],
];

// Names of brands, the same in every language.
const CARDS = ['Visa', 'Mastercard', 'CB', 'Amex'];

export function SiteFooter({ theme, appName = 'Quadrille' }: Props) {
  const { t } = useTranslation();
  return (
    <footer className="site-footer">
      <div className="columns">
        {COLUMNS.map(([title, links]) => (
          <nav key={title} aria-labelledby={`footer-${title}`}>
            <h2 id={`footer-${title}`}>{t(`footer.${title}`)}</h2>
            <ul>
              {links.map(([text, to]) => (
                <li key={text}>
                  <Link to={to}>{t(`footer.${text}`)}</Link>
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
        <ul className="cards" aria-label={t('footer.cards')}>
          {CARDS.map((card) => (
            <li key={card}>{card}</li>
          ))}
        </ul>
        <ThemeSwitch theme={theme} />
      </div>
    </footer>
  );
}
