import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { PasswordField } from '~/ui/password-field';

/** Asked for before what matters; those without a password, who always enter with Google, leave it empty. */
export function CurrentPassword(props: Pick<ComponentProps<typeof PasswordField>, 'field' | 'error'>) {
  const { t } = useTranslation('settings');
  return (
    <PasswordField {...props} label={t('password.current')} hint={t('delete.passwordHint')} maxLength={128} />
  );
}
