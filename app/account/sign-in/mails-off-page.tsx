import '~/styles/mail-links.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LINK_PAGE_HEADERS } from '~/http/link-page.server';
import { readScope } from '~/http/scope.server';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import type { PageHandle } from '~/ui/page-head';
import { FormPage } from '~/ui/page-layouts';
import { ExpiredLink } from './mail-link';
import { handleMailsOff, readOffPage } from './mails-off.server';

const OVER = { off: 'mailsOff.done', unknown: 'mailsOff.unknown' } as const;

export const handle: PageHandle = {
  page: (data) => {
    const { state } = data as { state: 'on' | keyof typeof OVER };
    return { key: state === 'on' ? 'account:mailsOff' : `account:${OVER[state]}`, values: {} };
  },
};

export function headers() {
  return LINK_PAGE_HEADERS;
}

export async function loader(args: LoaderFunctionArgs) {
  return readOffPage(await readScope(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleMailsOff(await readScope(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function MailsOffPage() {
  const page = useLoaderData<typeof loader>();
  const { t } = useTranslation('account');
  if (page.state !== 'on') {
    return (
      <ExpiredLink texts={OVER[page.state]}>
        <p>
          <Link to="/user/settings/mails" className={buttonClass('secondary')}>
            {t('mailsOff.toSettings')}
          </Link>
        </p>
      </ExpiredLink>
    );
  }
  return <Question kind={page.kind} />;
}

function Question({ kind }: { kind: 'figures' | 'firstScan' | 'unusual' | 'destinationFailing' }) {
  const { t } = useTranslation('account');
  return (
    <FormPage title={t('mailsOff.title')} lead={t(`mailsOff.kinds.${kind}`)} errors={[]}>
      <Form className="form">
        <Button>{t('mailsOff.submit')}</Button>
      </Form>
    </FormPage>
  );
}
