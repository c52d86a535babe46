import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { Icon } from '~/ui/icon';

export function PricingTeaser() {
  const { t } = useTranslation('home');
  return (
    <section className="teaser">
      <h2>{t('pricing.title')}</h2>
      <p className="lead">{t('pricing.text')}</p>
      <Link to="/pricings" className={buttonClass('secondary')}>
        {t('pricing.action')}
        <Icon name="arrow-right" />
      </Link>
    </section>
  );
}
