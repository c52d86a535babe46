import '~/styles/settings.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { findPasskeys, handleRemoval } from '~/account/passkeys.server';
import { requireUser } from '~/http/guards.server';
import { useAnsweredForm } from '~/ui/answered-form';
import { ConfirmPage } from '~/ui/confirm-page';
import { useErrorTexts } from '~/ui/error-texts';
import { usePageAnswer } from '~/ui/page-answer';
import { PasswordField } from '~/ui/password-field';

export const handle = { page: 'settings:passkeys.removal' };

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  const passkeys = await findPasskeys({ request, context }, token);
  const passkey = passkeys.find(({ id }) => id === params.id);
  if (!passkey) throw data(null, { status: 404 });
  return passkey;
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const { token } = await requireUser(request);
  return handleRemoval({ request, context }, token, params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RemovePasskeyPage() {
  const { id, name } = useLoaderData<typeof loader>();
  const answer = usePageAnswer<typeof action>();
  const { t } = useTranslation('settings');
  const [form, fields] = useAnsweredForm<'currentPassword'>({
    id: 'passkey',
    lastResult: answer?.lastResult,
    defaultValue: {},
  });
  const { message, summary } = useErrorTexts('account', form);
  return (
    <ConfirmPage
      title={t('passkeys.removal.title')}
      lead={t('passkeys.removal.lead')}
      warning={t('passkeys.removal.warning')}
      action={`/user/settings/passkeys/${id}`}
      label={t('passkeys.removal.submit')}
      cancelTo="/user/settings/passkeys"
      keepLabel={t('passkeys.removal.keep')}
      errors={summary}
    >
      <p>{name}</p>
      <PasswordField
        field={{ ...fields.currentPassword, required: true }}
        label={t('password.current')}
        hint={t('delete.passwordHint')}
        error={message(fields.currentPassword.errors)}
        maxLength={128}
      />
    </ConfirmPage>
  );
}
