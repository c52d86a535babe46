import { getFormProps } from '@conform-to/react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { ErrorSummary } from '~/ui/error-summary';
import { useErrorTexts } from '~/ui/error-texts';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { PasswordField } from '~/ui/password-field';
import { type LastResult, useSchemaForm } from '~/ui/schema-form';
import { Sheet } from '~/ui/sheet';
import { nativeLimits } from './native-limits';

const NAMES = ['firstName', 'lastName', 'email', 'currentPassword'] as const;
type Name = Exclude<(typeof NAMES)[number], 'currentPassword'>;
type Fields = Record<(typeof NAMES)[number], string>;

interface Props {
  profile: { firstName: string; lastName: string; email: string };
  constraint: {
    [N in Name]?: { required?: boolean; minLength?: number; maxLength?: number; pattern?: string };
  };
  lastResult: LastResult;
  /** Of an e-mail address that is not confirmed yet. */
  pending: ReactNode;
}

export function ProfileForm({ profile, constraint, lastResult, pending }: Props) {
  const { t } = useTranslation('settings');
  const { firstName, lastName, email } = profile;
  const [form, fields] = useSchemaForm<Fields>({
    id: 'profile',
    lastResult,
    defaultValue: { firstName, lastName, email },
    constraint,
  });
  const { message, summary } = useErrorTexts('account', form, NAMES);
  const textOf = (name: Name) => ({
    field: fields[name],
    label: t(`profile.${name}`),
    error: message(fields[name].errors),
    ...nativeLimits(constraint[name]),
  });
  return (
    <Sheet id="profile-section" title={t('profile.heading')}>
      <ErrorSummary errors={summary} />
      {pending}
      <Form {...getFormProps(form)} className="form">
        <input type="hidden" name="intent" value="profile" />
        <Field {...textOf('firstName')} autoComplete="given-name" />
        <Field {...textOf('lastName')} autoComplete="family-name" />
        <Field
          {...textOf('email')}
          type="email"
          hint={t('profile.emailHint')}
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
        />
        <PasswordField
          field={fields.currentPassword}
          label={t('password.current')}
          hint={t('profile.passwordHint')}
          error={message(fields.currentPassword.errors)}
          optional
          maxLength={128}
        />
        <Button>{t('profile.submit')}</Button>
      </Form>
    </Sheet>
  );
}
