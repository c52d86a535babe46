import '~/styles/saved-styles.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { ConfirmPage } from '~/ui/page-layouts';
import { deleteStyle, getStyle } from './saved-styles.server';
import { StylePicture } from './style-list';

export const handle = { page: 'codes:styles.delete' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return getStyle(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return deleteStyle(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DeleteStylePage() {
  const { id, name, picture } = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  return (
    <ConfirmPage
      title={t('styles.delete.question', { name })}
      lead={t('styles.delete.lead')}
      warning={t('styles.delete.warning')}
      action={`/user/styles/${id}/delete`}
      label={t('styles.delete.submit')}
      cancelTo="/user/styles"
      keepLabel={t('styles.delete.keep')}
    >
      <StylePicture address={picture} />
    </ConfirmPage>
  );
}
