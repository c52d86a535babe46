import '~/styles/settings.css';
import type { LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { PageHeading } from '~/ui/page-layouts';
import { WebhookFacts } from './facts';
import { getWebhooks } from './webhooks.server';

export const handle = { page: 'webhooks:' };

export async function loader(args: LoaderFunctionArgs) {
  return getWebhooks(await requireUser(args));
}

export { shouldRevalidate } from '~/ui/form-route';

export default function WebhooksPage() {
  const { webhooks, locale } = useLoaderData<typeof loader>();
  const { t } = useTranslation('webhooks');
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to="/user/settings#webhooks">{t('backToSettings')}</Link>}
        title={t('title')}
        lead={t('lead')}
      >
        <Link to="/user/settings/webhooks/new" className={buttonClass()}>
          {t('new.title')}
        </Link>
      </PageHeading>
      <div className="sheet">
        {webhooks.length === 0 && <p>{t('none')}</p>}
        <ul className="session-list">
          {webhooks.map((webhook) => (
            <li key={webhook.id}>
              <WebhookFacts webhook={webhook} locale={locale} />
              <Link
                to={`/user/settings/webhooks/${webhook.id}`}
                className={buttonClass('secondary', 'small')}
              >
                {t('open')}
                <span className="sr-only"> {webhook.description || webhook.url}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
      <p>
        <Link to="/developers#webhooks">{t('guide')}</Link>
      </p>
    </div>
  );
}
