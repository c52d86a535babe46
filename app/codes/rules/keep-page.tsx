import '~/styles/rules.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { ConfirmPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { Targets } from './rule-list';
import { keepWinner, viewWinner } from './rules.server';

export const handle = { page: 'routing:keep' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return viewWinner(await requireUser(args), params.id, params.rule);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return keepWinner(await requireUser(args), params.id, params.rule);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

/** Asks before one variant of a split becomes the only target of its rule. */
export default function KeepPage() {
  const { id, rule, number, winner, others } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('routing');
  const [form] = useServerValidatedForm<never>({ id: 'keep', lastResult: actionData?.lastResult });
  const { summary } = useErrorTexts('design', form);
  const path = `/user/qrcodes/${id}/rules`;
  return (
    <ConfirmPage
      title={t('keep.question', { name: winner.name })}
      lead={t('keep.lead', { number })}
      warning={t('keep.warning')}
      action={`${path}/${rule}/keep?route=${winner.route}`}
      label={t('keep.submit', { name: winner.name })}
      cancelTo={`${path}#rule-${rule}`}
      keepLabel={t('keep.cancel')}
      errors={summary}
    >
      <h2>{t('keep.winner')}</h2>
      <Targets variants={[winner]} keepPath={null} />
      <h2>{t('keep.others')}</h2>
      <Targets variants={others} keepPath={null} />
    </ConfirmPage>
  );
}
