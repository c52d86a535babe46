import { LINK_PAGE_HEADERS } from '~/http/link-page.server';
import { readScope } from '~/http/scope.server';
import '~/styles/mail-links.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { FormPage } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { ExpiredLink } from './mail-link';
import { type LinkState, readMailLink } from './mail-link.server';
import { handleConfirmEmail } from './recovery.server';

export const handle: PageHandle = {
  page: (data) => {
    const { state } = data as { state: LinkState };
    return { key: state === 'live' ? 'account:confirm' : `account:confirm.${state}`, values: {} };
  },
};

export function headers() {
  return LINK_PAGE_HEADERS;
}

export async function loader(args: LoaderFunctionArgs) {
  return readMailLink(await readScope(args), 'email_change');
}

export async function action(args: ActionFunctionArgs) {
  return handleConfirmEmail(await readScope(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ConfirmEmailPage() {
  const { state, email } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('account');
  const [form] = useServerValidatedForm<never>({ id: 'confirm', lastResult: actionData?.lastResult });
  const { summary } = useErrorTexts('account', form);
  if (state !== 'live') {
    return (
      <ExpiredLink texts={`confirm.${state}`}>
        <p>
          <Link to="/user/settings" className={buttonClass('primary')}>
            {t('confirm.toSettings')}
          </Link>
        </p>
      </ExpiredLink>
    );
  }
  return (
    <FormPage title={t('confirm.title')} lead={t('confirm.lead')} errors={summary}>
      <Form className="form">
        <p className="confirm-address">{email}</p>
        <Button>{t('confirm.submit')}</Button>
      </Form>
    </FormPage>
  );
}
