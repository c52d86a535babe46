import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { Icon } from '~/ui/icon';
import type { PricingData } from './pricing.server';
import type { Billing } from './pricing-billing';

interface Props {
  data: PricingData;
  billing: Billing;
}

/** The one plan as it is paid: the sum, what it is made of, what it buys. */
export function PricingPlan({ data, billing }: Props) {
  const { t } = useTranslation('pricing');
  const { slug, price } = data[billing];
  const { equivalent, saving } = data.yearly;
  const { trialHours } = data.terms;
  return (
    <section className="plan sheet" aria-labelledby="plan-price">
      <div>
        <h2 id="plan-price">
          <strong>{price}</strong> {t(billing === 'yearly' ? 'plan.year' : 'plan.month')}
        </h2>
        <p className="muted">{t('plan.vat')}</p>
        {billing === 'yearly' && (
          <p>
            {t('plan.equals', { amount: equivalent })}
            <br />
            <strong className="saving">{t('plan.saving', { amount: saving })}</strong>
          </p>
        )}
        <Link to={`/subscribe/${slug}`} className={buttonClass()}>
          {t('plan.choose')}
          <Icon name="arrow-right" />
        </Link>
        {trialHours > 0 && <p className="muted">{t('plan.trial', { hours: trialHours, amount: price })}</p>}
      </div>
      <div className="plan-features">
        <h3>{t('features.title')}</h3>
        <ul>
          {data.features.map((feature) => (
            <li key={feature}>
              <Icon name="check" />
              {t(`features.${feature}`)}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
