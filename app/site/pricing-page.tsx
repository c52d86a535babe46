import { readScope } from '~/http/scope.server';
import '~/styles/choice-links.css';
import '~/styles/pricing.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '~/ui/announcer';
import { PageHeading } from '~/ui/page-layouts';
import { ChoiceLinks, useQuery, withQuery } from './choice-links';
import { pricingData } from './pricing.server';
import { BILLINGS, PricingPlan, PricingPromises, PricingTrial, readBilling } from './pricing-sections';

export const handle = { page: 'pricing:', isPublic: true };

export async function loader(args: LoaderFunctionArgs) {
  return pricingData(await readScope(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function PricingPage() {
  const data = useLoaderData<typeof loader>();
  const { t } = useTranslation('pricing');
  const announce = useAnnounce();
  const [query, changeQuery] = useQuery();
  const billing = readBilling(query);

  const choices = BILLINGS.map((value) => ({
    value,
    to: `/pricings${withQuery(query, { billing: value })}`,
    label: (
      <>
        {t(`billing.${value}`)}{' '}
        {value === 'yearly' && <small>{t('billing.save', { percent: data.yearly.percent })}</small>}
      </>
    ),
  }));

  function choose(value: string) {
    changeQuery({ billing: value });
    const isYearly = value === 'yearly';
    announce(`${(isYearly ? data.yearly : data.monthly).price} ${t(isYearly ? 'plan.year' : 'plan.month')}`);
  }

  return (
    <>
      <div className="pricing">
        <PageHeading title={t('heading')} lead={t('lead')} />
        <ChoiceLinks label={t('billing.legend')} choices={choices} chosen={billing} onChoose={choose} />
        <PricingPlan data={data} billing={billing} />
      </div>
      {data.terms.trialHours > 0 && <PricingTrial data={data} billing={billing} />}
      <PricingPromises terms={data.terms} />
    </>
  );
}
