import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LOCALES } from '#contract/locales';
import { LookFields } from '~/codes/look/look-fields';
import { isDataRequest } from '~/http/data-request.server';
import { getLocale } from '~/i18n/locale.server';
import { messagesOf } from '~/i18n/messages.server';
import { usePageActionData } from '~/ui/page-action-data';
import { creationData, handleCreation } from './create.server';
import { CodeForm } from './form';

export const handle = { page: 'design:create', form: 'create' };

export async function loader({ request, context }: LoaderFunctionArgs) {
  const isScript = isDataRequest(request);
  const [creation, locale] = await Promise.all([creationData({ request, context }), getLocale(request)]);
  const texts = isScript ? messagesOf(locale, ['design', 'look']) : null;
  return { creation, texts, tag: LOCALES[locale].tag };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return handleCreation({ request, context });
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
