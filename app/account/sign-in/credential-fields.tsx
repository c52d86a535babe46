import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckboxField, Field, type FieldMeta } from '~/ui/field';
import type { useErrorTexts } from '~/ui/form-errors';
import { PasswordField } from '~/ui/password-field';

/** Required for sensitive changes; accounts without a password, which sign in with Google, leave it empty. */
export function CurrentPassword(props: Pick<ComponentProps<typeof PasswordField>, 'field' | 'error'>) {
  const { t } = useTranslation('settings');
  return (
    <PasswordField {...props} label={t('password.current')} hint={t('delete.passwordHint')} maxLength={128} />
  );
}

interface OwnerProofProps {
  fields: Record<'currentPassword' | 'code', FieldMeta>;
  message: ReturnType<typeof useErrorTexts>['message'];
  /** Whether the account asks for a code too. */
  hasSecondFactor: boolean;
}

/** What the owner types to change a way into the account. */
export function OwnerProof({ fields: { currentPassword, code }, message, hasSecondFactor }: OwnerProofProps) {
  return (
    <>
      <CurrentPassword field={currentPassword} error={message(currentPassword.errors)} />
      {hasSecondFactor && <SecondFactorField field={{ ...code, required: true }} message={message} />}
    </>
  );
}

interface SecondFactorProps {
  field: FieldMeta;
  message: ReturnType<typeof useErrorTexts>['message'];
  /** Shown instead of where codes come from. */
  hint?: ReactNode;
}

/** A code beside the current password, for accounts with a second factor. */
export function SecondFactorField({ field, message, hint }: SecondFactorProps) {
  const { t } = useTranslation('settings');
  return (
    <CodeField
      field={field}
      label={t('twoStep.code')}
      hint={hint ?? t('twoStep.proofHint')}
      error={message(field.errors)}
      optional={!field.required}
    />
  );
}

interface NewPasswordProps {
  password: FieldMeta;
  confirm: FieldMeta;
  message: ReturnType<typeof useErrorTexts>['message'];
}

/** A new password, typed twice. */
export function NewPassword({ password, confirm, message }: NewPasswordProps) {
  const { t } = useTranslation('account');
  return (
    <>
      <PasswordField
        field={password}
        label={t('password.new')}
        hint={t('password.rules')}
        error={message(password.errors)}
        autoComplete="new-password"
        minLength={8}
        maxLength={128}
      />
      <PasswordField
        field={confirm}
        label={t('password.confirm')}
        error={message(confirm.errors)}
        autoComplete="new-password"
        maxLength={128}
      />
    </>
  );
}

/** Whether a new password takes their access from all programs. */
export function RevokesKeys({ field }: { field: FieldMeta }) {
  const { t } = useTranslation('account');
  return (
    <CheckboxField field={field} label={t('password.revokesKeys')} hint={t('password.revokesKeysHint')} />
  );
}

interface CodeFieldProps {
  field: FieldMeta;
  label: ReactNode;
  hint: ReactNode;
  error: string | undefined;
  optional?: boolean;
}

/** The authenticator app's digits or a recovery code; phones show the number pad for both. */
export function CodeField(props: CodeFieldProps) {
  return (
    <Field
      {...props}
      className="mono code-input"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={40}
      spellCheck={false}
    />
  );
}
