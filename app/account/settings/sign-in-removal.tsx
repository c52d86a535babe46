import { useTranslation } from 'react-i18next';
import { OwnerProof } from '~/account/sign-in/credential-fields';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { ConfirmPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import type { removeSignIn } from './sign-in-removal.server';

interface Props {
  /** Id of the form. */
  id: string;
  texts: 'google' | 'passkeys.removal' | 'passkeys.removalOfAll';
  /** The owner's name for what is removed. */
  name: string | null;
  /** Path the form posts to. */
  action: string;
  cancelTo: string;
  hasSecondFactor: boolean;
}

/** Asks for the password, and for a code if the account has a second factor, before a way to sign in is removed. */
export function SignInRemoval({ id, texts, name, action, cancelTo, hasSecondFactor }: Props) {
  const actionData = usePageActionData<typeof removeSignIn>();
  const { t } = useTranslation('settings');
  const [form, fields] = useServerValidatedForm<'currentPassword' | 'code'>({
    id,
    lastResult: actionData?.lastResult,
  });
  const { message, summary } = useErrorTexts('account', form);
  return (
    <ConfirmPage
      className="settings-page"
      title={t(`${texts}.title`)}
      lead={t(`${texts}.lead`)}
      warning={t(`${texts}.warning`)}
      action={action}
      label={t(`${texts}.submit`)}
      cancelTo={cancelTo}
      keepLabel={t(`${texts}.keep`)}
      errors={summary}
      form={form.props}
    >
      {name && <p>{name}</p>}
      <OwnerProof fields={fields} message={message} hasSecondFactor={hasSecondFactor} />
    </ConfirmPage>
  );
}
