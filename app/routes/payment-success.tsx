import '~/styles/billing.css';
import { data, type LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData, useLocation, useRevalidator } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { forgottenOrders } from '~/billing/kept-order.server';
import { getPayment, type Payment } from '~/billing/payment.server';
import { buttonClass } from '~/ui/button';
import { DefinitionList } from '~/ui/definition-list';
import type { PageHandle } from '~/ui/page-head';
import { PageHeading } from '~/ui/page-heading';

const LOOK_AGAIN_MS = 3_000;
const MOST_LOOKS = 20;

const PAGES = {
  succeeded: 'billing:payment.succeeded',
  pending: 'billing:payment.pending',
  failed: 'billing:payment.failed',
} as const;

export const handle: PageHandle = {
  page: (data) => ({ key: PAGES[(data as Payment).state], values: {}, isPersonal: true }),
};

/**
 * The address holds what only the buyer knows: it is told to no other site, and nobody keeps the page. Without any
 * referrer a browser would not say either where the answer to the cookie banner comes from.
 */
export function headers() {
  return { 'Referrer-Policy': 'strict-origin', 'Cache-Control': 'no-store' };
}

export async function loader({ request, context }: LoaderFunctionArgs) {
  const payment = await getPayment({ request, context });
  const headers = new Headers();
  for (const cookie of payment.state === 'succeeded' ? await forgottenOrders() : []) {
    headers.append('Set-Cookie', cookie);
  }
  return data(payment, { headers });
}

export { shouldRevalidate } from '~/ui/form-route';

export default function PaymentPage() {
  const payment: Payment = useLoaderData<typeof loader>();
  const { t } = useTranslation('billing');
  const { search } = useLocation();
  const { state, offer, amount, reference, email, failure, again } = payment;
  useLookAgain(state === 'pending');
  const items = [
    { term: t('payment.offer'), value: t(`plans.${offer}`) },
    { term: t('payment.amount'), value: t(`payment.prices.${offer}`, { amount }) },
    { term: t('payment.reference'), value: reference },
  ];
  return (
    <div className="form-page">
      <PageHeading title={t(`payment.${state}.heading`)} lead={t(`payment.${state}.lead`)} />
      {state === 'failed' && (
        <p className="happens-next">{t([`payment.failures.${failure ?? ''}`, 'payment.failures.other'])}</p>
      )}
      <DefinitionList items={items} />
      {state === 'succeeded' && <p className="happens-next">{t('payment.mailed', { email })}</p>}
      <div className="actions">
        {state === 'succeeded' && (
          <Link to="/login" className={buttonClass('secondary')}>
            {t('payment.login')}
          </Link>
        )}
        {state === 'pending' && (
          <a href={`/payment-success${search}`} className={buttonClass()}>
            {t('payment.look')}
          </a>
        )}
        {state === 'failed' && (
          <Link to={again} className={buttonClass()}>
            {t('payment.again')}
          </Link>
        )}
        <Link to="/contact" className={buttonClass('quiet')}>
          {t('payment.contact')}
        </Link>
      </div>
    </div>
  );
}

/** Asks anew for about a minute while nothing is decided; without scripts a link does. */
function useLookAgain(isPending: boolean): void {
  const { revalidate, state } = useRevalidator();
  const looks = useRef(0);
  useEffect(() => {
    if (!isPending || state !== 'idle' || looks.current >= MOST_LOOKS) return;
    const timer = setTimeout(() => {
      looks.current += 1;
      revalidate();
    }, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isPending, state, revalidate]);
}
