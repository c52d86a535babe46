import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { OwnerProof } from '~/account/sign-in/credential-fields';
import { requireUser } from '~/http/guards.server';
import { CheckboxField } from '~/ui/field';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { ConfirmPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { deleteAccount } from './erasure.server';
import { findPasskeys } from './passkeys.server';

export const handle = { page: 'settings:delete' };

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  return { hasSecondFactor: (await findPasskeys(scope)).hasSecondFactor };
}

export async function action(args: ActionFunctionArgs) {
  return deleteAccount(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DeleteAccountPage() {
  const { hasSecondFactor } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('settings');
  const [form, fields] = useServerValidatedForm<'password' | 'code' | 'keepsLinks'>({
    id: 'delete',
    lastResult: actionData?.lastResult,
  });
  const { message, summary } = useErrorTexts('account', form);
  return (
    <ConfirmPage
      className="settings-page"
      title={t('delete.title')}
      lead={t('delete.lead')}
      warning={t('delete.warning')}
      action="/user/settings/delete"
      label={t('delete.submit')}
      cancelTo="/user/settings"
      keepLabel={t('delete.keep')}
      errors={summary}
      form={form.props}
    >
      <ul className="consequences">
        {(['codes', 'data', 'subscription', 'invoices'] as const).map((part) => (
          <li key={part}>{t(`delete.what.${part}`)}</li>
        ))}
      </ul>
      <p>
        <a href="/user/settings/export">{t('delete.export')}</a>
      </p>
      <CheckboxField
        field={fields.keepsLinks}
        label={t('delete.keepsLinks')}
        hint={t('delete.keepsLinksHint')}
      />
      <OwnerProof
        fields={{ currentPassword: fields.password, code: fields.code }}
        message={message}
        hasSecondFactor={hasSecondFactor}
      />
    </ConfirmPage>
  );
}
