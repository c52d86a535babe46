import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { ConfirmPage } from '~/ui/page-layouts';
import { getCode, nameOf } from './codes.server';
import { countAgain } from './edit.server';

export const handle = { page: 'codes:counting' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const { code } = await getCode(await requireUser(args), params.id);
  if (code.counted) throw redirect(`/user/qrcodes/${code.id}`);
  return { id: code.id, name: nameOf(code) };
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return countAgain(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

/** Asks before visits are counted again: labels may be printed that the law wants uncounted. */
export default function CountingPage() {
  const { id, name } = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  return (
    <ConfirmPage
      title={t('counting.question', { name })}
      lead={t('counting.lead')}
      warning={t('counting.warning')}
      action={`/user/qrcodes/${id}/count`}
      label={t('counting.confirm')}
      cancelTo={`/user/qrcodes/${id}`}
      keepLabel={t('counting.keep')}
    />
  );
}
