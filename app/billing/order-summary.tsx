import { useTranslation } from 'react-i18next';
import { DefinitionList } from '~/ui/definition-list';
import type { CheckoutData } from './checkout.server';

// Names of brands, the same in every language.
const CARDS = ['Visa', 'Mastercard', 'CB', 'Amex'];

/** What is ordered, what it costs and when, how it ends: to be read right before ordering. */
export function OrderSummary({ data }: { data: CheckoutData }) {
  const { t } = useTranslation('billing');
  const { slug, price, hasVat, nothing, firstCharge, terms } = data;
  const items = [
    { term: t('summary.plan'), value: t(`plans.${slug}`) },
    { term: t('summary.price'), value: t(`summary.${hasVat ? 'prices' : 'netPrices'}.${slug}`, { price }) },
    ...(firstCharge
      ? [
          { term: t('summary.trial'), value: t('summary.trialValue', terms) },
          { term: t('summary.today'), value: nothing },
          { term: t('summary.first'), value: t('summary.firstValue', { price, date: firstCharge }) },
        ]
      : [{ term: t('summary.today'), value: price }]),
    { term: t('summary.after'), value: t(`summary.afters.${slug}`, { price }) },
    { term: t('summary.cancel'), value: t(firstCharge ? 'summary.cancelTrialValue' : 'summary.cancelValue') },
    { term: t('summary.withdraw'), value: t('summary.withdrawValue', terms) },
  ];
  return (
    <section className="order-summary" aria-labelledby="order-summary">
      <h2 id="order-summary">{t('summary.title')}</h2>
      <DefinitionList items={items} />
      <p>{t('summary.card')}</p>
      <div className="cards">
        <span className="sr-only">{t('summary.cards')}</span>
        <ul>
          {CARDS.map((card) => (
            <li key={card}>{card}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}
