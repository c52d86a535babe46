import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { FormPage } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { NewPassword } from './credential-fields';

const NAMES = ['firstName', 'lastName', 'password', 'confirmPassword'] as const;
type Fields = Record<(typeof NAMES)[number], string>;

interface Props {
  /** Names are those of the order. */
  buyer: { email: string; firstName: string; lastName: string };
  lastResult: LastResult;
}

/** Name and password of a new account. */
export function OnboardingForm({ buyer: { email, firstName, lastName }, lastResult }: Props) {
  const { t } = useTranslation('account');
  const required = { required: true };
  const [form, fields] = useServerValidatedForm<keyof Fields>({
    id: 'onboarding',
    lastResult,
    defaultValue: { firstName, lastName },
    constraint: {
      firstName: required,
      lastName: required,
      password: required,
      confirmPassword: required,
    },
  });
  const { control, message, summary } = useErrorTexts('account', form, NAMES);
  return (
    <FormPage title={t('onboarding.title')} lead={t('onboarding.lead')} errors={summary}>
      <Form {...form.props} className="form">
        {email && <OwnEmail email={email} />}
        <Field
          {...control('firstName')}
          label={t('onboarding.firstName')}
          maxLength={100}
          autoComplete="given-name"
        />
        <Field
          {...control('lastName')}
          label={t('onboarding.lastName')}
          maxLength={100}
          autoComplete="family-name"
        />
        <NewPassword password={fields.password} confirm={fields.confirmPassword} message={message} />
        <Button>{t('onboarding.submit')}</Button>
      </Form>
    </FormPage>
  );
}

/** Tells people and password managers whose account it is. */
export function OwnEmail({ email }: { email: string }) {
  const { t } = useTranslation('account');
  return (
    <Field
      field={{ id: 'own-email', name: 'username', initialValue: email }}
      type="email"
      label={t('login.email')}
      autoComplete="username"
      readOnly
    />
  );
}
