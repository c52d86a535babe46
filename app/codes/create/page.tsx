import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { LookFields } from '~/codes/look/look-fields';
import { readScope } from '~/http/scope.server';
import { messagesOf } from '~/i18n/messages.server';
import { usePageActionData } from '~/ui/page-action-data';
import { creationData, handleCreation } from './create.server';
import { CodeForm } from './form';

export const handle = { page: 'design:create', form: 'create' };

export async function loader(args: LoaderFunctionArgs) {
  const scope = await readScope(args);
  const { isDataRequest, locale } = scope;
  const creation = await creationData(scope);
  const texts = isDataRequest ? messagesOf(locale, ['design', 'look']) : null;
  return { creation, texts, tag: LOCALES[locale].tag };
}

export async function action(args: ActionFunctionArgs) {
  return handleCreation(await readScope(args));
}

export { clientAction, clientLoader, shouldRevalidate } from '~/ui/form-route';

export default function CreatePage() {
  const { creation } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('design');
  return (
    <div className="page">
      <h1>{t('create.title')}</h1>
      <p className="lead">{t('create.lead')}</p>
      <CodeForm data={creation} actionData={actionData} action="/create" withLabels look={LookFields} />
    </div>
  );
}
