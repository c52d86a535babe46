import { readScope } from '~/http/scope.server';
import '~/styles/legal.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { LegalSection } from '~/site/legal/document';
import { Button } from '~/ui/button';
import { Form } from '~/ui/form';
import type { PageHandle } from '~/ui/page-head';
import { PageHeading } from '~/ui/page-layouts';
import { consentData, handleConsent } from './consent.server';
import { ConsentFields } from './fields';

export const handle: PageHandle = { page: 'consent:' };

export async function loader(args: LoaderFunctionArgs) {
  return consentData(await readScope(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleConsent(await readScope(args));
}

export { clientAction, clientLoader, shouldRevalidate } from '~/ui/form-route';

export default function CookiesPage() {
  const { consent, sections, origin } = useLoaderData<typeof loader>();
  const { t } = useTranslation('consent');
  return (
    <div className="page">
      <PageHeading title={t('title')} lead={t('lead')} />
      <Form className="sheet consent-form">
        <ConsentFields consent={consent} />
        <div className="actions">
          <Button>{t('save')}</Button>
        </div>
      </Form>
      <div className="legal-text">
        {sections.map((section) => (
          <LegalSection key={section.id} section={section} origin={origin} isFramed={false} />
        ))}
      </div>
      <p>
        <Link to="/cookie-policy">{t('policy')}</Link>
      </p>
    </div>
  );
}
