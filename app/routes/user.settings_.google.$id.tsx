import '~/styles/settings.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { findGoogleAccount, removeGoogleAccount } from '~/account/google-link.server';
import { requireUser } from '~/http/guards.server';
import { useAnsweredForm } from '~/ui/answered-form';
import { ConfirmPage } from '~/ui/confirm-page';
import { useErrorTexts } from '~/ui/error-texts';
import { usePageAnswer } from '~/ui/page-answer';
import { PasswordField } from '~/ui/password-field';

export const handle = { page: 'settings:google' };

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  const identity = await findGoogleAccount({ request, context }, token, params.id);
  if (!identity) throw data(null, { status: 404 });
  return identity;
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const { token } = await requireUser(request);
  return removeGoogleAccount({ request, context }, token, params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RemoveGooglePage() {
  const { id, email } = useLoaderData<typeof loader>();
  const answer = usePageAnswer<typeof action>();
  const { t } = useTranslation('settings');
  const [form, fields] = useAnsweredForm<'currentPassword'>({
    id: 'google',
    lastResult: answer?.lastResult,
    defaultValue: {},
  });
  const { message, summary } = useErrorTexts('account', form);
  return (
    <ConfirmPage
      title={t('google.title')}
      lead={t('google.lead')}
      warning={t('google.warning')}
      action={`/user/settings/google/${id}`}
      label={t('google.submit')}
      cancelTo="/user/settings"
      keepLabel={t('google.keep')}
      errors={summary}
    >
      {email && <p>{email}</p>}
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
