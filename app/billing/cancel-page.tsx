import '~/styles/billing.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { ConfirmPage } from '~/ui/page-layouts';
import { canCancel, cancel, type OwnSubscription, requireChangeable } from './subscription.server';

export const handle = { page: 'billing:cancel' };

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const found = await requireChangeable(scope, canCancel);
  const { status, cancellation, switch: other } = found;
  return {
    isAtOnce: cancellation?.isAtOnce ?? false,
    status,
    date: cancellation?.date ?? '',
    dropped: other?.pending ? { plan: other.plan, date: other.date } : null,
  };
}

export async function action(args: ActionFunctionArgs) {
  return cancel(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function CancelSubscriptionPage() {
  const { isAtOnce, status, date, dropped } = useLoaderData<typeof loader>();
  const { t } = useTranslation('billing');
  return (
    <ConfirmPage
      title={t('cancel.heading')}
      lead={t('cancel.lead')}
      warning={t(`cancel.${effectOf(status, isAtOnce)}`, { date })}
      action="/user/subscription/cancel"
      label={t('cancel.submit')}
      cancelTo="/user/subscription"
      keepLabel={t('cancel.keep')}
    >
      {dropped && <p>{t('cancel.dropped', { plan: t(`plans.${dropped.plan}`), date: dropped.date })}</p>}
      <p>{t(isAtOnce ? 'cancel.afterAtOnce' : 'cancel.after')}</p>
    </ConfirmPage>
  );
}

/** Name of the text that says when the subscription ends. */
function effectOf(status: OwnSubscription['status'], isAtOnce: boolean) {
  if (status === 'incomplete') return 'unpaid' as const;
  if (status === 'due_date') return 'atOnce' as const;
  if (isAtOnce) return 'periodOver' as const;
  return status === 'trialing' ? ('trial' as const) : ('later' as const);
}
