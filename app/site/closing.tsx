import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';

/** The last section of the home page, with a link back to the form at its top. */
export function Closing() {
  const { t } = useTranslation('home');
  return (
    <section className="closing band">
      <h2>{t('closing.title')}</h2>
      <p className="lead">{t('closing.text')}</p>
      <Link to="/#create" className={buttonClass()}>
        {t('closing.action')}
      </Link>
    </section>
  );
}
