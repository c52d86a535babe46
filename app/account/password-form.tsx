import { getFormProps } from '@conform-to/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Form } from '~/ui/form';
import { PasswordField } from '~/ui/password-field';
import { type LastResult, useSchemaForm } from '~/ui/schema-form';
import { Sheet } from '~/ui/sheet';
import { NewPassword } from './new-password';

const NAMES = ['currentPassword', 'newPassword', 'confirmPassword'] as const;
type Fields = Record<(typeof NAMES)[number], string>;

interface Props {
  /** For password managers. */
  email: string;
  lastResult: LastResult;
}

export function PasswordForm({ email, lastResult }: Props) {
  const { t } = useTranslation('settings');
  const required = { required: true };
  const [form, fields] = useSchemaForm<Fields>({
    id: 'password',
    lastResult,
    constraint: { currentPassword: required, newPassword: required, confirmPassword: required },
  });
  const { message, summary } = useErrorTexts('account', form, NAMES);
  return (
    <Sheet id="password-section" title={t('password.heading')}>
      <p>{t('password.lead')}</p>
      <ErrorSummary errors={summary} />
      <Form {...getFormProps(form)} className="form">
        <input type="hidden" name="intent" value="password" />
        <label hidden>
          {t('profile.email')}{' '}
          <input type="email" name="username" value={email} autoComplete="username" readOnly />
        </label>
        <PasswordField
          field={fields.currentPassword}
          label={t('password.current')}
          error={message(fields.currentPassword.errors)}
          maxLength={128}
        />
        <NewPassword password={fields.newPassword} confirm={fields.confirmPassword} message={message} />
        <Button>{t('password.submit')}</Button>
      </Form>
    </Sheet>
  );
}
