import '~/styles/billing.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { canCancel, cancel, requireChangeable } from '~/billing/subscription.server';
import { requireUser } from '~/http/guards.server';
import { ConfirmPage } from '~/ui/confirm-page';

export const handle = { page: 'billing:cancel' };

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  const found = await requireChangeable({ request, context }, token, canCancel);
  const { status, accessUntil, switch: other } = found;
  return {
    isAtOnce: status === 'due_date',
    isTrial: status === 'trialing',
    date: accessUntil,
    dropped: other?.pending ? { plan: other.plan, date: other.date } : null,
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { token } = await requireUser(request);
  return cancel({ request, context }, token);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function CancelSubscriptionPage() {
  const { isAtOnce, isTrial, date, dropped } = useLoaderData<typeof loader>();
  const { t } = useTranslation('billing');
  return (
    <ConfirmPage
      title={t('cancel.heading')}
      lead={t('cancel.lead')}
      warning={t(isAtOnce ? 'cancel.atOnce' : isTrial ? 'cancel.trial' : 'cancel.later', { date })}
      action="/user/subscription/cancel"
      label={t('cancel.submit')}
      cancelTo="/user/subscription"
      keepLabel={t('cancel.keep')}
    >
      {dropped && <p>{t('cancel.dropped', { plan: t(`plans.${dropped.plan}`), date: dropped.date })}</p>}
      <p>{t('cancel.after')}</p>
    </ConfirmPage>
  );
}
