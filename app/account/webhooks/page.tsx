import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { Button, buttonClass } from '~/ui/button';
import { CopyField } from '~/ui/copy-to-clipboard';
import { Form } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading, Sheet } from '~/ui/page-layouts';
import { useServerValidatedForm } from '~/ui/server-validated-form';
import { DateTime } from '~/ui/time';
import { WebhookFacts } from './facts';
import { DeliveryLog } from './log';
import { getWebhook, handleWebhook } from './webhooks.server';

export const handle = { page: 'webhooks:one' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return getWebhook(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleWebhook(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function WebhookPage() {
  const { webhook, log, locale } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('webhooks');
  const [form] = useServerValidatedForm({ id: 'webhook', lastResult: actionData?.lastResult });
  const { summary } = useErrorTexts('webhooks', form, []);
  const path = `/user/settings/webhooks/${webhook.id}`;
  return (
    <div className="form-page settings-page">
      <PageHeading back={<Link to="/user/settings/webhooks">{t('back')}</Link>} title={t('one.title')} />
      <ErrorSummary errors={summary} />
      <div className="sheet webhook">
        <WebhookFacts webhook={webhook} locale={locale} />
        <Form>
          <div className="actions">
            <Button name="intent" value="test">
              {t('test')}
            </Button>
            <Button variant="secondary" name="intent" value={webhook.enabled ? 'off' : 'on'}>
              {t(webhook.enabled ? 'off' : 'on')}
            </Button>
            <Link to={`${path}/edit`} className={buttonClass('secondary')}>
              {t('edit.link')}
            </Link>{' '}
            <Link to={`${path}/delete`} className={buttonClass('quiet')}>
              {t('delete')}
            </Link>
          </div>
        </Form>
        {webhook.enabled && <p className="hint">{t('offHint')}</p>}
      </div>
      <Sheet id="secret" title={t('secret.title')}>
        <p>{t('secret.text')}</p>
        <details className="fold">
          <summary>{t('secret.show')}</summary>
          <CopyField label={t('secret.label')} value={webhook.secret} />
        </details>
        {webhook.earlierSecretUntil ? (
          <p>
            {t('secret.earlier')} <DateTime value={webhook.earlierSecretUntil} locale={locale} />
          </p>
        ) : (
          <p>
            <Link to={`${path}/secret`} className={buttonClass('secondary')}>
              {t('rotation.title')}
            </Link>
          </p>
        )}
      </Sheet>
      <Sheet id="log" title={t('log.title')}>
        <DeliveryLog {...log} path={path} locale={locale} />
      </Sheet>
    </div>
  );
}
