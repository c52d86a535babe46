import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { findCodeLook, handleCodeLook } from './code-look.server';
import { LookEditor } from './look-editor';
import { SaveStyleForm } from './save-style-form';

export const handle = { page: 'look:page', form: 'look-form' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return findCodeLook(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleCodeLook(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function CodeLookPage() {
  const code = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('look');
  const { id, name, kept } = code;
  // The form that saves a look posts to another page: its result is not about the look of this code.
  const isOwn = actionData?.lastResult.initialValue?.intent !== 'save-style';
  return (
    <div className="page">
      <p>
        <Link to={`/user/qrcodes/${id}`}>{t('page.back')}</Link>
      </p>
      <h1>{t('page.title')}</h1>
      <p className="lead">
        <bdi>{name}</bdi>
      </p>
      <p>{t('page.lead')}</p>
      <LookEditor
        address={`/user/qrcodes/${id}/look`}
        look={code}
        actionData={isOwn ? actionData : undefined}
        main={t('page.use')}
        hint={t('page.download')}
        label={t('page.picture', { name })}
      >
        {kept && (
          <details className="fold">
            <summary>{t('codes:styles.save')}</summary>
            <p className="hint">{t('page.saveHint')}</p>
            <SaveStyleForm {...kept} codeId={id} />
          </details>
        )}
        <p>
          <Link to="/user/styles">{t('codes:styles.all')}</Link>
        </p>
      </LookEditor>
    </div>
  );
}
