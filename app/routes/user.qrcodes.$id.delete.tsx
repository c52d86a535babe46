import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { deleteCode, getCode, nameOf } from '~/codes/codes.server';
import { requireUser } from '~/http/guards.server';
import { redirectWithNotice } from '~/http/notices.server';
import { ConfirmPage } from '~/ui/confirm-page';

export const handle = { page: 'codes:delete' };

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  const { code } = await getCode({ request, context }, params.id, token);
  return { id: code.id, name: nameOf(code) };
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const { token } = await requireUser(request);
  await deleteCode({ request, context }, params.id, token);
  return redirectWithNotice('/user/qrcodes', { type: 'success', key: 'qrcode_deleted' });
}

export default function DeleteCodePage() {
  const { id, name } = useLoaderData<typeof loader>();
  const { t } = useTranslation('codes');
  return (
    <ConfirmPage
      title={t('delete.question', { name })}
      lead={t('delete.consequence')}
      warning={t('delete.irreversible')}
      action={`/user/qrcodes/${id}/delete`}
      label={t('delete.confirm', { name })}
      cancelTo={`/user/qrcodes/${id}`}
    />
  );
}
