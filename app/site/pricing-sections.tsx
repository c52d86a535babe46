import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { Icon } from '~/ui/icon';
import { ModulePicture } from '~/ui/module-art';
import type { PricingData } from './pricing.server';

export const BILLINGS = ['monthly', 'yearly'] as const;
export type Billing = (typeof BILLINGS)[number];

/** The billing interval in a query; monthly by default. */
export function readBilling(query: string): Billing {
  const requested = new URLSearchParams(query).get('billing');
  return BILLINGS.find((billing) => billing === requested) ?? 'monthly';
}

interface Props {
  data: PricingData;
  billing: Billing;
}

/** The plan at the chosen billing interval: its price, the saving, and its features. */
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
        <Link to={`${data.orderPath}/${slug}`} className={buttonClass()}>
          {t('plan.choose')}
          <Icon name="arrow-right" />
        </Link>
        {trialHours > 0 && <p className="muted">{t('plan.trial', { hours: trialHours, amount: price })}</p>}
      </div>
      <div className="plan-features">
        <h3>{t('features.title')}</h3>
        <ul>
          {[...data.features, 'programs' as const].map((feature) => (
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

interface TrialProps {
  data: PricingData;
  billing: Billing;
}

/** What is charged when: today, at the end of the trial, and from then on. */
export function PricingTrial({ data, billing }: TrialProps) {
  const { t } = useTranslation('pricing');
  const { trialHours } = data.terms;
  const { price } = data[billing];
  const steps = [
    { name: 'order', amount: data.nothing },
    { name: 'first', amount: price },
    { name: billing, amount: price },
  ] as const;
  return (
    <section className="trial band">
      <div>
        <h2>{t('trial.title')}</h2>
        <p className="lead">{t('trial.text', { hours: trialHours })}</p>
      </div>
      <ol>
        {steps.map(({ name, amount }) => (
          <li key={name}>
            <h3>{t(`trial.steps.${name}.when`, { hours: trialHours })}</h3>
            <p className="amount">{amount}</p>
            <p className="muted">{t(`trial.steps.${name}.text`)}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

// Names of brands, the same in every language.
const CARDS = ['Visa', 'Mastercard', 'CB', 'Amex'];

// Heart, arrow that turns back, card.
const PICTURES = [
  ['never', '66ffffff7e3c1800'],
  ['moneyBack', '2060fcfe6723073e'],
  ['cards', '00ff81ffff81b1ff'],
] as const;

export function PricingPromises({ terms }: Pick<PricingData, 'terms'>) {
  const { t } = useTranslation('pricing');
  return (
    <div className="promises band">
      <ul>
        {PICTURES.map(([name, rows]) => (
          <li key={name}>
            <ModulePicture rows={rows} />
            <h2>{t(`${name}.title`)}</h2>
            <p className="muted">{t(`${name}.text`, terms)}</p>
            {name === 'cards' && (
              <div className="cards">
                <ul>
                  {CARDS.map((card) => (
                    <li key={card}>{card}</li>
                  ))}
                </ul>
              </div>
            )}
          </li>
        ))}
      </ul>
      <p>
        <Link to="/faq?category=general" className={buttonClass('secondary')}>
          {t('questions')}
          <Icon name="arrow-right" />
        </Link>
      </p>
    </div>
  );
}
