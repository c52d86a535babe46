import { useTranslation } from 'react-i18next';
import type { PricingData } from './pricing.server';
import type { Billing } from './pricing-billing';

interface Props {
  data: PricingData;
  billing: Billing;
}

/** What is charged when, with the sums: today, at the end of the trial, and from then on. */
export function PricingTrial({ data, billing }: Props) {
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
