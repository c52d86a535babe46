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
  const { status, accessUntil } = await requireChangeable({ request, context }, token, canCancel);
  return { isAtOnce: status === 'due_date', isTrial: status === 'trialing', date: accessUntil };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { token } = await requireUser(request);
  return cancel({ request, context }, token);
}

export default function CancelSubscriptionPage() {
  const { isAtOnce, isTrial, date } = useLoaderData<typeof loader>();
  const { t } = useTranslation('billing');
  return (
    <ConfirmPage
      title={t('cancel.heading')}
      lead={t('cancel.lead')}
      warning={t(isAtOnce ? 'cancel.atOnce' : isTrial ? 'cancel.trial' : 'cancel.later', { date })}
      action="/user/subscription/cancel"
      label={t('cancel.submit')}
      cancelTo="/user/subscription"
    >
      <p>{t('cancel.after')}</p>
    </ConfirmPage>
  );
}
