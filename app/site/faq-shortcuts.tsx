import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Icon } from '~/ui/icon';

const ENTRIES = ['how-to-create', 'how-to-modify', 'kinds-of-codes', 'how-to-track'] as const;

export function FaqShortcuts() {
  const { t } = useTranslation('home');
  return (
    <section className="shortcuts">
      <h2>{t('faq.title')}</h2>
      <ul>
        {ENTRIES.map((entry) => (
          <li key={entry}>
            <Link to={`/faq#${entry}`}>
              {t(`faq.${entry}`)}
              <Icon name="arrow-right" />
            </Link>
          </li>
        ))}
        <li>
          <Link to="/faq">
            <strong>{t('faq.all')}</strong>
            <Icon name="arrow-right" />
          </Link>
        </li>
      </ul>
    </section>
  );
}
