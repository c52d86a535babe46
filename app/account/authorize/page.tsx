import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { PageHeading } from '~/ui/page-layouts';
import { handleAnswer, readRequest } from './authorize.server';
import { AnswerForm, Asker } from './request';

const leadsTo = (data: unknown) => (data as { returnTo?: string | null } | undefined)?.returnTo ?? null;

export const handle: PageHandle & FormHandle = {
  page: (data) => ({ key: leadsTo(data) === null ? 'authorize:ask' : 'authorize:done', values: {} }),
  leadsTo,
  form: (data) => (leadsTo(data) === null ? 'answer' : null),
};

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return readRequest(await requireUser(args), params.request);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleAnswer(await requireUser(args), params.request);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function AuthorizePage() {
  const request = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('authorize');
  if (request.returnTo !== null) return <Done to={request.returnTo} name={request.client.name} />;
  return (
    <div className="form-page">
      <PageHeading title={t('ask.heading', { name: request.client.name })} />
      <Asker request={request} />
      <AnswerForm lastResult={actionData?.lastResult} request={request} />
    </div>
  );
}

/** The answer is given, and the head leads on. */
function Done({ to, name }: { to: string; name: string }) {
  const { t } = useTranslation('authorize');
  return (
    <div className="form-page">
      <PageHeading title={t('done.title')} lead={t('done.text', { name })} />
      <p>
        <Link to={to} reloadDocument className={buttonClass()}>
          {t('done.next')}
        </Link>
      </p>
    </div>
  );
}
