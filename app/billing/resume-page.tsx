import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { ChangePage } from './change-page';
import { canResume, requireChangeable, resume } from './subscription.server';

export const handle = { page: 'billing:resume' };

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const { amount, next, accessUntil } = await requireChangeable(scope, canResume);
  return { amount, date: next?.date ?? accessUntil };
}

export async function action(args: ActionFunctionArgs) {
  return resume(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ResumeSubscriptionPage() {
  const values = useLoaderData<typeof loader>();
  const { t } = useTranslation('billing');
  return (
    <ChangePage
      title={t('resume.heading')}
      text={t('resume.text', values)}
      action="/user/subscription/resume"
      label={t('resume.submit', values)}
      keepLabel={t('resume.keep')}
    />
  );
}
