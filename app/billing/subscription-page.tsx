import '~/styles/billing.css';
import '~/styles/fold.css';
import '~/styles/stacked-table.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { EmptyState, PageHeading } from '~/ui/page-layouts';
import { OwnerDecisions } from './owner-decisions';
import { decideOwn, readOwnDecision } from './owner-link.server';
import { canCancel, canResume, getOwnSubscription, manage } from './subscription.server';
import { PaymentDetails, PlanCard, TransactionsTable } from './subscription-sections';
import { listOwnTransactions } from './transactions.server';

export const handle = { page: 'billing:subscription' };

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const [{ subscription, trialAvailable, heldOrders }, transactions] = await Promise.all([
    getOwnSubscription(scope),
    listOwnTransactions(scope),
  ]);
  return {
    subscription,
    trialAvailable,
    heldOrders,
    transactions,
    can: {
      order:
        !subscription || (!subscription.running && ['expired', 'canceled'].includes(subscription.status)),
      cancel: Boolean(subscription && canCancel(subscription)),
      resume: Boolean(subscription && canResume(subscription)),
    },
  };
}

export async function action(args: ActionFunctionArgs) {
  const scope = await requireUser(args);
  const decision = await readOwnDecision(scope);
  return decision ? decideOwn(scope, decision) : manage(scope);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function SubscriptionPage() {
  const { subscription, trialAvailable, heldOrders, transactions, can } = useLoaderData<typeof loader>();
  const { t } = useTranslation('billing');
  return (
    <div className="page billing">
      <PageHeading title={t('subscription.heading')} />
      <OwnerDecisions declarations={subscription?.declarations ?? []} orders={heldOrders} />
      {can.order && (
        <EmptyState
          title={t(subscription ? 'subscription.again.title' : 'subscription.empty.title')}
          text={t(trialAvailable ? 'subscription.empty.trial' : 'subscription.empty.noTrial')}
          action={
            <Link to="/user/subscription/order/basic_monthly" className={buttonClass()}>
              {t('subscription.empty.order')}
            </Link>
          }
        />
      )}
      {subscription && (
        <>
          <PlanCard subscription={subscription} canCancel={can.cancel} canResume={can.resume} />
          <PaymentDetails subscription={subscription} />
        </>
      )}
      <TransactionsTable {...transactions} />
    </div>
  );
}
