import '~/styles/look-page.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { findCodeLook, handleCodeLook } from '~/codes/look/code-look.server';
import { LookForm } from '~/codes/look/look-form';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';

export const handle = { page: 'look:page', form: 'look' };

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  return findCodeLook({ request, context }, params.id, token);
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const { token } = await requireUser(request);
  return handleCodeLook({ request, context }, params.id, token);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function CodeLookPage() {
  const code = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('look');
  return (
    <div className="page">
      <p>
        <Link to={`/user/qrcodes/${code.id}`}>{t('page.back')}</Link>
      </p>
      <h1>{t('page.title')}</h1>
      <p className="lead">
        <bdi>{code.name}</bdi>
      </p>
      <p>{t('page.lead')}</p>
      {/* The form that saves a look posts to another page: its result is not about the look of this code. */}
      <LookForm
        code={code}
        actionData={actionData?.lastResult.initialValue?.intent === 'save-style' ? undefined : actionData}
      />
    </div>
  );
}
